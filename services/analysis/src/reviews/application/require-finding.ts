import { DomainError, notFound } from '@invoicecontrol/errors';
import type { FindingStore, WorkedFinding } from '../../records/application/finding-store.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';

interface Deps {
  readonly findings: Pick<FindingStore, 'find'>;
  readonly invoices: Pick<InvoiceStore, 'hasUnstoredFinding'>;
}

/**
 * Finds a finding. A decision is shown with its findings from its commit on; after a crash the findings themselves are
 * stored by the sweep, and until then "no such finding" would be wrong.
 * @throws DomainError not_found; unavailable for one that is still to be stored
 */
export async function requireFinding(
  { findings, invoices }: Deps,
  organizationId: string,
  findingId: string,
): Promise<WorkedFinding> {
  const finding = await findings.find(organizationId, findingId);
  if (finding !== undefined) return finding;
  if (await invoices.hasUnstoredFinding(organizationId, findingId)) {
    throw new DomainError('unavailable', 'This finding is still being stored. Retry the request in a few seconds.');
  }
  throw notFound('finding');
}
