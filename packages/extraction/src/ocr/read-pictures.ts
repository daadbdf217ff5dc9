import sharp from 'sharp';
import type { Sharp } from 'sharp';
import type { OwnCompany } from '../reading.js';
import { layoutPage, withIndex } from '../text/layout.js';
import type { TextPage, TextRun } from '../text/layout.js';
import { readText } from '../text/read-text.js';
import type { TextReading } from '../text/read-text.js';
import { combineReadings } from './combine-readings.js';
import { firstLanguages, otherLanguage } from './languages.js';
import { readPictureCodes } from './picture-codes.js';
import { recognise } from './recogniser.js';
import type { OcrLanguage, OcrWord, PageMode } from './recogniser.js';
import { isNarrow, pageSize, receiptSize } from './scale.js';
import type { PictureSize } from './scale.js';

/** Picture of a document page as a greyscale PNG. */
export interface Picture {
  /** Number of the document page, counted from 1. */
  readonly number: number;
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
}

export interface PictureContext {
  readonly companies: readonly OwnCompany[];
  /** Current day in the form `YYYY-MM-DD`, with which dates on the picture are compared. */
  readonly today: string;
}

export const OCR_PAGES_MAX = 10;
/**
 * Maximum number of pixels of a document page. The limit is needed because a file of 250 KB can contain 16,000 x 16,000
 * pixels.
 */
export const PIXELS_MAX = 50_000_000;
/** Share of a picture's pixels at each end of the grey values that is ignored when its contrast is raised. */
const IGNORED_SHARE = 0.01;
const PAGE_WIDTH_POINTS = 595;
const RECEIPT_WIDTH_POINTS = 260;
/** Font size of recognized text as a share of the line height. */
const FONT_OF_LINE = 0.8;
/** Minimum confidence of a recognized word. Words with lower confidence are noise from stamps, lines and logos. */
const WORD_CONFIDENCE_MIN = 0.2;

/**
 * Decodes an image and returns each page (a TIFF may have several) as a picture. The picture is rotated as the camera
 * metadata says, and converted to greyscale with full contrast (documents reference, section 12). A page may have at
 * most 50 million pixels. Rejects if the bytes are not an image.
 */
export async function openPictures(bytes: Uint8Array): Promise<Picture[]> {
  const options = { limitInputPixels: PIXELS_MAX, failOn: 'error' as const };
  const { pages = 1 } = await sharp(bytes, options).metadata();
  const pictures: Picture[] = [];
  for (let page = 0; page < Math.min(pages, OCR_PAGES_MAX); page += 1) {
    pictures.push(await preparePicture(sharp(bytes, { ...options, page }).rotate(), page + 1));
  }
  return pictures;
}

/**
 * Converts a document page to greyscale with full contrast, in the size that `pageSize` returns. A receipt that keeps
 * its size also keeps its contrast.
 */
