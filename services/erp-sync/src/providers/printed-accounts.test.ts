import { takeRecord } from '@invoicecontrol/books/check-record';
import { vendorAccount } from '@invoicecontrol/books/records';
import type { AccountRecord } from '@invoicecontrol/books/records';
import { describe, expect, test } from 'vitest';
import { readVendorAccount as readBusinessCentral } from './business-central/records.js';
import { readVendorAccount as readOdoo } from './odoo/records.js';
import { Row } from './row.js';
import { toVendor as readXero } from './xero/records.js';

const IBAN = 'DE89370400440532013000';
const POLISH = '61109010140000071219812874';

/** Functions that return the stored bank account for each ERP. QuickBooks always masks bank accounts. */
const readers: readonly (readonly [erp: string, read: (printed: string) => AccountRecord | undefined])[] = [
  [
    'Business Central',
    (iban) => {
      const config = {
        tenantId: 't',
        environmentName: 'e',
        companyId: 'c',
        clientId: 'i',
        bankAccountVendorIdField: 'vendorNo',
        bankAccountIbanField: 'iban',
      };
      return readBusinessCentral(new Row({ id: '1', vendorNo: 'V1', iban }), config)?.account;
    },
  ],
  ['Odoo', (printed) => readOdoo(new Row({ id: 1, acc_number: printed }), '14').account],
  [
    'Xero',
    (printed) => {
      const context = {
        countryCode: 'DE',
        baseCurrency: 'EUR',
        pageUrl: (path: string) => `https://erp.example${path}`,
      };
      return readXero(new Row({ ContactID: '1', Name: 'Acme', BankAccountDetails: printed }), context).accounts?.[0];
    },
  ],
];

describe.each(readers)('%s', (_, read) => {
  const stored = (printed: string): AccountRecord | undefined => {
    const account = read(printed);
    if (account === undefined) return undefined;
    const taken = takeRecord(vendorAccount, { externalId: '1', vendorExternalId: '14', account });
    return 'record' in taken ? taken.record.account : undefined;
  };

  test.each([
    [IBAN, IBAN],
    ['DE89 3704 0044 0532 0130 00', IBAN],
    ['de89-3704-0044-0532-0130-00', IBAN],
    ['IBAN DE89 3704 0044 0532 0130 00', IBAN],
    ['IBAN: DE89370400440532013000', IBAN],
    ['DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000', IBAN],
    ['\u200eDE89\u200b370400440532013000', IBAN],
    [POLISH, `PL${POLISH}`],
  ])('reads %j as the account %s', (printed, iban) => {
    expect(stored(printed)).toMatchObject({ iban });
  });

  test.each(['DE00370400440532013000', '12345678', 'by cheque'])('keeps %s as a text alone', (printed) => {
    const account = stored(printed);
    expect(account).toMatchObject({ raw: printed });
    expect(account).not.toHaveProperty('iban');
  });
});
