import { evidenceKey, subject } from './subject.js';
import type { Subject } from './subject.js';
import type { MasterAccount } from '../facts/erp-facts.js';

/**
 * Subjects of the finding that the accounts of a vendor were changed to these.
 * @param againAt time of a further change to the same accounts, after an earlier one was confirmed: a case of its own
 */
export function accountChangeSubjects(
  vendorId: string,
  accounts: readonly MasterAccount[],
  againAt?: string,
): (Subject | string)[] {
  return [vendorId, ...accounts.map(({ key }) => subject.account(key)), ...(againAt === undefined ? [] : [againAt])];
}

/** The evidence key of that finding: by it a review of the change is found. */
export function accountChangeKey(vendorId: string, accounts: readonly MasterAccount[], againAt?: string): string {
  return evidenceKey('VENDOR_MASTER_BANK_CHANGED', accountChangeSubjects(vendorId, accounts, againAt));
}
