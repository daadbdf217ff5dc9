/** Reasons for which a payment file is refused: it is too large, or the sender must change its content. */
export type RefusalReason = 'TOO_LARGE' | 'INVALID';

/**
 * Error of a payment file that is refused. The message is a sentence for the sender that states what is wrong and what
 * to change.
 */
export class PaymentFileRefused extends Error {
  override readonly name = 'PaymentFileRefused';
  readonly reason: RefusalReason;
  /**
   * Path of the element of the payment file that is at fault, such as `CstmrCdtTrfInitn/PmtInf[2]/CdtTrfTxInf[7]/Amt`,
   * or an empty text if no single element is at fault.
   */
  readonly place: string;

  constructor(reason: RefusalReason, place: string, message: string) {
    super(message);
    this.reason = reason;
    this.place = place;
  }
}

/** Creates the refusal of a payment file whose content the sender must change. */
export function refusal(place: string, message: string): PaymentFileRefused {
  return new PaymentFileRefused('INVALID', place, message);
}
