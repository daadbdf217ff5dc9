import { DomainError, notFound } from '@invoicecontrol/errors';
import type { FindingStore, WorkedFinding } from '../../records/application/finding-store.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';

interface Deps {
  readonly findings: Pick<FindingStore, 'find'>;
  readonly invoices: Pick<InvoiceStore, 'hasUnstoredFinding'>;
}

/**
 * Returns the finding that a caller names. A decision shows its findings as soon as it is committed. After a crash, the
 * sweep stores the findings later, and until then the response must not say that the finding does not exist.
 * @throws DomainError not_found; unavailable for a finding that is not stored yet
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
