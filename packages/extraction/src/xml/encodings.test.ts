import { expect, test } from 'vitest';
import { sniffMediaType } from '../media-type.js';
import { fixture } from '../testing/fixtures.js';
import { readXml } from './read-xml.js';

const NAME = 'Zakład Śrubowy „Żółw”';
const withoutDeclaration = fixture('ubl-uk-account.xml').toString().replace('Thistle &amp; Rowan Ltd', NAME);
const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>\n${withoutDeclaration}`;

/**
 * The letters of the name in two single-byte encodings of Central Europe. ISO 8859-2 has no typographic quotation
 * marks.
 */
const windows1250: Readonly<Record<string, number>> = { ł: 0xb3, Ś: 0x8c, '„': 0x84, Ż: 0xaf, ó: 0xf3, '”': 0x94 };
const iso88592: Readonly<Record<string, number>> = { ł: 0xb3, Ś: 0xa6, Ż: 0xaf, ó: 0xf3 };
const encode = (text: string, letters: Readonly<Record<string, number>>) =>
  Buffer.from([...text].map((letter) => letters[letter] ?? letter.charCodeAt(0)));

test.each([
  ['UTF-8', Buffer.from(declared('UTF-8')), NAME],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${declared('utf-8')}`), NAME],
  ['UTF-8 without a declaration', Buffer.from(withoutDeclaration), NAME],
  ['windows-1250', encode(declared('windows-1250'), windows1250), NAME],
  ['ISO-8859-2', encode(declared('ISO-8859-2').replace(/[„”]/g, '"'), iso88592), NAME.replace(/[„”]/g, '"')],
  ['UTF-16 with a mark', Buffer.from(`\ufeff${declared('UTF-16')}`, 'utf16le'), NAME],
  ['UTF-16 in the other order', Buffer.from(`\ufeff${declared('UTF-16')}`, 'utf16le').swap16(), NAME],
  ['UTF-16 without a mark', Buffer.from(declared('UTF-16'), 'utf16le'), NAME],
])('reads %s', (_, bytes, name) => {
  expect(sniffMediaType(bytes)).toBe('application/xml');
  expect(readXml(bytes, { embeddedInPdf: false })).toMatchObject({
    reading: { fields: { 'supplier.name': { value: name } } },
  });
});

test('refuses an encoding that is not known, and bytes that are not what they are declared to be', () => {
  const unknown = Buffer.from(declared('x-nothing'));
  const notUtf8 = Buffer.concat([Buffer.from('<a>'), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('</a>')]);
  for (const bytes of [unknown, notUtf8]) {
    expect(readXml(bytes, { embeddedInPdf: false })).toMatchObject({ failure: { reason: 'MALFORMED_XML' } });
  }
});
