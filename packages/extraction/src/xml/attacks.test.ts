import { expect, test } from 'vitest';
import fc from 'fast-check';
import { fixture } from '../testing/fixtures.js';
import { readXml } from './read-xml.js';

const read = (bytes: Uint8Array) => readXml(bytes, { embeddedInPdf: false });
const entities = `<!DOCTYPE a [<!ENTITY b "${'x'.repeat(100)}">${[...'cdefghij'].map((name, index) => `<!ENTITY ${name} "${`&${String.fromCharCode(98 + index)};`.repeat(20)}">`).join('')}]><a>&j;</a>`;
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

test.each([
  ['an entity bomb', Buffer.from(entities)],
  ['an external entity', Buffer.from('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>')],
  ['a document type in lower case', Buffer.from('<!doctype a><a/>')],
  ['a document type in UTF-16', utf16('<!DOCTYPE a><a/>')],
  ['a document type in UTF-16 in the other order', utf16('<!DOCTYPE a><a/>').swap16()],
  ['a document type behind 60 KB of comments', Buffer.from(`<!--${'x'.repeat(60_000)}--><!DOCTYPE a><a/>`)],
  ['a document type behind 90 KB of comments', Buffer.from(`<!--${'x'.repeat(90_000)}--><!DOCTYPE a><a/>`)],
  [
    'a document type in EBCDIC',
    Buffer.from('4c5ac4d6c3e3e8d7c5408140ba4c5ac5d5e3c9e3e8408240 7f a77f6ebb6e4c81616e'.replace(/ /g, ''), 'hex'),
  ],
])('refuses %s before anything is read', (name, bytes) => {
  const reason = name.includes('EBCDIC') ? 'MALFORMED_XML' : 'DOCTYPE';
  expect(read(bytes)).toMatchObject({ failure: { reason } });
});

test.each([
  ['in a comment before the root element', '<!-- <!DOCTYPE a> -->', ''],
  ['in a CDATA section', '', '<cbc:Note><![CDATA[<!DOCTYPE html><p>Thank you</p>]]></cbc:Note>'],
  ['in a comment within the invoice', '', '<!-- <!DOCTYPE a> -->'],
])('reads an invoice with the text of a document type %s', (_, before, within) => {
  const invoice = fixture('ubl-uk-account.xml').toString();
  const head = /^<\?xml[^>]*\?>/.exec(invoice)?.[0] ?? '';
  const body = invoice.slice(head.length).replace('<cbc:ID>INV', `${within}<cbc:ID>INV`);
  expect(read(Buffer.from(`${head}${before}${body}`))).toHaveProperty('reading');
});

test('reports a document type behind the root element as malformed, with its line and without the words of the parser', () => {
  expect(read(Buffer.from('<Invoice>\n</Invoice>\n<!DOCTYPE a>'))).toMatchObject({
    failure: {
      reason: 'MALFORMED_XML',
      message:
        'The file is incomplete or is not well-formed XML in line 3. Export the invoice again and send the new file unchanged.',
    },
  });
});

test.each([
  ['depth 10,000', Buffer.from('<a>'.repeat(10_000) + '</a>'.repeat(10_000))],
  [
    'a text of more than 10 MB',
    Buffer.concat([Buffer.from('<a>'), Buffer.alloc(10_485_740, 'x'), Buffer.from('</a>')]),
  ],
  ['a file of more than 10 MB', Buffer.alloc(10_485_761, ' ')],
])('refuses %s as too large', (_, bytes) => {
  expect(read(bytes)).toMatchObject({ failure: { reason: 'TOO_LARGE' } });
});

test('reads depth 200 in a part of the invoice that nobody needs', () => {
  const invoice = fixture('ubl-uk-account.xml').toString();
  const deep = invoice.replace('<cbc:ID>INV', `<x>${'<y>'.repeat(200)}${'</y>'.repeat(200)}</x><cbc:ID>INV`);
  expect(read(Buffer.from(deep))).toHaveProperty('reading');
});

