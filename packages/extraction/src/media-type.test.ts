import { expect, test } from 'vitest';
import { SNIFFED_BYTES, sniffMediaType } from './media-type.js';

const signedData = Buffer.from('30820a0b06092a864886f70d010702a08209fc', 'hex');
const indefinite = Buffer.from('308006092a864886f70d010702a080308002', 'hex');
const utf16be = Buffer.from('<Invoice/>', 'utf16le').swap16();

test.each([
  ['a PDF', Buffer.from('%PDF-1.7\n'), 'application/pdf'],
  ['a PDF behind other bytes', Buffer.from(`${' '.repeat(1_019)}%PDF-1.4`), 'application/pdf'],
  ['a PNG', Buffer.from('89504e470d0a1a0a0000', 'hex'), 'image/png'],
  ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'image/jpeg'],
  ['a TIFF in Intel order', Buffer.from('49492a0008000000', 'hex'), 'image/tiff'],
  ['a TIFF in Motorola order', Buffer.from('4d4d002a00000008', 'hex'), 'image/tiff'],
  ['a WebP', Buffer.from('RIFF\u0001\u0002\u0003\u0004WEBPVP8 ', 'latin1'), 'image/webp'],
  ['XML', Buffer.from('<?xml version="1.0"?><a/>'), 'application/xml'],
  ['XML behind a mark and blank lines', Buffer.from('\ufeff \r\n<Invoice/>'), 'application/xml'],
  ['UTF-16 with a mark', Buffer.from('\ufeff<Invoice/>', 'utf16le'), 'application/xml'],
  ['UTF-16 in the other order without a mark', utf16be, 'application/xml'],
  ['XML with a DOCTYPE, which is refused later', Buffer.from('<!DOCTYPE a><a/>'), 'application/xml'],
  ['signed data in DER', signedData, 'application/pkcs7-mime'],
  ['signed data of indefinite length', indefinite, 'application/pkcs7-mime'],
  ['signed data in base64', Buffer.from(`\r\n${signedData.toString('base64')}`), 'application/pkcs7-mime'],
  [
    'signed data in PEM',
    Buffer.from(`-----BEGIN PKCS7-----\n${signedData.toString('base64')}`),
    'application/pkcs7-mime',
  ],
])('recognises %s by its bytes', (_, bytes, mediaType) => {
  expect(sniffMediaType(bytes)).toBe(mediaType);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['zero bytes', Buffer.alloc(5_000)],
  ['plain text', Buffer.from('Invoice 12 of 2026')],
  ['a ZIP archive', Buffer.from('504b0304', 'hex')],
  ['a GIF', Buffer.from('GIF89a')],
  ['JSON', Buffer.from('{"a":"<b>"}')],
  ['a certificate in DER', Buffer.from('3082050a308203f2a0030201020210', 'hex')],
  ['a PDF header that comes too late', Buffer.from(`${' '.repeat(1_020)}%PDF-1.4`)],
])('does not accept %s', (_, bytes) => {
  expect(sniffMediaType(bytes)).toBeUndefined();
});

test('decides by the first bytes alone', () => {
  const document = Buffer.from(`<Invoice>${'x'.repeat(2 * SNIFFED_BYTES)}</Invoice>`);
  expect(sniffMediaType(document)).toBe('application/xml');
  expect(sniffMediaType(document.subarray(0, SNIFFED_BYTES))).toBe('application/xml');
  expect(sniffMediaType(Buffer.from(`${' '.repeat(SNIFFED_BYTES)}<Invoice/>`))).toBeUndefined();
});
