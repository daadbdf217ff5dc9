import { expect, test } from 'vitest';
import { decodeFile } from './encoding.js';
import { PaymentFileRefused } from './payment-file-refused.js';

const xml = (encoding: string, ...bytes: number[]) =>
  Buffer.concat([
    Buffer.from(`<?xml version="1.0" encoding="${encoding}"?><a>`),
    Buffer.from(bytes),
    Buffer.from('</a>'),
  ]);
const contentOf = (bytes: Uint8Array) => /<a>(.*)<\/a>/.exec(decodeFile(bytes).text)?.[1];

test.each([
  ['UTF-8', [0xc5, 0x82], 'ł'],
  ['utf8', [0xc5, 0x82], 'ł'],
  ['US-ASCII', [0x41], 'A'],
  ['ISO-8859-1', [0xe9, 0xa4], 'é¤'],
  ['iso-8859-2', [0xb3, 0xb1], 'łą'],
  ['ISO-8859-15', [0xa4], '€'],
  ['windows-1250', [0xb3, 0x9c, 0x80], 'łś€'],
  ['Windows-1252', [0x80, 0x93, 0x9f], '€“Ÿ'],
])('reads %s', (encoding, bytes, text) => {
  expect(contentOf(xml(encoding, ...bytes))).toBe(text);
});

test('reads UTF-8 without a declaration, and with a byte order mark', () => {
  expect(contentOf(Buffer.from('<a>ł</a>'))).toBe('ł');
  expect(decodeFile(Buffer.from('\ufeff<a>ł</a>'))).toMatchObject({ text: '<a>ł</a>', markBytes: 3 });
  expect(contentOf(Buffer.from("\ufeff<?xml version='1.0' encoding = 'utf-8' ?><a>ł</a>"))).toBe('ł');
});

const wide = 'The file is in UTF-16 or UTF-32.';
const utf16 = Buffer.from('\ufeff<a/>', 'utf16le');
test.each([
  ['UTF-16 with a mark', utf16, wide],
  ['UTF-16 in the other order', Buffer.from(utf16).swap16(), wide],
  ['UTF-16 without a mark', utf16.subarray(2), wide],
  ['UTF-16 in the other order without a mark', Buffer.from(utf16).swap16().subarray(2), wide],
  ['UTF-32', Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x3c]), wide],
  ['UTF-32 in the other order', Buffer.from([0xff, 0xfe, 0, 0, 0x3c, 0, 0, 0]), wide],
  ['UTF-16 by declaration', xml('UTF-16', 0x41), 'The encoding UTF-16 of the file is not supported.'],
  ['EBCDIC by declaration', xml('IBM037', 0x41), 'The encoding IBM037 of the file is not supported.'],
  ['UTF-7', xml('UTF-7', 0x41), 'The encoding UTF-7 of the file is not supported.'],
  ['an empty file', Buffer.alloc(0), 'The file is empty.'],
  ['bytes that are not UTF-8', xml('UTF-8', 0xe9), 'not characters in UTF-8'],
  ['an overlong form', xml('UTF-8', 0xc0, 0xbc), 'not characters in UTF-8'],
  ['half a pair in UTF-8', xml('UTF-8', 0xed, 0xa0, 0x80), 'not characters in UTF-8'],
  ['bytes above ASCII', xml('US-ASCII', 0xe9), 'not characters in US-ASCII'],
  ['a control character of ISO-8859-1', xml('ISO-8859-1', 0x80), 'not characters in ISO-8859-1'],
  ['a byte that windows-1250 leaves out', xml('windows-1250', 0x81), 'not characters in windows-1250'],
  ['a byte that windows-1252 leaves out', xml('windows-1252', 0x81), 'not characters in windows-1252'],
  [
    'bytes without a declaration',
    Buffer.from([0x3c, 0x61, 0x3e, 0xe9]),
    'The file declares no encoding and is not in UTF-8.',
  ],
  [
    'a mark that the declaration contradicts',
    Buffer.concat([Buffer.from('\ufeff'), xml('ISO-8859-1')]),
    'Declare UTF-8.',
  ],
  ['XML 1.1', Buffer.from('<?xml version="1.1"?><a/>'), 'Declare version 1.0.'],
])('refuses %s', (_, bytes, message) => {
  expect(() => decodeFile(bytes)).toThrow(PaymentFileRefused);
  expect(() => decodeFile(bytes)).toThrow(message);
});
