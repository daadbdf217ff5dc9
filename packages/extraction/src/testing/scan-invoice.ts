import { PDFiumLibrary } from '@hyzyla/pdfium';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { pdfiumProgram } from '../pdf/pdfium-program.js';
import type { Sending } from './measure-reading.js';

const POINTS_PER_INCH = 72;
/**
 * Values of a rough scan. It looks like the picture that a scanner makes: slightly rotated, blurred and grainy, on
 * paper that is not quite white.
 */
const TURN_DEGREES = 0.6;
const BLUR = 0.5;
const GREY = 12;
const GRAIN = 28;

/**
 * Converts the first document page to a scan: clean, or slightly rotated, blurred and grainy. The grain is the same in
 * every run.
 */
export function asScan(dpi: number, isRough: boolean): Sending {
  return async (pdf) => {
    const library = await PDFiumLibrary.init({ instantiateWasm: await pdfiumProgram() });
    try {
      const document = await library.loadDocument(Buffer.from(pdf));
      const drawn = await document
        .getPage(0)
        .render({ scale: dpi / POINTS_PER_INCH, render: 'bitmap', colorSpace: 'Gray' });
      const { width, height } = drawn;
      const channels = drawn.data.length === width * height ? 1 : 4;
      const clean = sharp(Buffer.from(drawn.data), { raw: { width, height, channels } })
        .flatten({ background: '#ffffff' })
        .greyscale();
      document.destroy();
      return { bytes: await (isRough ? await roughened(clean) : clean).png().toBuffer(), mediaType: 'image/png' };
    } finally {
      library.destroy();
    }
  };
}

async function roughened(clean: Sharp): Promise<Sharp> {
  const { data, info } = await clean
    .rotate(TURN_DEGREES, { background: '#ffffff' })
    .blur(BLUR)
    .raw()
    .toBuffer({ resolveWithObject: true });
  let state = 7;
  for (let index = 0; index < data.length; index += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const grain = (Math.floor(state / 65_536) % GRAIN) - GRAIN / 2;
    data[index] = Math.max(0, Math.min(255, (data[index] ?? 255) - GREY + grain));
  }
  return sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
}
