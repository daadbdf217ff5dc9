import { describe, expect, test } from 'vitest';
import type { NormalisedInvoice } from '../facts/invoice.js';
import { normaliseInvoice } from '../normalisation/normalise-invoice.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { ORGANIZATION_ID } from '../testing/in-memory-history.js';
import type { InvoiceChanges } from '@invoicecontrol/invoice/testing/invoices';
import { identityAfter, resolveSupplier, strongestIdentityKey, supplierIdOf } from './identity.js';
import type { KnownSupplier, SupplierResolution } from '../facts/supplier.js';

const TAX_ID = 'DE136695976';
const OTHER_TAX_ID = 'DE811569869';
const bank_account = { iban: 'DE89370400440532013000' };

function read(supplier: InvoiceChanges['supplier']): NormalisedInvoice {
  const origin = { invoiceId: 'i', companyId: 'c', source: 'API', receivedAtMs: 0 } as const;
  return normaliseInvoice(invoiceOf({ supplier: { ...supplier } }), origin);
}

const known = (supplierId: string, supplier: InvoiceChanges['supplier']): KnownSupplier =>
  identityAfter(undefined, supplierId, read(supplier));

const resolve = (supplier: InvoiceChanges['supplier'], suppliers: readonly KnownSupplier[]): SupplierResolution =>
  resolveSupplier(ORGANIZATION_ID, read(supplier), suppliers, { similarNameMin: 0.92 });

describe('an invoice belongs to', () => {
  test('the supplier with its tax id, with or without prefix, whatever the name', () => {
    const suppliers = [known('a', { tax_id: TAX_ID })];
    expect(resolve({ name: 'Renamed', tax_id: '136 695 976' }, suppliers)).toEqual({
      supplierId: 'a',
      reason: 'TAX_KEY',
    });
  });
  test('not the supplier of another country with the same number', () => {
    expect(resolve({ tax_id: 'PT136695976', name: 'Outra' }, [known('a', { tax_id: TAX_ID })]).reason).toBe('NEW');
  });
  test('the supplier with its number, whatever country a foreign account suggests', () => {
    const lithuanian = { iban: 'LT147300016033503497' };
    const polish = { name: 'Hurtownia Papieru Sp. z o.o.', tax_id: '1132312688' };
    const atHome = known('a', { ...polish, bank_account: { iban: 'PL61109010140000071219812874' } });
    expect(resolve({ ...polish, bank_account: lithuanian }, [atHome])).toEqual({ supplierId: 'a', reason: 'TAX_KEY' });
    const stated = known('a', { ...polish, tax_id: 'PL1132312688' });
    expect(resolve({ ...polish, bank_account: lithuanian }, [stated]).reason).toBe('TAX_KEY');
    const abroad = known('a', { ...polish, bank_account: lithuanian });
    expect(resolve({ ...polish, tax_id: 'PL1132312688' }, [abroad]).reason).toBe('TAX_KEY');
  });
  test('not an unrelated supplier with the same number in the country of the account', () => {
    const german = known('a', { name: 'Metallbau Hinrichs GmbH', tax_id: TAX_ID });
    const portuguese = { name: 'Outra Lda', tax_id: '136695976', bank_account: { iban: 'PT50000201231234567890154' } };
    expect(resolve(portuguese, [german]).reason).toBe('NEW');
  });
  test('the supplier of its name when at most one side has a tax id', () => {
    expect(resolve({ tax_id: TAX_ID }, [known('a', {})]).reason).toBe('NAME_KEY');
    expect(resolve({}, [known('a', { tax_id: TAX_ID })]).reason).toBe('NAME_KEY');
    expect(resolve({ tax_id: OTHER_TAX_ID }, [known('a', { tax_id: TAX_ID })]).reason).toBe('NEW');
  });
  test('of several of its name, the one with its account, else the one with its legal form', () => {
    const limited = known('a', { name: 'Wiesner Ltd', tax_id: TAX_ID });
    const stock = known('b', { name: 'Wiesner plc', tax_id: OTHER_TAX_ID, bank_account });
    expect(resolve({ name: 'Wiesner Limited', bank_account }, [limited, stock]).supplierId).toBe('b');
    expect(resolve({ name: 'Wiesner plc' }, [limited, stock]).supplierId).toBe('b');
    expect(resolve({ name: 'Wiesner Limited' }, [limited, stock]).supplierId).toBe('a');
    expect(resolve({ name: 'Wiesner' }, [limited, stock]).supplierId).toBe('a');
  });
  test('the supplier of its account only when the name is similar too', () => {
    const suppliers = [known('a', { name: 'Northwind Traders', bank_account })];
    expect(resolve({ name: 'Northwind Trader', bank_account }, suppliers).reason).toBe('BANK_KEY');
    expect(resolve({ name: 'Quick Cash', bank_account }, suppliers).reason).toBe('NEW');
  });
  test('never the supplier with another valid tax id', () => {
    const suppliers = [known('a', { name: 'Northwind Traders', tax_id: TAX_ID, bank_account })];
    expect(resolve({ name: 'Northwind Trader', tax_id: OTHER_TAX_ID, bank_account }, suppliers).reason).toBe('NEW');
  });
  test('the vendor the ERP names, before everything else', () => {
    const options = { similarNameMin: 0.92, erpSupplierId: 'vendor-1' };
    expect(
      resolveSupplier(ORGANIZATION_ID, read({ tax_id: TAX_ID }), [known('a', { tax_id: TAX_ID })], options),
    ).toEqual({
      supplierId: 'vendor-1',
      reason: 'ERP_VENDOR',
    });
  });
});

