// Posts the demonstration invoices as an integrator would and prints what came of them.
import { styleText } from 'node:util';
import { createClient } from '@invoicecontrol/client';
import type { Schemas } from '@invoicecontrol/client';
import { copyToTry, demonstrationInvoices } from './demonstration-invoices.js';

const colours = { PASS: 'green', REVIEW: 'yellow', BLOCK: 'red' } as const;

/**
 * Analyzes the demonstration invoices. Each has its own key, so a second start shows the first answers again.
 * @returns an invoice for people to try, which repeats one of them, and how many events of a webhook they make
 */
export async function demonstrate(
  baseUrl: string,
  apiKey: string,
  print: (line: string) => void,
): Promise<{ toTry: Schemas['Invoice']; events: number }> {
  const api = createClient({ baseUrl, apiKey });
  let events = 0;
  const rows: string[][] = [['', 'number', 'supplier', 'amount', 'decision', 'score', 'findings']];
  // Every start tells the same story by the day on which the organization was created.
  const since = new Date((await api.get('/organizations/current')).data.createdAt);
  for (const [index, { about, invoice }] of demonstrationInvoices(since).entries()) {
    const { data } = await api.post('/invoices', { body: invoice, idempotencyKey: `demonstration-${index + 1}` });
    events += 1 + data.findings.length;
    rows.push([
      about,
      invoice.invoice_number,
      invoice.supplier.name,
      `${invoice.gross_amount} ${invoice.currency}`,
      data.decision,
      String(data.risk_score),
      data.findings.map(({ type, severity }) => `${type} (${severity})`).join(', ') || '-',
    ]);
  }
  for (const line of table(rows)) print(line);
  return { toTry: copyToTry(since), events };
}

/** Rows as aligned text; numbers to the right, decisions coloured on a terminal. */
function table(rows: readonly string[][]): string[] {
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
