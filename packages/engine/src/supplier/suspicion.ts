import { severityRank } from '../explanation/catalogue.js';
import type { Finding } from '../explanation/evidence.js';
import type { Suspicion } from '../facts/invoice.js';

/** Findings that say that one supply was billed twice. */
const DUPLICATE_TYPES: ReadonlySet<string> = new Set([
  'DUPLICATE_INVOICE',
  'SUSPECTED_DUPLICATE',
  'DUPLICATE_ACROSS_SUPPLIERS',
  'CROSS_COMPANY_DUPLICATE',
  'DUPLICATE_DOCUMENT',
  'SPLIT_DUPLICATE',
]);

/** Findings whose confirmation means an attempt to divert money: bank, lookalike and document findings. */
export function isSignOfFraud({ type, family }: Pick<Finding, 'type' | 'family'>): boolean {
  // Compared as text, so that the rule also covers types that are added to the catalogue.
  const name: string = type;
  return family === 'BANK' || name === 'SUPPLIER_LOOKALIKE_NAME' || name.startsWith('DOCUMENT_');
}

export function isSignOfDuplicate({ type }: Pick<Finding, 'type'>): boolean {
  return DUPLICATE_TYPES.has(type);
}

/**
 * What a bill is suspected of, by its findings that people have neither dismissed nor accepted: those of MEDIUM and more,
 * which send a bill to review. It decides what the bill teaches (detection reference, section 6).
 */
export function suspectedAs(findings: readonly Pick<Finding, 'type' | 'family' | 'severity'>[]): Suspicion | undefined {
  const grave = findings.filter(({ severity }) => severityRank(severity) >= severityRank('MEDIUM'));
  if (grave.some(isSignOfDuplicate)) return 'DUPLICATE';
  return grave.some(isSignOfFraud) ? 'FRAUD' : undefined;
}
