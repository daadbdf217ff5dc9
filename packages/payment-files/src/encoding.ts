import { refusal } from './payment-file-refused.js';

/**
 * Encodings in which payment files are read. All of them encode the characters of ASCII with the same bytes as ASCII.
 */
export type Encoding =
  'UTF-8' | 'US-ASCII' | 'ISO-8859-1' | 'ISO-8859-2' | 'ISO-8859-15' | 'windows-1250' | 'windows-1252';

const READ = 'UTF-8, US-ASCII, ISO-8859-1, ISO-8859-2, ISO-8859-15, windows-1250 and windows-1252';

const encodingsByName: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  ['UTF-8', 'UTF-8'],
  ['UTF8', 'UTF-8'],
  ['US-ASCII', 'US-ASCII'],
  ['ASCII', 'US-ASCII'],
  ['ISO-8859-1', 'ISO-8859-1'],
  ['ISO_8859-1', 'ISO-8859-1'],
  ['ISO8859-1', 'ISO-8859-1'],
  ['LATIN1', 'ISO-8859-1'],
  ['ISO-8859-2', 'ISO-8859-2'],
  ['ISO_8859-2', 'ISO-8859-2'],
  ['ISO8859-2', 'ISO-8859-2'],
  ['LATIN2', 'ISO-8859-2'],
  ['ISO-8859-15', 'ISO-8859-15'],
  ['ISO_8859-15', 'ISO-8859-15'],
  ['ISO8859-15', 'ISO-8859-15'],
  ['LATIN-9', 'ISO-8859-15'],
  ['WINDOWS-1250', 'windows-1250'],
  ['CP1250', 'windows-1250'],
  ['WINDOWS-1252', 'windows-1252'],
  ['CP1252', 'windows-1252'],
]);

/** A payment file whose bytes were decoded to characters. */
export interface DecodedFile {
  readonly encoding: Encoding;
  /** The text of the payment file without byte order mark. */
  readonly text: string;
  /** Number of bytes before the first character of a payment file, which form the byte order mark. */
  readonly markBytes: number;
}

/** Number of bytes at the start of a payment file in which its XML declaration ends. */
const DECLARATION_BYTES = 256;

/**
 * Decodes a payment file by its byte order mark and its declaration. Bytes that are not a character in the declared
 * encoding are refused, because another program would replace such bytes, and the payment would name another payee.
 */
export function decodeFile(bytes: Uint8Array): DecodedFile {
  const begin = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, DECLARATION_BYTES));
  refuseOtherKinds(begin);
  const markBytes = begin[0] === 0xef && begin[1] === 0xbb && begin[2] === 0xbf ? 3 : 0;
  const declared = declaredEncoding(begin.toString('latin1', markBytes));
  if (markBytes > 0 && declared !== undefined && declared !== 'UTF-8') {
    throw refusal('', `The file is written in UTF-8, but its XML declaration states ${declared}. Declare UTF-8.`);
  }
  const encoding = declared ?? 'UTF-8';
  return { encoding, markBytes, text: decode(bytes.subarray(markBytes), encoding, declared !== undefined) };
}

/**
 * Returns a function that converts positions of characters in the payment file to positions of bytes. The positions in
 * successive calls must not decrease, so that the text is measured only once.
 */
export function byteOffsets(
  { encoding, text, markBytes }: DecodedFile,
  byteCount: number,
): (position: number) => number {
  if (encoding !== 'UTF-8' || text.length === byteCount - markBytes) return (position) => markBytes + position;
  let known = 0;
  let bytes = markBytes;
  return (position) => {
    for (; known < position; known += 1) {
      const code = text.charCodeAt(known);
      // A character that is a surrogate pair in JavaScript has four bytes in the payment file. Each half of the pair
      // counts two of them.
      if (code < 0x80) bytes += 1;
      else if (code < 0x800 || (code >= 0xd800 && code <= 0xdfff)) bytes += 2;
      else bytes += 3;
    }
    return bytes;
  };
}

/**
 * Refuses a file that is not XML, or whose encoding does not contain ASCII, with a message that names the kind of the
 * file.
 */
function refuseOtherKinds(begin: Buffer): void {
  const [first, second] = begin;
  if (first === undefined) throw refusal('', 'The file is empty. Send the payment file as XML.');
  const wideMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (wideMark || first === 0 || (first === 0x3c && second === 0)) {
    throw refusal('', `The file is in UTF-16 or UTF-32. Export the file in a supported encoding: ${READ}.`);
  }
  if ((first === 0x30 && (second ?? 0) >= 0x80) || /^-----BEGIN (?:PKCS7|CMS|PGP)/.test(begin.toString('latin1'))) {
    throw refusal('', 'The file is signed or encrypted. Send the file without a signature and without encryption.');
  }
}

function declaredEncoding(begin: string): Encoding | undefined {
  const declaration = /^<\?xml[ \t\r\n][^?]*\?>/.exec(begin)?.[0];
  if (declaration === undefined) return undefined;
  if (/version[ \t\r\n]*=[ \t\r\n]*["']1\.[^0"']/.test(declaration)) {
    throw refusal('', 'The file declares an XML version that payment files do not use. Declare version 1.0.');
  }
  const name = /encoding[ \t\r\n]*=[ \t\r\n]*["']([A-Za-z0-9._-]{1,40})["']/.exec(declaration)?.[1];
  if (name === undefined) return undefined;
  const encoding = encodingsByName.get(name.toUpperCase());
  if (encoding === undefined)
    throw refusal(
      '',
      `The encoding ${name} of the file is not supported. Export the file in a supported encoding: ${READ}.`,
    );
  return encoding;
}

function decode(bytes: Uint8Array, encoding: Encoding, isDeclared: boolean): string {
  const text = toText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), encoding);
  // Bytes without a character in the code page of a payment file are decoded as control characters.
  const isWrong =
    text === undefined ||
    (encoding === 'US-ASCII' && /[\u0080-\u00ff]/.test(text)) ||
    (encoding !== 'UTF-8' && /[\u0080-\u009f]/.test(text));
  if (!isWrong) return text;
  throw refusal(
    '',
    isDeclared
      ? `The file has bytes that are not characters in ${encoding}, the encoding that it declares. Declare the encoding in which the file is written.`
      : 'The file declares no encoding and is not in UTF-8. Declare the encoding in which the file is written.',
  );
}

/** Characters of the encoding windows-1252 for the bytes from 0x80, where ISO-8859-1 has control characters. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function toText(bytes: Buffer, encoding: Encoding): string | undefined {
  switch (encoding) {
    case 'US-ASCII':
    case 'ISO-8859-1':
      return bytes.toString('latin1');
    case 'windows-1252':
      // In Node.js 20, TextDecoder decodes windows-1252 as ISO-8859-1.
      return bytes
        .toString('latin1')
        .replace(/[\u0080-\u009f]/g, (character) => WINDOWS_1252.charAt(character.charCodeAt(0) - 0x80));
    case 'UTF-8':
    case 'ISO-8859-2':
    case 'ISO-8859-15':
    case 'windows-1250':
      return strictly(bytes, encoding);
  }
}

function strictly(buffer: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(buffer);
  } catch {
    return undefined;
  }
}
