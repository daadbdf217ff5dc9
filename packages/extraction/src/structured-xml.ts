import type { DocumentMediaType } from './media-type.js';
import { signedContent } from './xml/signed-content.js';

/**
 * Returns the XML invoice in a document, to be shown: the document itself, its signed content, or its first attachment
 * that is an invoice. Null if the document contains no XML invoice or cannot be opened.
 */
export async function structuredXml(bytes: Uint8Array, mediaType: DocumentMediaType): Promise<Uint8Array | null> {
  switch (mediaType) {
    case 'application/xml':
      return bytes;
    case 'application/pkcs7-mime': {
      const signed = signedContent(bytes);
      return 'failure' in signed ? null : signed.content;
    }
    case 'application/pdf': {
      const [{ ATTACHMENT_BYTES_MAX, hasOversizedAttachment, readInvoiceAttachments }, { withPdf }] = await Promise.all(
        [import('./pdf/attachments.js'), import('./pdf/open-pdf.js')],
      );
      if (hasOversizedAttachment(bytes)) return null;
      const opened = await withPdf(bytes, async (pdf) => ({ attachments: await readInvoiceAttachments(pdf) }));
      if ('failure' in opened) return null;
      const { content } = opened.attachments[0] ?? {};
      return content === undefined || content.length > ATTACHMENT_BYTES_MAX ? null : content;
    }
    case 'image/jpeg':
    case 'image/png':
    case 'image/tiff':
    case 'image/webp':
      return null;
  }
}
