import type { DocumentMediaType } from './media-type.js';
import type { OwnCompany, ReadingOutcome } from './reading.js';
import { readImage } from './ocr/read-image.js';
import { readPdf } from './pdf/read-pdf.js';
import { readXml } from './xml/read-xml.js';
import { signedContent } from './xml/signed-content.js';

/** Facts about a document besides its bytes. */
export interface DocumentContext {
  /** Media type as detected by `sniffMediaType`. */
  readonly mediaType: DocumentMediaType;
  readonly companies: readonly OwnCompany[];
}

/**
 * Reads a document (documents reference, sections 3 to 7). If the document cannot be read, the result is a failure with
 * a reason. The promise rejects only for defects.
 */
export async function readDocument(
  bytes: Uint8Array,
  { mediaType, companies }: DocumentContext,
): Promise<ReadingOutcome> {
  const today = new Date().toISOString().slice(0, 10);
  switch (mediaType) {
    case 'application/xml':
      return readXml(bytes, { embeddedInPdf: false });
    case 'application/pkcs7-mime': {
      const signed = signedContent(bytes);
      return 'failure' in signed ? signed : readXml(signed.content, { embeddedInPdf: false });
    }
    case 'application/pdf':
      return readPdf(bytes, { companies, today });
    case 'image/jpeg':
    case 'image/png':
    case 'image/tiff':
    case 'image/webp':
      return readImage(bytes, { companies, today });
  }
}
