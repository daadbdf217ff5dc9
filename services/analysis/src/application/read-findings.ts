import { notFound } from '@invoicecontrol/errors';
import type { Page } from '@invoicecontrol/runtime/page';
import { SYSTEM_ACTOR } from './finding-store.js';
import type { FindingChange, FindingQuery, FindingStore, WorkedFinding } from './finding-store.js';
import type { InvoiceStore } from './invoice-store.js';

interface Deps {
  readonly findings: FindingStore;
  readonly invoices: InvoiceStore;
}

export interface FindingReader {
  /** @throws DomainError not_found */
  get(organizationId: string, findingId: string): Promise<WorkedFinding>;
  list(organizationId: string, query: FindingQuery): Promise<Page<WorkedFinding>>;
  /**
   * Everything that happened to a finding, oldest first: its creation, what people did, and where that moved the
   * decision of the invoice.
   * @throws DomainError not_found
   */
  history(organizationId: string, findingId: string): Promise<FindingChange[]>;
}

export function findingReader({ findings, invoices }: Deps): FindingReader {
  const get = async (organizationId: string, findingId: string): Promise<WorkedFinding> => {
    const finding = await findings.find(organizationId, findingId);
    if (finding === undefined) throw notFound('finding');
    return finding;
  };
  return {
    get,
    list: (organizationId, query) => findings.list(organizationId, query),
    async history(organizationId, findingId) {
      const finding = await get(organizationId, findingId);
      const [changes = [], decisions] = await Promise.all([
        findings.history(organizationId, findingId),
        finding.invoiceId === undefined ? [] : invoices.decisionChanges(organizationId, finding.invoiceId),
      ]);
      const created: FindingChange = { at: finding.createdAt, actor: SYSTEM_ACTOR, action: 'CREATED' };
      const recomputed = decisions
        .filter((change) => change.findingId === findingId)
        .map(({ at, from, to }): FindingChange => ({ at, actor: SYSTEM_ACTOR, action: 'RECOMPUTED', from, to }));
      // Sorting keeps the order of equal times: a review stands before the decision that it moved.
      return [created, ...changes, ...recomputed].sort((left, right) => left.at.getTime() - right.at.getTime());
    },
  };
}
