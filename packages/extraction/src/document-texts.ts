import type { DocumentMediaType } from './media-type.js';
import { structuredXml } from './structured-xml.js';
import { withXml } from './xml/parse-xml.js';

/**
 * Returns the texts that people read in a document, line by line: all values of its XML, and the visible text of the
 * pages of a PDF. Text in pictures is left out, because recognising it takes minutes. A document that cannot be opened
 * has no text. Like `readDocument`, this function must run in a separate process.
 */
export async function documentTexts(bytes: Uint8Array, mediaType: DocumentMediaType): Promise<readonly string[]> {
  const xml = await structuredXml(bytes, mediaType);
  const [values, lines] = [
    xml === null ? [] : xmlTexts(xml),
    mediaType === 'application/pdf' ? await pdfTexts(bytes) : [],
  ];
  return [...values, ...lines];
}

function xmlTexts(bytes: Uint8Array): readonly string[] {
  const values = withXml(bytes, (document) =>
    document.find('//text()[normalize-space()] | //@*').map((node) => node.content),
  );
  return 'failure' in values ? [] : values;
}

async function pdfTexts(bytes: Uint8Array): Promise<readonly string[]> {
  const [{ withPdf }, { readPages }] = await Promise.all([import('./pdf/open-pdf.js'), import('./pdf/read-pages.js')]);
  const pages = await withPdf(bytes, async (pdf) => ({ pages: await readPages(pdf) }));
  if ('failure' in pages || pages.pages === 'TOO_LARGE') return [];
  return pages.pages.flatMap(({ text }) => text.lines.map(({ cells }) => cells.map((cell) => cell.text).join(' ')));
}
