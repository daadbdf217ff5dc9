import { severityRank } from '../explanation/catalogue.js';
import type { Finding } from '../explanation/evidence.js';
import type { Candidate, Suspicion } from '../facts/invoice.js';

/** Finding types that report an amount far above or below the supplier's usual amounts. */
const AMOUNT_TYPES: ReadonlySet<string> = new Set(['AMOUNT_OUTLIER', 'AMOUNT_MAGNITUDE_SHIFT']);

/** Finding types that report that a supply was billed twice. */
const DUPLICATE_TYPES: ReadonlySet<string> = new Set([
  'DUPLICATE_INVOICE',
  'SUSPECTED_DUPLICATE',
  'DUPLICATE_ACROSS_SUPPLIERS',
  'CROSS_COMPANY_DUPLICATE',
  'DUPLICATE_DOCUMENT',
  'SPLIT_DUPLICATE',
]);

/**
 * Checks whether the confirmation of a finding of the given type means fraud. It does for findings about bank accounts,
 * lookalike suppliers and documents.
 */
export function isSignOfFraud({ type, family }: Pick<Finding, 'type' | 'family'>): boolean {
  // The finding type is compared as a string, so that the rule also covers types that are added to the catalogue later.
  const name: string = type;
  return (
    family === 'BANK' ||
    name === 'SUPPLIER_LOOKALIKE_NAME' ||
    name === 'KSEF_CONTENT_DIFFERS' ||
    name.startsWith('DOCUMENT_')
  );
}

/**
 * Checks whether a decision reported that none of the supplier's invoices are received through KSeF. This fact about a
 * supplier is reported only once.
 */
export function toldOutsideKsef(findings: readonly Pick<Finding, 'type' | 'severity'>[]): { toldOutsideKsef?: true } {
  const isTold = findings.some(({ type, severity }) => type === 'KSEF_INVOICE_MISSING' && severity === 'INFO');
  return isTold ? { toldOutsideKsef: true } : {};
}

export function isSignOfDuplicate({ type }: Pick<Finding, 'type'>): boolean {
  return DUPLICATE_TYPES.has(type);
}

export function isSignOfWrongAmount({ type }: Pick<Finding, 'type'>): boolean {
  return AMOUNT_TYPES.has(type);
}

/**
 * Checks whether a finding of the given type raises doubts that a bill really comes from the supplier that it names.
 */
export function isSignOfOtherParty({ type }: Pick<Finding, 'type'>): boolean {
  return (
    type === 'SUPPLIER_LOOKALIKE_NAME' || type === 'SUPPLIER_TAX_ID_CHANGED' || type === 'SUPPLIER_TAX_ID_FIRST_USE'
  );
}

/**
 * Returns what a bill is suspected of, according to its findings that people have neither dismissed nor accepted.
 * Findings of severity MEDIUM and above count, because they send a bill to review. Findings about an amount count only
 * from HIGH, because a HIGH finding is raised again until a person reviews it. Findings about the identity of the
 * supplier count at any severity. The result determines which parts of the bill enter the supplier profile (detection
 * reference, section 6).
 */
export function suspectedAs(findings: readonly Pick<Finding, 'type' | 'family' | 'severity'>[]): Suspicion | undefined {
  const grave = findings.filter(({ severity }) => severityRank(severity) >= severityRank('MEDIUM'));
  if (grave.some(isSignOfDuplicate)) return 'DUPLICATE';
  const isWrongAmount = grave.some(
    (finding) => isSignOfWrongAmount(finding) && severityRank(finding.severity) >= severityRank('HIGH'),
  );
  // A finding about the identity of the supplier counts even below MEDIUM. Its severity is low only because an earlier
  // row of the history scan raised a finding about the same doubt. A tax id that is stated for the first time is
  // reported, but raises no doubt without further signs.
  const hasOtherParty =
    grave.some(isSignOfOtherParty) ||
    findings.some((finding) => isSignOfOtherParty(finding) && finding.type !== 'SUPPLIER_TAX_ID_FIRST_USE');
  if (hasOtherParty) return isWrongAmount ? 'IDENTITY_AMOUNT' : 'IDENTITY';
  if (grave.some(isSignOfFraud)) return isWrongAmount ? 'FRAUD_AMOUNT' : 'FRAUD';
  return isWrongAmount ? 'AMOUNT' : undefined;
}

/** Checks whether the amount of a bill is waiting for a review, alone or together with other findings. */
export function isAmountInDoubt(suspicion: Suspicion | undefined): boolean {
  return suspicion === 'AMOUNT' || suspicion === 'FRAUD_AMOUNT' || suspicion === 'IDENTITY_AMOUNT';
}

/**
 * Checks whether an earlier record shows how its supplier bills. A suspected copy does not show this, and neither does
 * a record that a person confirmed as a copy, as fraud or as a bill with the number of another bill.
 */
export function showsHabit({ suspectedAs: suspicion, confirmedAs }: Candidate): boolean {
  return suspicion !== 'DUPLICATE' && confirmedAs === undefined;
}
