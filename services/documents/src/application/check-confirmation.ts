import type { Confirmed, ConfirmationCheck, SealTrust } from '@invoicecontrol/compliance/ksef-confirmation';

/** Checks KSeF confirmations in separate processes. */
export interface ConfirmationChecker {
  /**
   * Checks the seal and content of a KSeF confirmation.
   * @throws DomainError unprocessable if it takes too much time or memory, unavailable if too many documents are
   * waiting
   */
  checkConfirmation(request: {
    /**
     * Organization that owns the KSeF confirmation. Waiting documents of the organization with the fewest documents in
     * progress are processed first.
     */
    readonly organizationId: string;
    readonly xml: Uint8Array;
    readonly confirmed: Confirmed;
    readonly trust: SealTrust;
  }): Promise<ConfirmationCheck>;
}
