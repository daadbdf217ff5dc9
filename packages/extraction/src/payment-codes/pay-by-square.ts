import { crc32 } from 'node:zlib';
import { decompress } from 'lzma1';

/** Digits of the encoding base32hex (RFC 4648), each of which has five bits. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUV';
/** Limits of the length of a code. A QR code has at most 4,296 letters and digits. */
const PAY_BY_SQUARE = /^[0-9A-V]{20,4296}$/;
/** Highest version of the standard that is read. */
const VERSION_MAX = 2;
/** Beginning of an LZMA stream: its properties, which the standard fixes, and a dictionary of 131,072 bytes. */
const LZMA_HEADER = [0x5d, 0x00, 0x00, 0x02, 0x00];
const CHECKSUM_BYTES = 4;
/** Numbers of the values of the first payment. A value of the code has no name, and tabs separate the values. */
const FIRST_PAYMENT = { amount: 3, currency: 4, account: 12 } as const;

/** The first payment of a Slovak payment code. Values that the code leaves open are empty. */
export interface SquarePayment {
  readonly account: string;
  readonly amount: string;
  readonly currency: string;
}

/**
 * Reads a Slovak payment code (PAY by square): a header, a length, and text compressed with LZMA, all in base32hex.
 * Returns undefined for any other text. The text has at most 65,531 bytes, because its length has two bytes.
 */
export function readPayBySquare(code: string): SquarePayment | undefined {
  if (!PAY_BY_SQUARE.test(code)) return undefined;
  const bytes = fromBase32(code);
  const [version = 0, documentType = 0, low = 0, high = 0] = bytes;
  if (version > VERSION_MAX || documentType !== 0) return undefined;
  const text = inflate([...LZMA_HEADER, low, high, 0, 0, 0, 0, 0, 0, ...bytes.slice(4)]);
  if (text === undefined) return undefined;
  const values = text.split('\t');
  const { amount, currency, account } = FIRST_PAYMENT;
  return { account: values[account] ?? '', amount: values[amount] ?? '', currency: values[currency] ?? '' };
}

function fromBase32(code: string): number[] {
  const bytes: number[] = [];
  let bits = 0;
  let pending = 0;
  for (const digit of code) {
    pending = ((pending << 5) | DIGITS.indexOf(digit)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((pending >> bits) & 0xff);
  }
  return bytes;
}

/** Returns the compressed text of a payment code, or undefined if it is damaged or the text is of another kind. */
function inflate(lzma: readonly number[]): string | undefined {
  let content: Buffer;
  try {
    content = Buffer.from(decompress(Uint8Array.from(lzma)));
  } catch {
    // The decoder of LZMA throws if the bytes are not compressed text.
    return undefined;
  }
  if (content.length <= CHECKSUM_BYTES) return undefined;
  const text = content.subarray(CHECKSUM_BYTES);
  return content.readUInt32LE(0) === crc32(text) ? text.toString('utf8') : undefined;
}
