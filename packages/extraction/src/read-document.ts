import type { DocumentMediaType } from './media-type.js';
import type { OwnCompany, ReadingOutcome } from './reading.js';
import { readXml } from './xml/read-xml.js';
import { signedContent } from './xml/signed-content.js';

/** Facts that are needed to read a document and that its bytes do not contain. */
export interface DocumentContext {
  /** Media type of the document as detected by `sniffMediaType`. */
  readonly mediaType: DocumentMediaType;
  readonly companies: readonly OwnCompany[];
}

/** The result of reading a document, with the XML from which it was read. */
export interface ReadDocument {
  readonly outcome: ReadingOutcome;
  /**
   * XML that was read: the document itself, its signed content or the attachment that was read. Null if no XML was
   * read.
   */
  readonly xml: Uint8Array | null;
}

/**
 * Reads a document (documents reference, sections 3 to 7). If the document cannot be read, the result is a failure with
 * a reason. The promise rejects only for defects. The libraries for PDFs and pictures are loaded when the first PDF or
 * picture is read, because a process that reads only XML needs none of them.
 */
export async function readDocument(bytes: Uint8Array, context: DocumentContext): Promise<ReadingOutcome> {
  return (await readDocumentWithXml(bytes, context)).outcome;
}

/** Reads a document like `readDocument`, and also returns its XML, so that the XML can be validated. */
export async function readDocumentWithXml(
  bytes: Uint8Array,
  { mediaType, companies }: DocumentContext,
): Promise<ReadDocument> {
  const today = new Date().toISOString().slice(0, 10);
  switch (mediaType) {
    case 'application/xml':
      return { outcome: readXml(bytes, { embeddedInPdf: false }), xml: bytes };
    case 'application/pkcs7-mime': {
      const signed = signedContent(bytes);
      if ('failure' in signed) return { outcome: signed, xml: null };
      return { outcome: readXml(signed.content, { embeddedInPdf: false }), xml: signed.content };
    }
    case 'application/pdf': {
      const { readPdfWithXml } = await import('./pdf/read-pdf.js');
      return readPdfWithXml(bytes, { companies, today });
    }
    case 'image/jpeg':
    case 'image/png':
    case 'image/tiff':
    case 'image/webp': {
      const { readImage } = await import('./ocr/read-image.js');
      return { outcome: await readImage(bytes, { companies, today }), xml: null };
    }
  }
}
