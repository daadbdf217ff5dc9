import type { DocumentMediaType } from '../media-type.js';
import type { ReadingOutcome } from '../reading.js';
import { structuredXml } from '../structured-xml.js';
import { readXml } from '../xml/read-xml.js';
import { signedContent } from '../xml/signed-content.js';
import { viewOf } from './invoice-view.js';
import type { RenderingOutcome, RenderingTarget } from './rendering.js';

/**
 * Renders a document for people. Like `readDocument`, the function rejects only because of bugs, and must run in a
 * process of its own.
 */
export async function renderDocument(
  bytes: Uint8Array,
  mediaType: DocumentMediaType,
  target: RenderingTarget,
): Promise<RenderingOutcome> {
  switch (mediaType) {
    case 'application/xml':
    case 'application/pkcs7-mime':
      if (target.kind !== 'VIEW') return { missing: 'PAGE', pages: 0 };
      return show(readToShow(bytes, mediaType));
    case 'application/pdf': {
      if (target.kind === 'PAGE') return (await import('./draw-pdf-page.js')).drawPdfPage(bytes, target);
      if (target.kind === 'WORDS') return (await import('./page-words.js')).wordsOfPdfPage(bytes, target.page);
      const xml = await structuredXml(bytes, mediaType);
      return xml === null ? { missing: 'VIEW' } : show(readXml(xml, { embeddedInPdf: true, isShown: true }));
    }
    case 'image/jpeg':
    case 'image/png':
    case 'image/tiff':
    case 'image/webp':
      if (target.kind === 'VIEW') return { missing: 'VIEW' };
      if (target.kind === 'WORDS') return (await import('./page-words.js')).wordsOfPicture(bytes, target.page);
      return (await import('./draw-picture.js')).drawPicture(bytes, target);
  }
}

function readToShow(bytes: Uint8Array, mediaType: 'application/xml' | 'application/pkcs7-mime'): ReadingOutcome {
  const xml = mediaType === 'application/xml' ? { content: bytes } : signedContent(bytes);
  return 'failure' in xml ? xml : readXml(xml.content, { embeddedInPdf: false, isShown: true });
}

/**
 * Renders the fields that were read from an invoice as an HTML page. An invoice that lacks required fields is shown
 * with the fields that it states.
 */
function show(outcome: ReadingOutcome): RenderingOutcome {
  const reading = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  if (reading !== null) return { rendering: { mediaType: 'text/html', content: Buffer.from(viewOf(reading)) } };
  if ('reading' in outcome) throw new TypeError('The document cannot be rendered, because it has not been read yet.');
  const { reason, message } = outcome.failure;
  return { failure: { reason, message } };
}
