// Runs only the document parsers in a separate process, to measure the cost of reading a document without the product.
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { recognise } from '@invoicecontrol/extraction/ocr/recogniser';
import { withPdf } from '@invoicecontrol/extraction/pdf/open-pdf';
import { XmlDocument } from 'libxml2-wasm';
import sharp from 'sharp';
import type { DocumentKind } from './document-files.js';

/** Documents of one kind, which their parser reads one after another without the product. */
export interface CeilingOrder {
  readonly kind: DocumentKind;
  readonly files: readonly Uint8Array[];
}

/** Size of the image that text recognition receives (documents reference, section 12). */
const PICTURE_SIDE = 2_500;

const pdfium = PDFiumLibrary.init();

// The worker that recognises text of a benchmark document would keep this process alive.
process.once('disconnect', () => process.exit());
process.on('message', (order: CeilingOrder) => {
  parseAll(order).then(
    (durationsMs) => process.send?.(durationsMs),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});

async function parseAll({ kind, files }: CeilingOrder): Promise<number[]> {
  const durationsMs: number[] = [];
  for (const bytes of files) {
    const beganMs = performance.now();
    await parse[kind](bytes);
    durationsMs.push(performance.now() - beganMs);
  }
  return durationsMs;
}

const parse: Readonly<Record<DocumentKind, (bytes: Uint8Array) => Promise<void>>> = {
  xml: async (bytes) => XmlDocument.fromBuffer(bytes).dispose(),
  text: (bytes) => readPages(bytes),
  hybrid: (bytes) => readPages(bytes, true),
  async ocr(bytes) {
    const document = await (await pdfium).loadDocument(bytes);
    try {
      for (const page of document.pages()) {
        const { originalWidth, originalHeight } = page.getOriginalSize();
        const scale = PICTURE_SIDE / Math.max(originalWidth, originalHeight);
        const { data, width, height } = await page.render({ scale, render: 'bitmap', colorSpace: 'Gray' });
        const channels = data.length === width * height ? 1 : 4;
        const png = await sharp(data, { raw: { width, height, channels } })
          .flatten({ background: '#ffffff' })
          .greyscale()
          .png({ compressionLevel: 1 })
          .toBuffer();
        await recognise(png, ['eng', 'deu'], '3');
      }
    } finally {
      document.destroy();
    }
  },
};

/** Reads the text of each page with pdf.js, and the attached XML if it is requested. */
async function readPages(bytes: Uint8Array, hasXml = false): Promise<void> {
  const read = await withPdf(bytes, async (pdf) => {
    for (let number = 1; number <= pdf.numPages; number += 1) {
      await (await pdf.getPage(number)).getTextContent();
    }
    if (!hasXml) return { attachments: [] };
    const attachments = (await pdf.getAttachments()) as Record<string, { content: Uint8Array }> | null;
    return { attachments: Object.values(attachments ?? {}) };
  });
  if ('failure' in read) throw new Error(`The bare parser did not read a document: ${read.failure.message}`);
  for (const { content } of read.attachments) XmlDocument.fromBuffer(content).dispose();
}
