import type { StuckItem } from '@invoicecontrol/runtime/stuck-work';
import type { FindingStore } from '../../records/application/finding-store.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';
import type { UploadStore } from '../../records/application/upload-store.js';

interface Deps {
  readonly invoices: Pick<InvoiceStore, 'unfinishedSince'>;
  readonly findings: Pick<FindingStore, 'pending'>;
  readonly uploads: Pick<UploadStore, 'unfinishedSince'>;
}

const resolution = (id: string): string =>
  `kubectl logs deployment/analysis | grep ${id}; docs/runbooks/stuck-analyses.md`;

/** Finds invoices and reviews that the recovery sweeps have not completed, and reports them to the operator. */
export const stuckAnalyses =
  ({ invoices, findings, uploads }: Deps) =>
  async (before: Date): Promise<readonly StuckItem[]> => {
    const [unfinished, reviewed, unread] = await Promise.all([
      invoices.unfinishedSince(before),
      findings.pending(before),
      uploads.unfinishedSince(before),
    ]);
    return [
      ...unread.map(({ invoiceId, organizationId, since }) => ({
        kind: 'upload',
        what: `upload of invoice ${invoiceId} of organization ${organizationId}`,
        since,
        why: 'its document was not read or its invoice has no decision; each attempt logs why',
        resolution: resolution(invoiceId),
      })),
      ...unfinished.map(({ invoiceId, organizationId, isDecided, since }) => ({
        kind: 'analysis',
        what: `invoice ${invoiceId} of organization ${organizationId}`,
        since,
        why: isDecided
          ? 'it has a decision, but what follows from the decision is not stored; each sweep logs why'
          : 'it has no decision; each sweep logs why',
        resolution: resolution(invoiceId),
      })),
      ...reviewed.flatMap(({ findingId, organizationId, reviewedAt }) =>
        reviewedAt === undefined
          ? []
          : [
              {
                kind: 'review',
                what: `review of finding ${findingId} of organization ${organizationId}`,
                since: reviewedAt,
                why: 'what follows from the review is not stored; each sweep logs why',
                resolution: resolution(findingId),
              },
            ],
      ),
    ];
  };
