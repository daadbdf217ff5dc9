import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Verification } from '../domain/verification.js';

/** Period of time in which bank accounts were verified. The end of the period is not included. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** Stores verifications of bank accounts. The contact in a verification is encrypted. */
export interface VerificationStore {
  insert(verification: Verification, events: readonly Announcement[]): Promise<void>;
  find(organizationId: string, verificationId: string): Promise<Verification | undefined>;
  /**
   * Stores a changed verification of a bank account if it has not changed since its version was read.
   * @throws VersionConflict
   */
  save(verification: Verification, events: readonly Announcement[]): Promise<Verification>;
  /** Lists the verifications of suppliers' bank accounts, newest first. */
  ofSuppliers(organizationId: string, supplierIds: readonly string[]): Promise<readonly Verification[]>;
  /**
   * Returns the ids of suppliers, ordered by id, if a verification of one of their bank accounts was recorded or
   * confirmed in the given period.
   */
  suppliersVerified(organizationId: string, period: Period, afterId: string, limit: number): Promise<readonly string[]>;
}
