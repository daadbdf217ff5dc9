import type { XmlElement } from 'libxml2-wasm';
import type { CorrectedInvoices } from '../reading.js';
import { find, textReader } from './find.js';
import type { Syntax } from './syntax.js';
import { readDate, readReference } from './values.js';

/** Maximum number of corrected invoices that are kept: a collective correction in FA(3) may name 50,000. */
export const CORRECTED_INVOICES_MAX = 1_000;

/** Reads the invoices that a correction names; undefined when the document names none. */
export function readCorrected(root: XmlElement, { corrected, namespaces }: Syntax): CorrectedInvoices | undefined {
  if (corrected === undefined) return undefined;
  const nodes = find(root, corrected.invoices, namespaces);
  if (nodes.length === 0) return undefined;
  const textsOf = textReader([corrected.number, corrected.issueDate, corrected.ksefNumber], namespaces);
  const invoices = nodes.slice(0, CORRECTED_INVOICES_MAX).flatMap((node) => {
    const [number = '', issueDate = '', ksefNumber = ''] = textsOf(node);
    const named = readReference(number);
    if (named === undefined) return [];
    return {
      number: named,
      issueDate: readDate(issueDate)?.value ?? null,
      ksefNumber: readReference(ksefNumber) ?? null,
    };
  });
  return { invoices, total: nodes.length };
}
