import type { Confirmed, ConfirmationCheck, SealTrust } from '@invoicecontrol/compliance/ksef-confirmation';

/** Checks confirmations of KSeF away from this process. */
export interface ConfirmationChecker {
  /** @throws DomainError unprocessable for one that takes too long or too much, unavailable when too many wait */
  checkConfirmation(request: {
    /** Organizations take turns while documents wait. */
    readonly organizationId: string;
    readonly xml: Uint8Array;
    readonly confirmed: Confirmed;
    readonly trust: SealTrust;
  }): Promise<ConfirmationCheck>;
}
