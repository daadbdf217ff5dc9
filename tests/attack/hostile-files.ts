// Files that are made to harm their reader (documents reference, section 3).
import { randomBytes } from 'node:crypto';
import { attackFiles } from '@invoicecontrol/extraction/testing/attack-files';
import sharp from 'sharp';
import type { UploadedFile } from '../bench/upload-client.js';

/** A hostile file, and the media type that it claims to have. */
export interface HostileFile extends UploadedFile {
  readonly name: string;
}

const PIXELS_OF_BOMB = 16_000;
/** Side length of a hostile picture. Its size is just below the pixel limit, so the service must read the picture. */
const PIXELS_OF_NOISE = 5_000;
const DEPTH = 10_000;
const RANDOM_BYTES = 300_000;

export async function hostileFiles(): Promise<readonly HostileFile[]> {
  const pdf = (name: string, bytes: Uint8Array): HostileFile => ({ name, mediaType: 'application/pdf', bytes });
  const xml = (name: string, text: string): HostileFile => ({
    name,
    mediaType: 'application/xml',
    bytes: Buffer.from(text),
  });
  const png = (name: string, bytes: Uint8Array): HostileFile => ({ name, mediaType: 'image/png', bytes });
  const entities = Array.from({ length: 10 }, (_, level) => {
    const below = level === 0 ? 'lol' : `&e${level - 1};`.repeat(10);
    return `<!ENTITY e${level} "${below}">`;
  });
  return [
    pdf('a page that saves its state 25 million times', attackFiles.savedStates()),
    xml('entities within entities', `<!DOCTYPE Invoice [${entities.join('')}]><Invoice>&e9;</Invoice>`),
    pdf('a page of 100 MB of text', attackFiles.textOperators()),
    png('a picture of 16,000 x 16,000 pixels', await blankPicture(PIXELS_OF_BOMB)),
    pdf('an attachment of 300 MB', attackFiles.attachment()),
    xml('elements 10,000 deep', `${'<a>'.repeat(DEPTH)}${'</a>'.repeat(DEPTH)}`),
    png('a picture of noise', await noise(PIXELS_OF_NOISE)),
    pdf('an encrypted file', attackFiles.encrypted()),
    pdf('random bytes behind a header', Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(RANDOM_BYTES)])),
    pdf('random bytes', randomBytes(RANDOM_BYTES)),
    { name: 'a PDF called XML', mediaType: 'application/xml', bytes: attackFiles.encrypted() },
  ];
}

function blankPicture(side: number): Promise<Buffer> {
  return sharp({ create: { width: side, height: side, channels: 3, background: '#ffffff' }, limitInputPixels: false })
    .png({ palette: true, compressionLevel: 9 })
    .toBuffer();
}

function noise(side: number): Promise<Buffer> {
  const speckled = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  return sharp({ create: { width: side, height: side, channels: 3, background: '#808080', noise: speckled } })
    .greyscale()
    .threshold()
    .png({ palette: true, compressionLevel: 6 })
    .toBuffer();
}
