import { expect, test } from 'vitest';
import { countBankUse, countOrderUse, isFull, withoutFinalized } from './links.js';
import type { BankLink, OrderLink } from './links.js';
import { normaliseInvoice } from '../normalisation/normalise-invoice.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';

const invoice = (index: number) =>
  normaliseInvoice(invoiceOf({ supplier: { name: `Supplier ${index}` } }), {
    invoiceId: `i${String(index).padStart(3, '0')}`,
    companyId: 'c',
    source: 'API',
    receivedAtMs: index,
  });

test('the link of an account states who used it, since when, and on which invoice first', () => {
  const once = countBankUse(null, 'GB:1', invoice(1), 's1');
  const twice = countBankUse(once, 'GB:1', invoice(2), 's1');
  expect(twice.suppliers).toMatchObject([{ supplierId: 's1', count: 2, firstInvoiceId: 'i001' }]);
});

test('links stay bounded: the earliest suppliers and the newest bills are kept', () => {
  let bank: BankLink | null = null;
  let order: OrderLink | null = null;
  for (let index = 1; index <= 100; index += 1) {
    bank = countBankUse(bank, 'k', invoice(index), `s${index}`);
    order = countOrderUse(order, 'po', invoice(index), `s${index}`);
  }
  expect(bank?.suppliers).toHaveLength(64);
  expect(bank?.suppliers[0]?.supplierId).toBe('s1');
  expect(order?.uses).toHaveLength(64);
  expect(order?.uses.at(-1)?.invoiceId).toBe('i100');
});

test('the link of an order says so for good once it has left a bill out', () => {
  let order: OrderLink | null = null;
  for (let index = 1; index <= 64; index += 1) order = countOrderUse(order, 'po', invoice(index), 's');
  expect(order?.isCut).toBeUndefined();
  expect(countOrderUse(order, 'po', invoice(65), 's').isCut).toBe(true);
  expect(countOrderUse({ poKey: 'po', suppliers: [], uses: [], isCut: true }, 'po', invoice(66), 's').isCut).toBe(true);
});

test('only finalized counted units are dropped, and the newest of them are kept', () => {
  const units = Array.from({ length: 64 }, (_, index) => `u${index}`);
  expect([isFull(units.slice(1)), isFull(units)]).toEqual([false, true]);
  expect(withoutFinalized(units, new Set(['u0', 'u7', 'u40']))).toEqual(['u0', 'u7', ...units.slice(32)]);
});
