import type { Finding } from '../../client.js';
import type { Decision } from './queries.js';

/** A decision before which a dialog asks the person. */
export type Asked = 'ACCEPTED_RISK' | 'CONFIRMED';

/**
 * The types of findings that are signs of fraud. If such a finding names a bank account, confirming the finding blocks
 * the account.
 */
const SIGNS_OF_FRAUD = /^(?:BANK_|DOCUMENT_|PAYEE_DIFFERS$|SUPPLIER_LOOKALIKE_NAME$|KSEF_CONTENT_DIFFERS$)/;
/**
 * A finding of this type reports that the invoice states no bank account, so confirming the finding blocks no account.
 */
const WITHOUT_ACCOUNT = 'BANK_ACCOUNT_MISSING';

/**
 * Returns the given decision if a dialog must ask the person before the decision is sent; otherwise returns undefined.
 * The dialog asks for the note of an accepted risk. It also asks before a confirmed fraud blocks an account in all
 * companies, because the block is not undone lightly.
 */
export function asksFirst(decision: Decision, { type }: Pick<Finding, 'type'>): Asked | undefined {
  if (decision === 'ACCEPTED_RISK') return decision;
  const blocks = SIGNS_OF_FRAUD.test(type) && type !== WITHOUT_ACCOUNT;
  return decision === 'CONFIRMED' && blocks ? decision : undefined;
}
