import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { prepareZXingModule, purgeZXingModule, readBarcodes } from 'zxing-wasm/reader';
import type { ReaderOptions } from 'zxing-wasm/reader';

/** Path of the decoder for QR codes. Without this path, the library would download the decoder. */
const DECODER = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
/** Maximum number of codes that are read on a document page. */
const CODES_MAX = 6;
/**
 * Time in milliseconds after which no further page is searched for QR codes. Most pages take a fraction of a second,
 * but a page full of fragments of codes takes longer.
 */
const SEARCH_MS_MAX = 5_000;
const options: ReaderOptions = { formats: ['QRCode'], maxNumberOfSymbols: CODES_MAX, tryInvert: false };

/**
 * Finds the QR codes on pages that are pictures, in the size that text recognition uses.
 * @param pictures PNG images of the pages
 * @returns the text of each code (ADR 0128)
 */
export async function readPictureCodes(pictures: readonly Buffer[]): Promise<string[]> {
  const texts: string[] = [];
  const endsAtMs = performance.now() + SEARCH_MS_MAX;
  try {
    await prepareZXingModule({ overrides: { wasmBinary: await readFile(DECODER) }, fireImmediately: true });
    for (const picture of pictures) {
      if (performance.now() >= endsAtMs) break;
      for (const { text } of await codesOn(picture)) texts.push(text);
    }
  } catch {
    // If the decoder for QR codes cannot start, the document is read without its codes, because the text of its pages
    // has already been read.
    return [];
  } finally {
    // The memory of the decoder for QR codes grows with the largest picture and never shrinks, so the decoder is
    // released.
    purgeZXingModule();
  }
  return texts;
}

/** Returns no codes if the decoder fails, so that the text of the document page is still used. */
async function codesOn(picture: Buffer): ReturnType<typeof readBarcodes> {
  try {
    return await readBarcodes(picture, options);
  } catch {
    return [];
  }
}
