import { evidenceKey, subject } from './subject.js';
import type { Subject } from './subject.js';
import type { MasterAccount } from '../facts/erp-facts.js';

/**
 * What the finding is about that a vendor got these accounts.
 * @param againAt when it got them once more, after a change to them was confirmed: a case of its own
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
