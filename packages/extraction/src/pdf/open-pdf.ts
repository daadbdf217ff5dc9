import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { ReadingFailure } from '../reading.js';
import { refuse } from '../refuse.js';

const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/**
 * Options for opening a PDF that run no code of the document and use no XFA forms, no fonts of the machine and no
 * network (documents reference, section 4).
 */
const OPTIONS = {
  isEvalSupported: false,
  // Loads glyph names. They show what a reader sees, even if the file assigns another text to the glyphs.
  fontExtraProperties: true,
  enableXfa: false,
  disableFontFace: true,
  useSystemFonts: false,
  stopAtErrors: false,
  verbosity: 0,
  cMapUrl: `${join(folder, 'cmaps')}/`,
  cMapPacked: true,
  standardFontDataUrl: `${join(folder, 'standard_fonts')}/`,
  wasmUrl: `${join(folder, 'wasm')}/`,
} as const;

/**
 * Opens a PDF, passes it to `read` and always releases it. If the file cannot be opened, returns a failure with its
 * reason.
 */
export async function withPdf<T>(
  bytes: Uint8Array,
  read: (pdf: PDFDocumentProxy) => Promise<T>,
): Promise<T | { readonly failure: ReadingFailure }> {
  // pdf.js gets a copy of the file, because it takes over the memory of the bytes that it receives.
  const task = getDocument({ ...OPTIONS, data: Uint8Array.from(bytes) });
  try {
    return await read(await task.promise);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return refuse(reason, pdfMessages[reason]);
  } finally {
    await task.destroy();
  }
}

/** Error messages to the sender of a PDF that state what to change. */
export const pdfMessages = {
  ENCRYPTED: 'The PDF needs a password. Send a copy that opens without one.',
  DAMAGED: 'The file is damaged or incomplete. Export it again and send the new file.',
  TOO_LARGE: 'An attachment of the PDF is too large when unpacked. Send the invoice without it.',
  TOO_MANY_PAGES: 'The PDF has more than 10,000 pages. Send the invoice without its annexes.',
  TOO_MUCH_TEXT: 'The PDF has more than 500,000 characters of text. Send the invoice without its annexes.',
  NO_INVOICE: 'No invoice was found in the document. Send the invoice itself.',
} as const;

function reasonOf(error: unknown): 'DAMAGED' | 'ENCRYPTED' | undefined {
  const name = (error as { name?: string }).name ?? '';
  if (name === 'PasswordException') return 'ENCRYPTED';
  // Some damage of a PDF is noticed only when a page is read, so errors of reading a page also count as damage.
  if (
    [
      'InvalidPDFException',
      'FormatError',
      'XRefEntryException',
      'UnknownErrorException',
      'MissingDataException',
      'ParserEOFException',
      'XRefParseException',
    ].includes(name)
  ) {
    return 'DAMAGED';
  }
  return undefined;
}
