import { expect, test } from 'vitest';
import type { FieldReading } from '../reading.js';
import type { TextReading } from '../text/read-text.js';
import { combineReadings } from './combine-readings.js';

function readingOf(values: Readonly<Record<string, readonly [value: string, confidence: number]>>): TextReading {
  const fields = Object.fromEntries(
    Object.entries(values).map(([path, [value, confidence]]): [string, FieldReading] => [
      path,
      { value, raw: value, page: 1, box: null, confidence, method: 'LABEL', xpath: null },
    ]),
  );
  return {
    kind: 'INVOICE',
    fields,
    payableAmount: null,
    currencyCandidates: [],
    invalidIban: null,
    supplierNameCandidates: [],
    isInvoice: true,
  };
}

function amountsOf(first: TextReading, second: TextReading): readonly (string | undefined)[] {
  const { fields } = combineReadings(first, second);
  return [fields.net_amount?.value, fields.tax_amount?.value, fields.gross_amount?.value];
}

test('the amounts come from one reading, the one whose sum comes out', () => {
  const summed = readingOf({ net_amount: ['60.00', 0.8], tax_amount: ['12.00', 0.8], gross_amount: ['72.00', 0.8] });
  const misread = readingOf({ gross_amount: ['12.00', 0.9] });
  expect(amountsOf(summed, misread)).toEqual(['60.00', '12.00', '72.00']);
  expect(amountsOf(misread, summed)).toEqual(['60.00', '12.00', '72.00']);
});

test('two sums are never mixed, and the more certain total decides', () => {
  const right = readingOf({ net_amount: ['60.00', 0.7], tax_amount: ['12.00', 0.7], gross_amount: ['72.00', 0.9] });
  const wrong = readingOf({ net_amount: ['50.00', 0.8], tax_amount: ['10.00', 0.8], gross_amount: ['60.00', 0.8] });
  expect(amountsOf(wrong, right)).toEqual(['60.00', '12.00', '72.00']);
});

test('a total that both read is more certain', () => {
  const [one, other] = [readingOf({ gross_amount: ['72.00', 0.7] }), readingOf({ gross_amount: ['72.00', 0.8] })];
  expect(combineReadings(one, other).fields.gross_amount?.confidence).toBeCloseTo(0.9);
});
