import { describe, expect, test } from 'vitest';
import { AnalyzeRowsRequest } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { FieldFaults } from '@invoicecontrol/errors';
import { readScanRow, readWireRow } from './scan-row.js';
import { fullInvoice, fullRow } from './testing/invoices.js';
import { wireInvoice } from './testing/wire-invoice.js';
import { readWire, toWire } from './wire.js';

function pathsOf(row: object): string[] {
  const faults = new FieldFaults();
  readScanRow(row, 0, { faults, path: 'rows[0]' });
  return faults.count === 0 ? [] : faults.refusal().details.map(({ path }) => path);
}

function read(row: object) {
  const faults = new FieldFaults();
  const wire = readScanRow(row, 3, { faults });
  faults.throwIfAny();
  return wire;
}

describe('a row of a scan', () => {
  test('becomes the canonical invoice that it states', () => {
    const { due_date, net_amount, tax_amount, buyer, company_id, ...stated } = fullInvoice;
    const [row] = AnalyzeRowsRequest.decode(
      AnalyzeRowsRequest.encode(AnalyzeRowsRequest.create({ rows: [read(fullRow)] })).finish(),
    ).rows;
    expect(row).toMatchObject({ position: 3, sourceRowNumber: 2, externalId: 'erp-1' });
    expect(readWire(row?.invoice)).toEqual(stated);
  });

  test('with its required fields alone has no account and no currency', () => {
    const { supplierName, invoiceNumber, issueDate, grossAmount, sourceRowNumber } = fullRow;
    const { invoice } = read({ supplierName, invoiceNumber, issueDate, grossAmount, sourceRowNumber });
    expect(invoice?.supplier?.bankAccount).toBeUndefined();
    expect(invoice?.currency).toBe('');
  });

  test('drops half of a UK account, also next to an IBAN', () => {
    const { bankSortCode, ...row } = fullRow;
    expect(read(row).invoice?.supplier?.bankAccount).toEqual(
      toWire({ supplier: { name: '', bank_account: { iban: fullRow.bankIban } } }).supplier?.bankAccount,
    );
  });

  test('is refused with every fault at once', () => {
    const row = {
      ...fullRow,
      supplierName: ' ',
      bankAccountNumber: 'x',
      issueDate: 'x',
      currency: 'XXX',
      rowNumber: 1,
      sourceRowNumber: 1.5,
    };
    expect(pathsOf(row)).toEqual(
      ['supplierName', 'bankAccountNumber', 'issueDate', 'sourceRowNumber', 'rowNumber', 'currency'].map(
        (name) => `rows[0].${name}`,
      ),
    );
  });

  test('is refused with an IBAN next to another UK account', () => {
    expect(pathsOf({ ...fullRow, bankAccountNumber: '31926818' })).toEqual(['rows[0].bankIban']);
  });
});

describe('a row of another service', () => {
  const row = { position: 0, sourceRowNumber: 2, externalId: undefined, invoice: wireInvoice() };
  const faultsOf = (changes: object): string[] => {
    const faults = new FieldFaults();
    readWireRow({ ...row, ...changes }, 7, faults);
    return faults.count === 0 ? [] : faults.refusal().details.map(({ path }) => path);
  };

  test('is given its position, and its external id as it is stored', () => {
    const read = readWireRow({ ...row, externalId: ' a ' }, 7, new FieldFaults());
    expect(read).toEqual({ ...row, position: 7, externalId: 'a' });
  });

  test('may be without a currency, and has the shorter texts of a row', () => {
    expect(faultsOf({ invoice: wireInvoice({ currency: '' }) })).toEqual([]);
    expect(faultsOf({ invoice: wireInvoice({ invoiceNumber: 'x'.repeat(201) }) })).toEqual(['rows[7].invoice_number']);
    expect(faultsOf({ invoice: wireInvoice({ invoiceNumber: 'x'.repeat(200) }) })).toEqual([]);
  });

  test('is refused with every fault at once', () => {
    expect(faultsOf({ externalId: '', invoice: wireInvoice({ issueDate: 'x', grossAmount: 'x' }) })).toEqual([
      'rows[7].issue_date',
      'rows[7].gross_amount',
      'rows[7].externalId',
    ]);
    expect(faultsOf({ invoice: undefined })).toEqual(['rows[7]']);
  });
});
