import { notFound } from '@invoicecontrol/errors';
import type { PaymentRun } from '../domain/run.js';
import type { PaymentRunStore } from './payment-run-store.js';

/**
 * Returns the payment run that a caller names.
 * @throws DomainError not_found
 */
export async function requireRun(
  runs: Pick<PaymentRunStore, 'find'>,
  organizationId: string,
  runId: string,
): Promise<PaymentRun> {
  const run = await runs.find(organizationId, runId);
  if (run === undefined) throw notFound('payment run');
  return run;
}
