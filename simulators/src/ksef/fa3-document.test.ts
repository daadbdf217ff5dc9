import { expect, test } from 'vitest';
import { parseXml } from '@invoicecontrol/compliance/parse-xml';
import { schemaErrors } from '@invoicecontrol/compliance/schemas';
import { fa3Document } from './fa3-document.js';
import type { Fa3Invoice } from './fa3-document.js';

test.each<Fa3Invoice>([
  { number: 'FV/1/2026' },
  { number: 'FV/1/2026', isPaid: true, amounts: { net: '1000.00', vat: '230.00', gross: '1230.00' } },
  {
    number: 'A&amp;B',
    seller: '1111111111',
    sellerName: 'Wisła',
    kind: 'KOR_ROZ',
    issueDate: '2026-12-31',
    item: 'Kubek',
  },
  {
    number: 'FV/2/2026',
    buyer: '5265877635',
    buyerName: 'Huta',
    recipients: ['1111111111', '9999999999'],
    authorized: '8888888888',
    transfer: { account: '61109010140000071219812874', dueDate: '2026-03-01' },
  },
  { number: 'FV/3/2026', buyer: null },
])('a document of %j follows the schema of FA(3)', (invoice) => {
  const parsed = parseXml(Buffer.from(fa3Document(invoice)));
  if ('fault' in parsed) throw new Error(parsed.fault);
  expect(schemaErrors(parsed.document, 'FA3')).toEqual([]);
  parsed.document.dispose();
});

test('a document without its number does not follow it', () => {
  const parsed = parseXml(Buffer.from(fa3Document({ number: '' })));
  if ('fault' in parsed) throw new Error(parsed.fault);
  expect(schemaErrors(parsed.document, 'FA3')).not.toEqual([]);
  parsed.document.dispose();
});
