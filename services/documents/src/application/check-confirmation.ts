import type { Confirmed, ConfirmationCheck, SealTrust } from '@invoicecontrol/compliance/ksef-confirmation';

/** Checks KSeF confirmations in separate processes. */
export interface ConfirmationChecker {
  /**
   * Checks a confirmation.
   * @throws DomainError unprocessable if it takes too much time or memory, unavailable when too many documents wait
   */
  checkConfirmation(request: {
    /** Organization of the confirmation. Organizations take turns while documents wait. */
    readonly organizationId: string;
    readonly xml: Uint8Array;
    readonly confirmed: Confirmed;
    readonly trust: SealTrust;
  }): Promise<ConfirmationCheck>;
}