test.each([
  ['zero bytes', Buffer.alloc(1_000)],
  ['a zero byte in a value', Buffer.from(fixture('ubl-uk-account.xml').toString().replace('480.00', '48\u00000.00'))],
  ['a zero byte in a name', Buffer.from('<Inv\u0000oice/>')],
  ['10,000 attributes that are equal', Buffer.from(`<a ${'b="c" '.repeat(10_000)}/>`)],
])('refuses %s', (_, bytes) => {
  expect(read(bytes)).toHaveProperty('failure');
});

test.each(['ubl-credit-note-peppol.xml', 'cii-facturx-extended.xml', 'fatturapa-freelancer.xml', 'fa3-correction.xml'])(
  'does not throw for %s cut at every 100th byte',
  (file) => {
    const bytes = fixture(file);
    for (let size = 0; size < bytes.length - 1; size += 100) {
      expect(read(bytes.subarray(0, size))).toHaveProperty('failure.reason', 'MALFORMED_XML');
    }
  },
);

test('does not throw for changed bytes, and leaves the next document unharmed', () => {
  const bytes = fixture('facturae-withholding.xml');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 10 }),
      (changes) => {
        const changed = Buffer.from(bytes);
        for (const [position, value] of changes) changed[position] = value;
        const outcome = read(changed);
        expect('reading' in outcome || outcome.failure.message.length > 0).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
  expect(read(bytes)).toHaveProperty('reading');
});

const invoiceWith = (more: string): Buffer =>
  Buffer.from(fixture('ubl-uk-account.xml').toString().replace('</Invoice>', `${more}</Invoice>`));

test('reads 500,000 elements, and finds the places of values among them, and refuses one more', () => {
  const own =
    fixture('ubl-uk-account.xml')
      .toString()
      .match(/<[A-Za-z]/g)?.length ?? 0;
  const most = read(invoiceWith('<x/>'.repeat(500_000 - own)));
  expect(most).toMatchObject({
    reading: { fields: { gross_amount: { xpath: expect.stringMatching(/PayableAmount$/) } } },
  });
  expect(read(invoiceWith('<x/>'.repeat(500_001 - own)))).toMatchObject({
    failure: { reason: 'TOO_LARGE', message: expect.stringContaining('500001 elements') },
  });
});

test('reads an invoice with 30,000 taxes, due dates and accounts in time, with one path for all of a kind', () => {
  const many = invoiceWith(
    '<cac:TaxTotal><cbc:TaxAmount>0.01</cbc:TaxAmount></cac:TaxTotal><cac:PaymentMeans><cbc:PaymentDueDate>2026-04-01</cbc:PaymentDueDate><cac:PayeeFinancialAccount><cbc:ID>x</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>'.repeat(
      30_000,
    ),
  );
  expect(read(many)).toMatchObject({
    reading: {
      fields: {
        tax_amount: { value: '300.00', xpath: '/Invoice/cac:TaxTotal/cbc:TaxAmount' },
        due_date: { xpath: '/Invoice/cac:PaymentMeans[2]/cbc:PaymentDueDate' },
      },
    },
  });
});

test('gives the memory of a document back', () => {
  const bytes = Buffer.from(
    fixture('ubl-credit-note-peppol.xml')
      .toString()
      .replace('</ubl:CreditNote>', `<x>${'<y>z</y>'.repeat(20_000)}</x></ubl:CreditNote>`),
  );
  const readMany = (count: number) => {
    for (let index = 0; index < count; index += 1) read(bytes);
    return process.memoryUsage().arrayBuffers + process.memoryUsage().rss;
  };
  const before = readMany(20);
  // If parsed XML documents were not released, each would keep more than 3 MB of memory.
  expect(readMany(100) - before).toBeLessThan(150_000_000);
});
