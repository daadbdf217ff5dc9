import type { Finding } from '../../client.js';
import type { Decision } from './queries.js';

/** A decision that asks first. */
export type Asked = 'ACCEPTED_RISK' | 'CONFIRMED';

/** The types of findings that are signs of fraud. If one names an account, its confirmation blocks the account. */
const SIGNS_OF_FRAUD = /^(?:BANK_|DOCUMENT_|PAYEE_DIFFERS$|SUPPLIER_LOOKALIKE_NAME$|KSEF_CONTENT_DIFFERS$)/;
/** A finding of this type says that there is no account, so it cannot block one. */
const WITHOUT_ACCOUNT = 'BANK_ACCOUNT_MISSING';

/**
 * Returns the dialog that a decision on a finding asks first, if any: for the note of an accepted risk, or because the
 * confirmation of fraud blocks the account in all companies, which is not undone lightly.
 */
export function asksFirst(decision: Decision, { type }: Pick<Finding, 'type'>): Asked | undefined {
  if (decision === 'ACCEPTED_RISK') return decision;
  const blocks = SIGNS_OF_FRAUD.test(type) && type !== WITHOUT_ACCOUNT;
  return decision === 'CONFIRMED' && blocks ? decision : undefined;
}
