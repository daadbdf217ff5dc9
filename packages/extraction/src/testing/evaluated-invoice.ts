import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnCompany } from '../reading.js';
import { printInvoice, readPrintedInvoices } from './printed-invoice.js';

/**
 * An invoice with its true values, for measuring how well invoices are read. `evaluation/README.md` describes the sets.
 */
export interface EvaluatedInvoice {
  readonly name: string;
  /** True values of the invoice fields, by the names that the files in `evaluation/` use. */
  readonly truth: Readonly<Record<string, string>>;
  readonly companies: readonly OwnCompany[];
  pdf(): Promise<Uint8Array>;
}

/**
 * Sets of test invoices in `evaluation/`: texts that this package prints as PDFs, and folders of PDFs made by other
 * programs.
 */
export const evaluationSets = ['first-set.txt', 'second-set.txt', 'third-set', 'fourth-set'] as const;

/** Returns all invoices of an evaluation set. Such a set is used to measure how well documents are read. */
export function readEvaluationSet(set: string): readonly EvaluatedInvoice[] {
  if (!set.endsWith('.txt')) return readFolder(set);
  return readPrintedInvoices(set).map((invoice) => ({ ...invoice, pdf: () => printInvoice(invoice) }));
}

/**
 * Description of a PDF in a folder of an evaluation set. The description is in the file with the same name and the
 * ending `.json`.
 */
interface Description {
  readonly country: string;
  readonly company: { readonly name: string; readonly tax_ids: readonly string[] };
  readonly expected: Readonly<Record<string, string>>;
}

/** Field names in the evaluation files that differ from the names under which the fields are read. */
const names: Readonly<Record<string, string>> = { due_date: 'due', supplier_name: 'supplier' };

function readFolder(set: string): readonly EvaluatedInvoice[] {
  const folder = join(import.meta.dirname, '..', '..', 'evaluation', set);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => {
      const { company, country, expected } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Description;
      const [taxId = null] = company.tax_ids;
      const name = file.slice(0, -'.json'.length);
      return {
        name,
        truth: Object.fromEntries(Object.entries(expected).map(([field, value]) => [names[field] ?? field, value])),
        companies: [{ name: company.name, taxId, country }],
        pdf: async () => readFileSync(join(folder, `${name}.pdf`)),
      };
    });
}
