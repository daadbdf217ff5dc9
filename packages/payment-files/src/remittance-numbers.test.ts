import fc from 'fast-check';
import { expect, test } from 'vitest';
import { numbersOfRemittance } from './remittance-numbers.js';

test.each([
  ['Rechnung 2026-00417 vom 02.11.2026, Kd-Nr 40071', ['2026-00417', '40071']],
  ['Faktura nr 7/2026', ['7/2026']],
  ['FV 118/11/2026', ['118/11/2026']],
  ['AB 1042', ['AB 1042', '1042']],
  ['INV-2026/118; INV-2026/119', ['INV-2026/118', 'INV-2026/118 INV-2026/119', 'INV-2026/119']],
  ['Inv:20611', ['20611']],
  ['Facture n° FA20261187 du 12/11/2026', ['FA20261187']],
  ['RE 88123, 88130', ['88123', '88123 88130', '88130']],
  ['RE 2026 0041', ['2026', '2026 0041', '0041']],
  ['thank you', []],
  ['', []],
  ['1.234,56 EUR', []],
  ['Bills 881,882', ['881', '881 882', '882']],
  ['DE89370400440532013000', []],
  ['9990000046-20261105-0A1B2C3D4E5F-7A', ['9990000046-20261105-0A1B2C3D4E5F-7A']],
])('finds in "%s" what may be numbers', (text, invoiceNumbers) => {
  expect(numbersOfRemittance(text)).toEqual({ invoiceNumbers });
});

test.each([
  [
    '/VAT/2300,00/IDC/9990000023/INV/FV 118/11/2026/TXT/druk katalogów',
    { vat: '2300.00', taxId: '9990000023', invoiceNumber: 'FV 118/11/2026', text: 'druk katalogów' },
  ],
  ['/VAT/0,23/IDC/9990000023/INV/12', { vat: '0.23', taxId: '9990000023', invoiceNumber: '12', text: '' }],
  [
    '/vat/23/idc/PL 999-000-00-23/inv/A\n/1/2026/txt/',
    { vat: '23', taxId: 'PL999-000-00-23', invoiceNumber: 'A/1/2026', text: '' },
  ],
])('reads the title of the split payment %s', (text, splitPayment) => {
  const read = numbersOfRemittance(text);
  expect(read.splitPayment).toEqual(splitPayment);
  expect(read.invoiceNumbers[0]).toBe(splitPayment.invoiceNumber);
});

test.each([
  '/VAT/a lot/IDC/9990000023/INV/1/TXT/',
  '/IDC/9990000023/VAT/1,00/INV/1',
  '/VAT/1,00/IDC/9990000023/TXT/no number',
  '/VAT/1,00/IDC/9990000023/INV//TXT/x',
])('does not take "%s" for a split payment', (text) => {
  expect(numbersOfRemittance(text)).not.toHaveProperty('splitPayment');
});

test('no text makes it throw or give long or many numbers, and each number is in the text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('/', 'VAT', 'IDC', 'INV', 'TXT', '1', ',', ' ', 'a', '.', 'RE', '\n', ':')),
      (parts) => {
        const { invoiceNumbers } = numbersOfRemittance(parts.join(''));
        expect(invoiceNumbers.length).toBeLessThanOrEqual(100);
        for (const number of invoiceNumbers) expect(number.length).toBeLessThanOrEqual(60);
      },
    ),
  );
  const start = process.cpuUsage();
  numbersOfRemittance('1 '.repeat(5_000_000));
  expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
});
