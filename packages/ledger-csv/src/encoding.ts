import { UsageError } from './usage-error.js';

/** Name of an encoding of the CSV file that TextDecoder supports: `utf-8`, `utf-16le`, `windows-1252`, ... */
export type Encoding = string;

/** Reads the bytes of a CSV file once, in order, and detects the encoding. */
export interface EncodingDetector {
  add(bytes: Uint8Array): void;
  /**
   * Determines the encoding of the CSV file: by the byte order mark, or UTF-8 if all bytes are valid, or otherwise
   * Windows-1252, a superset of Latin-1 in which every byte is valid.
   * @throws UsageError if the file is not text
   */
  end(): Encoding;
}

export function createEncodingDetector(): EncodingDetector {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let first: readonly number[] = [];
  let isUtf8 = true;
  let hasNul = false;
  const decode = (bytes?: Uint8Array): void => {
    if (!isUtf8) return;
    try {
      utf8.decode(bytes, { stream: bytes !== undefined });
    } catch {
      isUtf8 = false;
    }
  };
  return {
    add(bytes) {
      if (first.length < 4) first = [...first, ...bytes.subarray(0, 4)].slice(0, 4);
      hasNul ||= bytes.includes(0);
      decode(bytes);
    },
    end() {
      decode();
      if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le';
      if (first[0] === 0xfe && first[1] === 0xff) return 'utf-16be';
      if (first[0] === 0x50 && first[1] === 0x4b && first[2] === 0x03 && first[3] === 0x04) {
        throw new UsageError('This is a spreadsheet or another zip file. Save it as CSV (UTF-8) and scan that file.');
      }
      if (hasNul) {
        throw new UsageError('This is not a text file: it has bytes of value zero. Save the ledger as CSV (UTF-8).');
      }
      return isUtf8 ? 'utf-8' : 'windows-1252';
    },
  };
}

/**
 * Decodes the bytes of a CSV file in pieces and normalises line ends to `\n`, so that lines are counted alike in all
 * files.
 * @returns a function that gets the next bytes, or no argument at the end
 */
export function createDecoder(encoding: Encoding): (bytes?: Uint8Array) => string {
  const decoder = new TextDecoder(encoding);
  let endsInReturn = false;
  return (bytes) => {
    const decoded = decoder.decode(bytes, { stream: bytes !== undefined });
    const text = `${endsInReturn ? '\r' : ''}${encoding === 'windows-1252' ? replaceControls(decoded) : decoded}`;
    // If the text ends with a carriage return, the line feed that belongs to it may be the first of the next bytes.
    endsInReturn = bytes !== undefined && text.endsWith('\r');
    return (endsInReturn ? text.slice(0, -1) : text).replaceAll(/\r\n?/g, '\n');
  };
}

/** The characters that Windows-1252 assigns to the bytes 0x80 to 0x9f. Five of these bytes have no character. */
const upperControls = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Some releases of Node 20 decode Windows-1252 as Latin-1, which has control characters where the euro sign should be. */
function replaceControls(text: string): string {
  return text.replaceAll(/[\u0080-\u009f]/g, (character) => upperControls.charAt(character.charCodeAt(0) - 0x80));
}
