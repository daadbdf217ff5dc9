// Posts the demonstration invoices as an integrator would and prints what came of them.
import { styleText } from 'node:util';
import { copyToTry, demonstrationInvoices } from './demonstration-invoices.js';

type Decision = 'PASS' | 'REVIEW' | 'BLOCK';

interface Answer {
  readonly decision: Decision;
  readonly risk_score: number;
  readonly findings: readonly { readonly type: string; readonly severity: string }[];
}

const colours = { PASS: 'green', REVIEW: 'yellow', BLOCK: 'red' } as const;

/**
 * Analyzes the demonstration invoices. Each has its own key, so a second start shows the first answers again.
 * @returns an invoice for people to try, which repeats one of them
 */
export async function demonstrate(
  baseUrl: string,
  key: string,
  print: (line: string) => void,
): Promise<Readonly<Record<string, unknown>>> {
  const rows: string[][] = [['', 'number', 'supplier', 'amount', 'decision', 'score', 'findings']];
  const since = await organizationSince(baseUrl, key);
  for (const [index, { about, invoice }] of demonstrationInvoices(since).entries()) {
    const response = await fetch(`${baseUrl}/invoices`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': `demonstration-${index + 1}`,
      },
      body: JSON.stringify(invoice),
    });
    if (response.status !== 202) throw new Error(`The demonstration was refused: ${await response.text()}`);
    const { decision, risk_score: score, findings } = (await response.json()) as Answer;
    const supplier = invoice['supplier'] as { name: string };
    rows.push([
      about,
      String(invoice['invoice_number']),
      supplier.name,
      `${String(invoice['gross_amount'])} ${String(invoice['currency'])}`,
      decision,
      String(score),
      findings.map(({ type, severity }) => `${type} (${severity})`).join(', ') || '-',
    ]);
  }
  for (const line of table(rows)) print(line);
  return copyToTry(since);
}

/** When the organization was created; every start tells the same story by it. */
async function organizationSince(baseUrl: string, key: string): Promise<Date> {
  const response = await fetch(`${baseUrl}/organizations/current`, { headers: { authorization: `Bearer ${key}` } });
  if (!response.ok) throw new Error(`The demonstration cannot begin: ${await response.text()}`);
  const { createdAt } = (await response.json()) as { readonly createdAt: string };
  return new Date(createdAt);
}

/** Rows as aligned text; numbers to the right, decisions coloured where somebody looks. */
function table(rows: readonly string[][]): string[] {
  const isRight = (column: number): boolean => column === 3 || column === 5;
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row, index) =>
    row
      .map((cell, column) => {
        const width = column === row.length - 1 ? 0 : (widths[column] ?? 0);
        const padded = isRight(column) ? cell.padStart(width) : cell.padEnd(width);
        if (index === 0) return paint('dim', padded);
        return cell in colours ? paint(colours[cell as Decision], padded) : padded;
      })
      .join('  ')
      .trimEnd(),
  );
}

function paint(style: 'dim' | 'green' | 'yellow' | 'red', text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text;
}
