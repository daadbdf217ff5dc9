import { findKsefCode } from '../ksef-code.js';
import type { ReadingOutcome } from '../reading.js';
import { refuse } from '../refuse.js';
import { requireFields } from '../require-fields.js';
import { VISIBLE_CONFIDENCE_OF_OCR_MIN } from '../page-comparison/compare-with-page.js';
import { compareCodes, withAccountOfCode } from '../payment-codes/payment-codes.js';
import { withIndex } from '../text/layout.js';
import { refuseSeveralInvoices } from '../text/several-invoices.js';
import { openPictures, readPictures } from './read-pictures.js';
import type { Picture, PictureContext } from './read-pictures.js';

/** Reads an invoice from a photo or a scan (documents reference, section 12). */
export async function readImage(bytes: Uint8Array, context: PictureContext): Promise<ReadingOutcome> {
  const pictures = await openOrRefuse(bytes);
  if ('failure' in pictures) return pictures;
  const { ocrPages, codes, ...text } = await readPictures(pictures, context);
  const { isInvoice, ...read } = withAccountOfCode(text, codes, pictures.length);
  if (!isInvoice)
    return refuse(
      'NO_INVOICE',
      'No invoice was found in the uploaded picture. Send a sharper picture of the whole page.',
    );
  const several = refuseSeveralInvoices(ocrPages, { ...context, sourceFactor: 1, isOcr: true });
  if (several !== undefined) return several;
  const ksefCode = findKsefCode(codes);
  return requireFields({
    method: 'OCR',
    format: 'IMAGE',
    profile: null,
    embeddedFile: null,
    pages: pictures.length,
    ...read,
    lines: [],
    declaredProfiles: [],
    producer: null,
    signature: null,
    tamperSigns: [],
    hiddenTexts: [],
    conflicts: compareCodes(codes, {
      reading: text,
      pages: ocrPages.map(withIndex),
      confidenceMin: VISIBLE_CONFIDENCE_OF_OCR_MIN,
    }),
    ...(ksefCode === undefined ? {} : { ksefCode }),
  });
}

async function openOrRefuse(bytes: Uint8Array): Promise<Picture[] | ReturnType<typeof refuse>> {
  try {
    return await openPictures(bytes);
  } catch (error) {
    return refusePicture(error);
  }
}

/**
 * Returns the reason why an image cannot be decoded. The image library libvips throws one kind of error, and only its
 * message distinguishes an image that is too large from a broken image.
 */
export function refusePicture(error: unknown): ReturnType<typeof refuse> {
  const message = (error as { message?: string }).message ?? '';
  if (/exceeds pixel limit/i.test(message)) {
    return refuse(
      'TOO_LARGE',
      'The picture of the invoice has more than 50 million pixels. Send the picture in a lower resolution.',
    );
  }
  return refuse('DAMAGED', 'The picture of the invoice is damaged or incomplete. Send the picture again.');
}
