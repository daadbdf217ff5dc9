import sharp from 'sharp';
import { refusePicture } from '../ocr/read-image.js';
import { PIXELS_MAX } from '../ocr/read-pictures.js';
import { pictureSize } from './picture-size.js';
import type { RenderingOutcome } from './rendering.js';

/**
 * Draws a page of a document that is an image, rotated as the camera metadata says. An image that is narrower than
 * requested keeps its size.
 */
export async function drawPicture(
  bytes: Uint8Array,
  { page, width: widthMax }: { readonly page: number; readonly width: number },
): Promise<RenderingOutcome> {
  const options = { limitInputPixels: PIXELS_MAX, failOn: 'error' as const };
  try {
    const { pages = 1 } = await sharp(bytes, options).metadata();
    if (page > pages) return { missing: 'PAGE', pages };
    const source = sharp(bytes, { ...options, page: page - 1 });
    const { autoOrient } = await source.metadata();
    const content = await source
      .autoOrient()
      .flatten({ background: '#ffffff' })
      .resize({ ...pictureSize(autoOrient, Math.min(widthMax, autoOrient.width)), fit: 'fill' })
      .toColourspace('srgb')
      .png()
      .toBuffer();
    return { rendering: { mediaType: 'image/png', content } };
  } catch (error) {
    return refusePicture(error);
  }
}
