import { evidenceKey, subject } from './subject.js';
import type { Subject } from './subject.js';
import type { MasterAccount } from '../facts/erp-facts.js';

/**
 * Returns the subjects of the finding that a vendor's bank accounts were changed: the vendor and the new accounts.
 * @param againAt time of this change, if an earlier change to the same accounts was confirmed; the time is a further
 *   subject, so that this change is reviewed as a separate case
 */
export function accountChangeSubjects(
  vendorId: string,
  accounts: readonly MasterAccount[],
  againAt?: string,
): (Subject | string)[] {
  return [vendorId, ...accounts.map(({ key }) => subject.account(key)), ...(againAt === undefined ? [] : [againAt])];
}

/**
 * Returns the evidence key for the finding that a vendor's accounts were changed. A review of the change is looked up
 * by this key.
 */
export function accountChangeKey(vendorId: string, accounts: readonly MasterAccount[], againAt?: string): string {
  return evidenceKey('VENDOR_MASTER_BANK_CHANGED', accountChangeSubjects(vendorId, accounts, againAt));
}
