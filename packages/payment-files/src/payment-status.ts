/** States that a bank's report can name for a payment (ISO 20022 ExternalPaymentTransactionStatus). */
export const paymentStatuses = [
  'ACTC',
  'ACCP',
  'ACSP',
  'ACSC',
  'ACWC',
  'ACCC',
  'PDNG',
  'PART',
  'RJCT',
  'CANC',
] as const;

export type PaymentStatus = (typeof paymentStatuses)[number];

/** Codes by which the bank of the payee states whether the name of the payee matches: RCVC, RVMC, RVNM and RVNA. */
export type NameResult = 'MATCH' | 'CLOSE_MATCH' | 'NO_MATCH' | 'NOT_POSSIBLE';

/**
 * Returns the payment status that the code in a bank's report means, or undefined for a code that the product does not
 * use.
 */
export function paymentStatusOf(code: string): PaymentStatus | undefined {
  return paymentStatuses.find((status) => status === code);
}

const nameResults: Readonly<Record<string, NameResult>> = {
  RCVC: 'MATCH',
  RVMC: 'CLOSE_MATCH',
  RVNM: 'NO_MATCH',
  RVNA: 'NOT_POSSIBLE',
};

export function nameResultOf(code: string): NameResult | undefined {
  return Object.hasOwn(nameResults, code) ? nameResults[code] : undefined;
}
