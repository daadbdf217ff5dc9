import { expect, test } from 'vitest';
import { invoiceFields } from './invoice-fields.js';

test('the fields of an invoice are listed by path, in the order of the API', () => {
  const invoice = {
    supplier: { name: 'Nordlicht', bank_account: { iban: 'DE89370400440532013000' } },
    invoice_number: 'RE-1',
    gross_amount: '1190.00',
  };
  expect(invoiceFields(invoice)).toEqual([
    { path: 'supplier.name', value: 'Nordlicht' },
    { path: 'supplier.bank_account.iban', value: 'DE89370400440532013000' },
    { path: 'invoice_number', value: 'RE-1' },
    { path: 'gross_amount', value: '1190.00' },
  ]);
});

test('an invoice that could not be read has no fields', () => {
  expect(invoiceFields({})).toEqual([]);
});
