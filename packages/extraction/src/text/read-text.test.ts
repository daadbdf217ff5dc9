import { describe, expect, test } from 'vitest';
import type { FieldPath, OwnCompany } from '../reading.js';
import { layoutPage } from './layout.js';
import type { TextPage } from './layout.js';
import { readText } from './read-text.js';
import type { TextReading } from './read-text.js';

const LINE_HEIGHT = 16;
const COLUMN_WIDTH = 160;
const LETTER_WIDTH = 5;

/** Makes a page from lines of text. A line is a list of cells, separated by `|`. */
function pageOf(lines: readonly string[]): TextPage {
  const runs = lines.flatMap((line, row) =>
    line.split('|').map((cell, column) => ({
      text: cell.trim(),
      left: 50 + column * COLUMN_WIDTH,
      right: 50 + column * COLUMN_WIDTH + LETTER_WIDTH * cell.trim().length,
      top: 40 + row * LINE_HEIGHT,
      bottom: 50 + row * LINE_HEIGHT,
      size: 10,
      confidence: 1,
    })),
  );
  return layoutPage(runs, { index: 0, number: 1, width: 595, height: 842 });
}

function read(lines: readonly string[], companies: readonly OwnCompany[] = []): TextReading {
  return readText([pageOf(lines)], { companies, sourceFactor: 0.98, today: '2026-11-29' });
}

function valueOf(lines: readonly string[], path: FieldPath): string | undefined {
  return read(lines).fields[path]?.value;
}

const head = ['Ashdown Tools Ltd', '12 Mill Lane, Bristol BS1 4ST', 'VAT Reg No: GB 220 4302 31', '', 'INVOICE'];
const dated = ['Invoice No: | AT-2024-117', 'Invoice date: | 14 March 2024', ''];

function withTotals(...totals: readonly string[]): string[] {
  return [...head, ...dated, 'Hand saw | 2 | 100.00', ...totals];
}

describe('the total', () => {
  test.each([
    ['Amount due | | £620.00'],
    ['Total due | | £620.00'],
    ['Balance due | | £620.00'],
    ['Please pay | | £620.00'],
  ])('is the labelled sum of net and tax, not what an old balance makes of it: %s', (due) => {
    const lines = withTotals(
      'Subtotal | | £100.00',
      'VAT 20% | | £20.00',
      'Total | | £120.00',
      'Previous balance | | £500.00',
      due,
    );
    expect(valueOf(lines, 'gross_amount')).toBe('120.00');
    expect(valueOf(lines, 'net_amount')).toBe('100.00');
    expect(valueOf(lines, 'tax_amount')).toBe('20.00');
  });

  test('stays the whole sum when a part was paid in advance', () => {
    const lines = withTotals(
      'Subtotal | | £100.00',
      'VAT 20% | | £20.00',
      'Total | | £120.00',
      'Deposit | | £50.00',
      'Amount due | | £70.00',
    );
    expect(valueOf(lines, 'gross_amount')).toBe('120.00');
    expect(read(lines).payableAmount).toBe('70.00');
  });

  test('is the sum with tax also where only the amount due shows it', () => {
    const lines = withTotals('Subtotal | | £100.00', 'VAT 20% | | £20.00', 'Amount due | | £120.00');
    expect(valueOf(lines, 'gross_amount')).toBe('120.00');
  });

  test('is not proven by the percentage of a discount or of interest', () => {
    const lines = withTotals(
      'Interest of 1% a month is charged on late payments',
      'Goods | | £1000.00',
      'Carriage | | £10.00',
      'Total | | £1010.00',
    );
    expect(valueOf(lines, 'gross_amount')).toBe('1010.00');
    expect(valueOf(lines, 'net_amount')).toBeUndefined();
    expect(valueOf(lines, 'tax_amount')).toBeUndefined();
  });

  test('leaves out net and tax when the tax is larger than any rate makes it', () => {
    const lines = withTotals('Net | | £20.00', 'Tax | | £100.00', 'Total | | £120.00');
    expect(valueOf(lines, 'net_amount')).toBeUndefined();
    expect(valueOf(lines, 'tax_amount')).toBeUndefined();
  });

  test('is proven by a sales tax of a place, whose rate stands beside it', () => {
    const lines = withTotals('Subtotal | | $200.00', 'Sales tax 8.875% | | $17.75', 'Total | | $217.75');
    expect(valueOf(lines, 'tax_amount')).toBe('17.75');
  });
});
