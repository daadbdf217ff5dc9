import { expect, test } from 'vitest';
import { mapColumns } from './columns.js';
import { findLayout } from './delimiter.js';
import { readRecords } from './ledger-record.js';

const formOf = (text: string) => {
  const layout = findLayout(text, new Map());
  return { encoding: 'utf-8', ...layout, ...mapColumns(layout.header, new Map()) };
};

test('records below the heading have the cells of their fields and the line on which they begin', () => {
  const text =
    'Ledger of 2025\nSupplier;Invoice number;Date;Gross amount\n\nA GmbH;"R\n1";2.3.2025;1,00\nB;R2;3.3.2025;2,00\n';
  expect(readRecords(text, formOf(text))).toEqual([
    {
      line: 4,
      cells: { supplierName: 'A GmbH', invoiceNumber: 'R 1', issueDate: '2.3.2025', grossAmount: '1,00' },
      repeatsHeading: false,
    },
    {
      line: 6,
      cells: { supplierName: 'B', invoiceNumber: 'R2', issueDate: '3.3.2025', grossAmount: '2,00' },
      repeatsHeading: false,
    },
  ]);
});

test('a text with a quotation mark that is not closed is refused', () => {
  const text = 'Supplier,Invoice number,Date,Gross amount\nA,"R1,2025-03-02,1.00\n';
  expect(() => readRecords(text, formOf(text))).toThrow('The file is not a table');
});
