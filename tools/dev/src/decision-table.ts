// Formats the table of decisions that `npm start` prints.
import { styleText } from 'node:util';
import type { Schemas } from '@invoicecontrol/client';

const colours = {
  PASS: 'green',
  REVIEW: 'yellow',
  BLOCK: 'red',
  PAY: 'green',
  UNKNOWN: 'yellow',
  HOLD: 'red',
} as const;

/** A row of the table of decisions on invoices, without its decision. */
export type Named = readonly [about: string, number: string, supplier: string, amount: string];

export function nameRow(about: string, invoice: Schemas['StoredInvoice']['invoice'] | Schemas['Invoice']): Named {
  const { invoice_number = '', supplier, gross_amount = '', currency = '' } = invoice;
  return [about, invoice_number, supplier?.name ?? '', `${gross_amount} ${currency}`];
}

/**
 * Returns the rows of the table of decisions as aligned text. Numbers are aligned to the right, and decisions are
 * coloured on a terminal.
 */
export function table(rows: readonly string[][]): string[] {
  const isRight = (column: number): boolean => column === 3 || column === 5;
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row, index) =>
    row
      .map((cell, column) => {
        const width = column === row.length - 1 ? 0 : (widths[column] ?? 0);
        const padded = isRight(column) ? cell.padStart(width) : cell.padEnd(width);
        if (index === 0) return paint('dim', padded);
        return cell in colours ? paint(colours[cell as keyof typeof colours], padded) : padded;
      })
      .join('  ')
      .trimEnd(),
  );
}

function paint(style: 'dim' | 'green' | 'yellow' | 'red', text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text;
}
