import { severityRank } from '../explanation/catalogue.js';
import type { Finding } from '../explanation/evidence.js';
import type { Candidate, Suspicion } from '../facts/invoice.js';

/** Findings that say that a bill asks for far more or less than its supplier does. */
const AMOUNT_TYPES: ReadonlySet<string> = new Set(['AMOUNT_OUTLIER', 'AMOUNT_MAGNITUDE_SHIFT']);

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
  return (
    family === 'BANK' ||
    name === 'SUPPLIER_LOOKALIKE_NAME' ||
    name === 'KSEF_CONTENT_DIFFERS' ||
    name.startsWith('DOCUMENT_')
  );
}

/** Tells whether a decision told that no invoice of the supplier comes through KSeF, which is told once. */
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

/** Findings that ask whether a bill is from the party whose name it bears. */
export function isSignOfOtherParty({ type }: Pick<Finding, 'type'>): boolean {
  return type === 'SUPPLIER_LOOKALIKE_NAME' || type === 'SUPPLIER_TAX_ID_CHANGED';
}

/**
 * Suspicion about a bill by its findings that people have neither dismissed nor accepted: those of MEDIUM and more,
 * which send a bill to review, and those about the identity of the supplier. An amount of MEDIUM is asked about once, one of
 * HIGH until it is answered. It decides what the bill teaches (detection reference, section 6).
 */
export function suspectedAs(findings: readonly Pick<Finding, 'type' | 'family' | 'severity'>[]): Suspicion | undefined {
  const grave = findings.filter(({ severity }) => severityRank(severity) >= severityRank('MEDIUM'));
  if (grave.some(isSignOfDuplicate)) return 'DUPLICATE';
  const isWrongAmount = grave.some(
    (finding) => isSignOfWrongAmount(finding) && severityRank(finding.severity) >= severityRank('HIGH'),
  );
  // A finding that is only noted counts too, because it was asked about on an earlier row.
  const hasOtherParty = findings.some(isSignOfOtherParty);
  if (hasOtherParty) return isWrongAmount ? 'IDENTITY_AMOUNT' : 'IDENTITY';
  if (grave.some(isSignOfFraud)) return isWrongAmount ? 'FRAUD_AMOUNT' : 'FRAUD';
  return isWrongAmount ? 'AMOUNT' : undefined;
}

/** Tells whether the amount of a bill waits for a review, alone or with other questions. */
export function isAmountInDoubt(suspicion: Suspicion | undefined): boolean {
  return suspicion === 'AMOUNT' || suspicion === 'FRAUD_AMOUNT' || suspicion === 'IDENTITY_AMOUNT';
}

/**
 * Tells whether an earlier record shows how its supplier bills. One that may be a copy does not, nor does one of which a person has
 * confirmed that its number belongs to another bill.
 */
export function showsHabit({ suspectedAs: suspicion, confirmedAs }: Candidate): boolean {
  return suspicion !== 'DUPLICATE' && confirmedAs === undefined;
}
