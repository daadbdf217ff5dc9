import { describe, expect, test } from 'vitest';
import { createDecoder, createEncodingDetector } from './encoding.js';

function detect(...pieces: Buffer[]): string {
  const detector = createEncodingDetector();
  for (const piece of pieces) detector.add(piece);
  return detector.end();
}

/** Decodes in pieces of this many bytes. */
function decode(bytes: Buffer, encoding: string, piece = bytes.length): string {
  const decoder = createDecoder(encoding);
  let text = '';
  for (let start = 0; start < bytes.length; start += piece) text += decoder(bytes.subarray(start, start + piece));
  return text + decoder();
}

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('the encoding of a file', () => {
  test('is UTF-8 if every byte is valid, with or without a byte order mark', () => {
    expect(detect(Buffer.from('Müller'))).toBe('utf-8');
    expect(detect(Buffer.from('\ufeffMüller'))).toBe('utf-8');
    expect(detect(Buffer.from('plain'))).toBe('utf-8');
  });

  test('is UTF-8 even if a character is split between two pieces', () => {
    const bytes = Buffer.from('ü');
    expect(detect(bytes.subarray(0, 1), bytes.subarray(1))).toBe('utf-8');
  });

  test('is UTF-16 by its byte order mark, even byte by byte', () => {
    expect(detect(utf16('a'))).toBe('utf-16le');
    expect(detect(...[...utf16('a').swap16()].map((byte) => Buffer.from([byte])))).toBe('utf-16be');
  });

  test('is Windows-1252 if any byte is not UTF-8, even the last', () => {
    expect(detect(Buffer.from('Müller', 'latin1'))).toBe('windows-1252');
    expect(detect(Buffer.from('Ende ü', 'latin1'))).toBe('windows-1252');
  });

  test('is refused for files that are not text', () => {
    expect(() => detect(Buffer.from('PK\u0003\u0004...'))).toThrow('Save it as CSV');
    expect(() => detect(Buffer.from('a\u0000b'))).toThrow('not a text file');
  });
});

describe('decoding', () => {
  test('gives the same text whatever the pieces are', () => {
    const text = 'Łódź;€ 1\r\nMünchen;2\rParis;3\n';
    const expected = 'Łódź;€ 1\nMünchen;2\nParis;3\n';
    for (const piece of [1, 2, 3, 7, 100]) {
      expect(decode(Buffer.from(`\ufeff${text}`), 'utf-8', piece)).toBe(expected);
      expect(decode(utf16(text), 'utf-16le', piece)).toBe(expected);
      expect(decode(utf16(text).swap16(), 'utf-16be', piece)).toBe(expected);
    }
  });

  test('decodes the euro sign, quotes and dashes of Windows-1252', () => {
    const bytes = Buffer.from([0x80, 0x20, 0x84, 0xe4, 0x93, 0x20, 0x96, 0x20, 0x9e]);
    expect(decode(bytes, 'windows-1252')).toBe('€ „ä“ – ž');
  });

  test('decodes Windows-1250 on request', () => {
    expect(decode(Buffer.from([0xa3, 0xf3, 0x64, 0x9f]), 'windows-1250')).toBe('Łódź');
  });

  test('a carriage return at the very end is the end of a line', () => {
    expect(decode(Buffer.from('a\r'), 'utf-8')).toBe('a\n');
  });
});