export async function preparePicture(source: Sharp, number: number): Promise<Picture> {
  // The size of the picture is known only after decoding and rotating. The intermediate image is not compressed,
  // because compression would take longer than all other steps.
  const { data, info } = await source
    .flatten({ background: '#ffffff' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const decoded = sharp(data, { raw: { width, height, channels } });
  const size = pageSize(info);
  if (size.width === width && size.height === height && isNarrow(info)) {
    return { number, png: await decoded.png({ compressionLevel: 1 }).toBuffer(), width, height };
  }
  return resize(decoded, size, number);
}

async function resize(source: Sharp, size: PictureSize, number: number): Promise<Picture> {
  const { data, info } = await source
    .resize({ ...size, fit: 'fill' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const { factor, offset } = fullContrast(data);
  const png = await sharp(data, { raw: { width, height, channels } })
    .linear(factor, offset)
    .png({ compressionLevel: 1 })
    .toBuffer();
  return { number, png, width, height };
}

/**
 * Spreads the grey values over the whole range. The darkest and the lightest hundredth of the pixels are ignored.
 * `normalise` of sharp does the same in another colour space, but takes a third of the time that the OCR takes.
 */
function fullContrast(grey: Buffer): { readonly factor: number; readonly offset: number } {
  const counts = new Uint32Array(256);
  for (const value of grey) counts[value] = (counts[value] ?? 0) + 1;
  const ignored = grey.length * IGNORED_SHARE;
  const darkest = valueAfter(counts, ignored);
  const lightest = 255 - valueAfter(counts.toReversed(), ignored);
  // The contrast of a document page with a single shade of grey cannot be increased.
  if (lightest <= darkest) return { factor: 1, offset: 0 };
  const factor = 255 / (lightest - darkest);
  return { factor, offset: -darkest * factor };
}

/** Returns the lowest grey value at which more than the given number of pixels of a picture are as dark or darker. */
function valueAfter(counts: Uint32Array, pixels: number): number {
  let seen = 0;
  return counts.findIndex((count) => (seen += count) > pixels);
}

/** The result of reading pictures: the recognized words and the text of each QR code. */
export interface PicturesReading extends TextReading {
  readonly ocrPages: readonly TextPage[];
  readonly codes: readonly string[];
}

/** Reads pictures by OCR and finds the invoice in their text. `others` are pages that have a text layer. */
export async function readPictures(
  pictures: readonly Picture[],
  context: PictureContext,
  others: readonly TextPage[] = [],
): Promise<PicturesReading> {
  let languages = firstLanguages(context.companies);
  const pages: TextPage[] = [];
  for (const [index, picture] of pictures.entries()) {
    let recognised = await recognisePage(picture, languages);
    const better: OcrLanguage | undefined = index === 0 ? otherLanguage(recognised.words, languages) : undefined;
    if (better !== undefined) {
      languages = ['eng', better];
      recognised = await recognisePage(picture, languages);
    }
    pages.push(recognised.page);
  }
  const reading = read(pages, others, context);
  // QR codes are read after text recognition, because a document gets a longer time limit as soon as text recognition
  // begins.
  const codes = await readPictureCodes(pictures.map(({ png }) => png));
  const [only] = pictures;
  if (only === undefined || pictures.length > 1 || (isComplete(reading) && !isNarrow(only)))
    return { ...reading, ocrPages: pages, codes };
  // Another segmentation mode of Tesseract recognizes text that the first mode took for a picture or a column. A
  // receipt is also read in a larger size.
  const again = isNarrow(only) ? await resize(sharp(only.png), receiptSize(only), only.number) : only;
  const second = toPage(await recognise(again.png, languages, isNarrow(only) ? '4' : '6'), again);
  return { ...combineReadings(reading, read([second], others, context)), ocrPages: [...pages, second], codes };
}

/** Recognizes the words of a picture in the given languages, and arranges them as a page. */
export async function recognisePage(
  picture: Picture,
  languages: readonly OcrLanguage[],
): Promise<{ readonly page: TextPage; readonly words: readonly OcrWord[] }> {
  const words = await recognise(picture.png, languages, modeOf(picture));
  return { page: toPage(words, picture), words };
}

function modeOf(picture: Picture): PageMode {
  return isNarrow(picture) ? '6' : '3';
}

function read(pages: readonly TextPage[], others: readonly TextPage[], context: PictureContext): TextReading {
  const all = [...pages, ...others].sort((one, other) => one.number - other.number);
  return readText(all.map(withIndex), { ...context, sourceFactor: 1, isOcr: true });
}

/** Checks whether the amounts of a recognized invoice add up and all required fields were read. */
function isComplete({ fields }: TextReading): boolean {
  return fields.net_amount !== undefined && fields.invoice_number !== undefined && fields.issue_date !== undefined;
}

function toPage(words: readonly OcrWord[], picture: Picture): TextPage {
  const scale = (isNarrow(picture) ? RECEIPT_WIDTH_POINTS : PAGE_WIDTH_POINTS) / picture.width;
  const runs = words
    .filter(({ confidence }) => confidence >= WORD_CONFIDENCE_MIN)
    .map((word): TextRun => ({
      text: word.text,
      left: word.left * scale,
      right: word.right * scale,
      top: word.lineTop * scale,
      bottom: word.lineBottom * scale,
      size: (word.lineBottom - word.lineTop) * FONT_OF_LINE * scale,
      confidence: word.confidence,
    }));
  return layoutPage(runs, {
    index: picture.number - 1,
    number: picture.number,
    width: picture.width * scale,
    height: picture.height * scale,
  });
}
