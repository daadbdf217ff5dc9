import { expect, test } from 'vitest';
import { signedContent } from './signed-content.js';

const xml = Buffer.from('<FatturaElettronica versione="FPR12"/>');
const oid = Buffer.from('06092a864886f70d010702', 'hex');
const dataOid = Buffer.from('06092a864886f70d010701', 'hex');
const version = Buffer.from('020101', 'hex');
const digests = Buffer.from('310d300b0609608648016503040201', 'hex');

function length(size: number): Buffer {
  if (size < 128) return Buffer.from([size]);
  return size < 65_536
    ? Buffer.from([0x82, size >> 8, size & 255])
    : Buffer.from([0x83, size >> 16, (size >> 8) & 255, size & 255]);
}
const der = (tag: number, ...parts: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([tag]), length(Buffer.concat(parts).length), ...parts]);
/** Two zero bytes mark the end of a BER element of indefinite length. */
const ber = (tag: number, ...parts: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([tag, 0x80]), ...parts, Buffer.alloc(2)]);

function envelope(write: typeof der, content: readonly Buffer[]): Buffer {
  const encapsulated = write(0x30, dataOid, ...content.map((octets) => write(0xa0, octets)));
  return write(0x30, oid, write(0xa0, write(0x30, version, digests, encapsulated, der(0x31))));
}
const inDer = envelope(der, [der(0x04, xml)]);
const pieces = ber(0x24, der(0x04, xml.subarray(0, 11)), der(0x04, xml.subarray(11, 12)), der(0x04, xml.subarray(12)));
const inBer = envelope(ber, [pieces]);
const base64 = inDer.toString('base64').replace(/.{64}/g, '$&\r\n');

test.each([
  ['DER', inDer],
  ['BER with indefinite lengths and content in pieces', inBer],
  ['base64 with line breaks', Buffer.from(base64)],
  ['PEM', Buffer.from(`-----BEGIN PKCS7-----\n${base64}\n-----END PKCS7-----\n`)],
  ['an envelope inside another', envelope(der, [der(0x04, inBer)])],
  ['base64 inside an envelope', envelope(der, [der(0x04, Buffer.from(base64))])],
])('finds the content in %s', (_, bytes) => {
  expect(signedContent(bytes)).toEqual({ content: new Uint8Array(xml) });
});

test('finds a content of 5 MB in pieces of 1000 bytes', () => {
  const large = Buffer.alloc(5_000_000, 'x');
  const parts = Array.from({ length: 5_000 }, (_, index) =>
    der(0x04, large.subarray(index * 1_000, index * 1_000 + 1_000)),
  );
  const content = signedContent(envelope(ber, [ber(0x24, ...parts)]));
  expect('content' in content && Buffer.compare(Buffer.from(content.content), large)).toBe(0);
});

test.each([
  ['a detached signature', envelope(der, []), 'NO_INVOICE'],
  ['another structure', der(0x30, version, version), 'NO_INVOICE'],
  ['a cut envelope', inDer.subarray(0, -20), 'DAMAGED'],
  ['zero bytes', Buffer.alloc(100), 'DAMAGED'],
  ['nothing', Buffer.alloc(0), 'DAMAGED'],
  ['100,000 nested elements', Buffer.from('2480'.repeat(100_000), 'hex'), 'DAMAGED'],
  ['a million empty pieces', ber(0x24, Buffer.from('0400'.repeat(1_000_000), 'hex')), 'DAMAGED'],
  ['more than 10 MB', Buffer.alloc(10_485_761), 'TOO_LARGE'],
  [
    'five envelopes around each other',
    [1, 2, 3, 4].reduce((inner) => envelope(der, [der(0x04, inner)]), inDer),
    'UNSUPPORTED_FORMAT',
  ],
])('refuses %s', (_, bytes, reason) => {
  expect(signedContent(bytes)).toMatchObject({ failure: { reason } });
});

test('does not throw for an envelope that is cut anywhere', () => {
  for (let size = 0; size < inBer.length; size += 1)
    expect(signedContent(inBer.subarray(0, size))).toHaveProperty('failure');
});
