import { describe, expect, test } from 'vitest';
import { invoiceFromReading } from './invoice-from-reading.js';
import type { ReadingParts } from './invoice-from-reading.js';

const field = (name: string, value: string) => ({
  field: name,
  value,
  raw: value,
  box: [],
  confidence: 1,
  method: 'XML',
});

const correctedAt = new Date('2026-03-01T12:00:00Z');

test('what was stored before texts had to be readable is read clean, and nothing is left out for it', () => {
  const fields = [
    field('supplier.name', 'Acme\u202e\r\nLtd'),
    field('invoice_number', 'INV\u200b-1'),
    field('issue_date', '2026-03-01'),
    field('currency', 'GBP'),
    field('gross_amount', '120.00'),
  ];
  const parts = {
    extracted: { outcome: { $case: 'reading', value: { fields, method: 'XML' } } },
    request: { purchaseOrderRef: 'PO\u20667' },
    corrections: [{ field: 'buyer.name', value: 'Buyer\nSA', by: 'API_KEY:k', at: correctedAt }],
    knownSupplierName: undefined,
  } as unknown as ReadingParts;
  const { invoice, missing, faults } = invoiceFromReading(parts);
  expect([missing, faults.count]).toEqual([[], 0]);
  expect(invoice).toMatchObject({
    supplier: { name: 'Acme Ltd' },
    invoice_number: 'INV-1',
    purchase_order_ref: 'PO7',
    buyer: { name: 'Buyer SA' },
  });
});

test.each([
  ['BE41539007547035', 'BE41539007547035', undefined],
  ['BE42539007547035', undefined, 'BE42539007547035'],
])('keeps an IBAN that fails only its national check, and no other wrong one: %s', (iban, kept, invalid) => {
  const fields = [
    field('supplier.name', 'Acme Ltd'),
    field('invoice_number', 'INV-1'),
    field('issue_date', '2026-03-01'),
    field('currency', 'EUR'),
    field('gross_amount', '120.00'),
    field('supplier.bank_account.iban', iban),
  ];
  const parts = {
    extracted: { outcome: { $case: 'reading', value: { fields, method: 'TEXT' } } },
    request: {},
    corrections: [],
    knownSupplierName: undefined,
  } as unknown as ReadingParts;
  const { invoice, invalidIban } = invoiceFromReading(parts);
  expect([invoice?.supplier.bank_account?.iban, invalidIban]).toEqual([kept, invalid]);
});

describe('the name of a known supplier', () => {
  const printed = {
    ...field('supplier.name', 'ACME TRADING'),
    raw: 'ACME TRADING',
    page: 1,
    box: [0.1, 0.1, 0.3, 0.12],
    confidence: 0.58,
    method: 'PATTERN',
  };
  const nameWith = (knownSupplierName: string) =>
    invoiceFromReading({
      extracted: {
        outcome: {
          $case: 'reading',
          value: {
            fields: [printed, field('invoice_number', 'INV-1'), field('issue_date', '2026-03-01')],
            method: 'TEXT',
          },
        },
      },
      request: {},
      corrections: [],
      knownSupplierName,
    } as unknown as ReadingParts).provenance.find((one) => one.field === 'supplier.name');

  test('is certain, and keeps its place, where it is the name that was read', () => {
    expect(nameWith('ACME TRADING')).toEqual({ ...printed, confidence: 0.95, method: 'KNOWN_SUPPLIER' });
  });

  test('does not have the raw text and the place of another name', () => {
    expect(nameWith('Acme Trading Ltd')).toEqual({
      field: 'supplier.name',
      value: 'Acme Trading Ltd',
      raw: 'Acme Trading Ltd',
      box: [],
      confidence: 0.95,
      method: 'KNOWN_SUPPLIER',
    });
  });
});