describe('a new supplier', () => {
  test('has one id for two first invoices', () => {
    expect(resolve({ tax_id: TAX_ID }, []).supplierId).toBe(
      resolve({ tax_id: 'de 136695976', name: 'Other' }, []).supplierId,
    );
    expect(resolve({}, []).supplierId).toBe(resolve({ name: 'ACME SUPPLIES LIMITED' }, []).supplierId);
  });
  test('is another one for another name on the same account', () => {
    expect(resolve({ name: 'Alpha', bank_account }, []).supplierId).not.toBe(
      resolve({ name: 'Beta', bank_account }, []).supplierId,
    );
  });
  test('is identified by tax id, else by name, and by the account only without both', () => {
    expect(strongestIdentityKey(read({ tax_id: TAX_ID, bank_account }))).toBe('t:DE:136695976');
    expect(strongestIdentityKey(read({ bank_account }))).toBe('n:ACME SUPPLIES');
    expect(strongestIdentityKey(read({ name: '&', bank_account }))).toBe('b:DE89370400440532013000');
    expect(supplierIdOf(ORGANIZATION_ID, 'n:ACME SUPPLIES')).toBe(resolve({}, []).supplierId);
  });
  test('is another one in another organization', () => {
    const elsewhere = resolveSupplier('0192a000-0000-7000-8000-000000000002', read({}), [], { similarNameMin: 0.92 });
    expect(elsewhere.supplierId).not.toBe(resolve({}, []).supplierId);
  });
});

test('a supplier gains a missing tax id and its country, and keeps its first name', () => {
  const first = known('a', {});
  const second = identityAfter(first, 'a', read({ name: 'Acme Supplies GmbH', tax_id: '136695976' }));
  const third = identityAfter(second, 'a', read({ tax_id: TAX_ID }));
  expect(third).toMatchObject({ name: 'Acme Supplies Ltd', taxKey: '136695976', taxCountry: 'DE' });
  expect(third.keys).toEqual(['n:ACME SUPPLIES', 't:136695976']);
});

test('a country that is stated replaces one that was presumed, and a presumed one replaces none', () => {
  const presumed = known('a', { tax_id: '136695976', bank_account: { iban: 'LT147300016033503497' } });
  expect(presumed).toMatchObject({ taxCountry: 'LT', taxCountryPresumed: true });
  const stated = identityAfter(presumed, 'a', read({ tax_id: TAX_ID }));
  expect(stated).toMatchObject({ taxCountry: 'DE', taxValid: true });
  expect(stated).not.toHaveProperty('taxCountryPresumed');
  expect(identityAfter(stated, 'a', read({ tax_id: '136695976', bank_account }))).toMatchObject({ taxCountry: 'DE' });
});

describe('keys by which similar names find a supplier', () => {
  const acme = { name: 'Acme Supplies Ltd', tax_id: TAX_ID };

  test('are made again with the next invoice, where an older rule made them', () => {
    const { lookalikeKeysVersion: _version, lookalikeKeys: _keys, ...stored } = known('a', acme);
    const next = identityAfter({ ...stored, lookalikeKeys: ['old'] }, 'a', read(acme));
    expect(next.lookalikeKeys).toEqual([...(known('a', acme).lookalikeKeys ?? []), 'old']);
  });

  test('cover each name of the supplier and stay bounded', () => {
    let supplier = known('a', acme);
    for (let names = 0; names < 40; names += 1)
      supplier = identityAfter(supplier, 'a', read({ ...acme, name: `Acme Wholesale Trading Number ${names}` }));
    expect(supplier.lookalikeKeys).toEqual(expect.arrayContaining([...(known('a', acme).lookalikeKeys ?? [])]));
    expect(supplier.lookalikeKeys?.length).toBeLessThanOrEqual(512);
  });
});
