import { describe, expect, test } from 'vitest';
import { Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { DomainError } from '@invoicecontrol/errors';
import { cleanLine } from '@invoicecontrol/values/readable-text';
import fc from 'fast-check';
import { readInvoice } from './read.js';
import { fullInvoice } from './testing/invoices.js';
import { wireInvoice } from './testing/wire-invoice.js';
import { fromWire, readWire, toWire } from './wire.js';

/**
 * Generates random invoices that can be sent: optional fields may be absent, and texts contain any readable characters.
 */
const text = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 40 })
  .map((value) => `x${cleanLine(value, Infinity)}`);

const account = fc.constantFrom(
  { iban: 'DE02120300000000202051' },
  { sort_code: '60-16-13', account_number: '31926819' },
  { iban: 'GB29NWBK60161331926819', sort_code: '601613', account_number: '31926819' },
);
const amount = fc.constantFrom('1', '-20.5', '0001.000000');
const invoices = fc.record(
  {
    supplier: fc.record({ name: text, tax_id: text, bank_account: account }, { requiredKeys: ['name'] }),
    invoice_number: text,
    issue_date: fc.constantFrom('2024-02-29', '2026-03-01'),
    due_date: fc.constantFrom('1999-12-31', '2026-03-31'),
    currency: fc.constantFrom('EUR', 'gbp', 'Jpy'),
    net_amount: amount,
    tax_amount: amount,
    gross_amount: amount,
    purchase_order_ref: text,
    buyer: fc.record({ name: text, tax_id: text }, { requiredKeys: [] }),
    company_id: fc.uuid(),
  },
  { requiredKeys: ['supplier', 'invoice_number', 'issue_date', 'currency', 'gross_amount'] },
);

const overTheWire = (message: Invoice): Invoice => Invoice.decode(Invoice.encode(message).finish());

describe('the wire', () => {
  test('carries every field of the canonical invoice, and the message has no other', () => {
    expect(fromWire(overTheWire(toWire(fullInvoice)))).toEqual(fullInvoice);
    const names = (message: object | undefined) => Object.keys(message ?? {}).sort();
    const base = Invoice.create({ supplier: { bankAccount: {} }, buyer: {} });
    const full = toWire(fullInvoice);
    expect(names(full)).toEqual(names(base));
    expect(names(full.supplier)).toEqual(names(base.supplier));
    expect(names(full.supplier?.bankAccount)).toEqual(names(base.supplier?.bankAccount));
    expect(names(full.buyer)).toEqual(names(base.buyer));
  });

  test('restores what was sent: REST to wire to REST, and wire to canonical to wire', () => {
    fc.assert(
      fc.property(invoices, (body) => {
        const canonical = readInvoice(body);
        const message = overTheWire(toWire(canonical));
        expect(fromWire(message)).toEqual(canonical);
        expect(readWire(message)).toEqual(canonical);
        expect(toWire(readWire(message))).toEqual(message);
      }),
    );
  });

  test('leaves out what was left out', () => {
    expect(fromWire(wireInvoice())).toEqual({
      supplier: { name: 'Nordlicht Energie GmbH', tax_id: 'DE136695976' },
      invoice_number: 'RE-2026-0118',
      issue_date: '2026-03-05',
      currency: 'EUR',
      gross_amount: '1190.00',
    });
  });
});

describe('an invoice of another service', () => {
  test('is refused with every fault at once, each as over REST', () => {
    const body = {
      ...fullInvoice,
      supplier: { name: ' ', bank_account: { sort_code: '1' } },
      issue_date: 'x',
      currency: 'XXX',
    };
    const message = toWire(body);
    expect(refusalOf(() => readWire(message))).toEqual(refusalOf(() => readInvoice(body)));
    expect(refusalOf(() => readWire(message)).details).toHaveLength(5);
  });

  test('is refused where it or a required field is absent', () => {
    expect(refusalOf(() => readWire(undefined)).message).toBe('invoice: Required.');
    expect(refusalOf(() => readWire(wireInvoice({ supplier: undefined, grossAmount: '' }))).details).toEqual([
      { path: 'supplier', message: 'Required.' },
      { path: 'gross_amount', message: 'Required.' },
    ]);
  });

  test('has its sort code stored as digits', () => {
    const bankAccount = { sortCode: '60-16 13', accountNumber: '31926819' };
    const { supplier } = readWire(wireInvoice({ supplier: { name: 'A', bankAccount } }));
    expect(supplier.bank_account).toEqual({ sort_code: '601613', account_number: '31926819' });
  });
});

function refusalOf(call: () => unknown): { message: string; details: readonly unknown[] } {
  try {
    call();
  } catch (error) {
    if (error instanceof DomainError) return { message: error.publicMessage, details: error.details };
    throw error;
  }
  throw new Error('Nothing was refused.');
}
