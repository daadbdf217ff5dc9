/** Finding types as data. Severities and confidences stand in the policy, rules in the detectors. */

export const severities = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type Severity = (typeof severities)[number];

/** Findings of one family describe one problem from several sides; the score counts the strongest in full. */
export type Family = 'DUP' | 'BANK' | 'SUP' | 'AMT' | 'TAX' | 'DATE' | 'NUM' | 'PO' | 'CUR' | 'BUY' | 'DOC' | 'SCAN';

export interface FindingKind {
  readonly family: Family;
  /** What to do, with `{name}` standing for a value the detector supplies; null when there is nothing to do. */
  readonly recommendedAction: string | null;
}

export const catalogue = {
  DUPLICATE_INVOICE: {
    family: 'DUP',
    recommendedAction:
      'Do not pay. Confirm with {supplier} that {number} was already received on {date}; void this record.',
  },
  SUSPECTED_DUPLICATE: {
    family: 'DUP',
    recommendedAction: 'Compare both documents side by side before approving; reject one if they bill the same supply.',
  },
  DUPLICATE_ACROSS_SUPPLIERS: {
    family: 'DUP',
    recommendedAction: 'Check whether the two supplier records are one vendor; pay only one and merge the records.',
  },
  CROSS_COMPANY_DUPLICATE: {
    family: 'DUP',
    recommendedAction: 'Establish which company is the recipient; reject in the other.',
  },
  DUPLICATE_DOCUMENT: {
    family: 'DUP',
    recommendedAction: 'The identical file was processed before; discard this upload.',
  },
  SPLIT_DUPLICATE: {
    family: 'DUP',
    recommendedAction: 'The parts add up to {number}; pay either the whole or the parts.',
  },
  INVOICE_NUMBER_REUSED: {
    family: 'DUP',
    recommendedAction: 'Ask the supplier whether this corrects or replaces the earlier invoice with the same number.',
  },
  CREDIT_NOTE_UNMATCHED: {
    family: 'DUP',
    recommendedAction: 'Allocate the credit note to an invoice before the next payment run.',
  },
  BANK_ACCOUNT_BLOCKLISTED: {
    family: 'BANK',
    recommendedAction:
      'Stop payment and inform the security officer; this account was confirmed as fraudulent on {date}.',
  },
  BANK_ACCOUNT_CHANGED: {
    family: 'BANK',
    recommendedAction: 'Verify the change by calling a known contact; do not reply to the e-mail that announced it.',
  },
  BANK_ACCOUNT_NEAR_MATCH: {
    family: 'BANK',
    recommendedAction: 'Likely misread or forged digit; take the account from the vendor master.',
  },
  BANK_ACCOUNT_REVERTED: {
    family: 'BANK',
    recommendedAction: 'Review what was paid to the intermediate account and who changed it.',
  },
  BANK_ACCOUNT_SHARED: {
    family: 'BANK',
    recommendedAction:
      'Find out why two suppliers use one account; fake supplier and supplier takeover look like this.',
  },
  BANK_ACCOUNT_INVALID: {
    family: 'BANK',
    recommendedAction: 'Ask for the correct account; a payment would be returned or misdirected.',
  },
  BANK_COUNTRY_MISMATCH: {
    family: 'BANK',
    recommendedAction: 'Confirm that the supplier banks in {country}.',
  },
  BANK_ACCOUNT_FIRST_USE: {
    family: 'BANK',
    recommendedAction: 'Verify the account once before the first payment.',
  },
  BANK_ACCOUNT_MISSING: {
    family: 'BANK',
    recommendedAction: 'Pay only to the account in the vendor master.',
  },
} as const satisfies Record<string, FindingKind>;

export type FindingType = keyof typeof catalogue;

/** Orders severities: INFO is 0, CRITICAL is 4. */
export function severityRank(severity: Severity): number {
  return severities.indexOf(severity);
}
