import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSplitPayment } from './split-payment.js';

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
  expect(readSplitPayment(text)).toEqual(splitPayment);
});

test.each([
  '/VAT/a lot/IDC/9990000023/INV/1/TXT/',
  '/IDC/9990000023/VAT/1,00/INV/1',
  '/VAT/1,00/IDC/9990000023/TXT/no number',
  '/VAT/1,00/IDC/9990000023/INV//TXT/x',
])('does not take "%s" for a split payment', (text) => {
  expect(readSplitPayment(text)).toBeUndefined();
});

test('no text makes it throw or takes long, and what it returns stands in the text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('/', 'VAT', 'IDC', 'INV', 'TXT', '1', ',', ' ', 'a', '.', 'RE', '\n', ':')),
      (parts) => {
        const text = parts.join('');
        const read = readSplitPayment(text);
        if (read !== undefined) expect(text.replaceAll('\n', '')).toContain(read.invoiceNumber);
      },
    ),
  );
  const start = process.cpuUsage();
  readSplitPayment('1 '.repeat(5_000_000));
  expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
});
