import { newestRecords, recordsById } from '@invoicecontrol/retention/archive-pages';
import type { ReadArchivePage } from '@invoicecontrol/retention/archive-service';
import { toCheck } from './payment-runs.js';
import type {
  PaymentLineDocument,
  PaymentReleaseDocument,
  PaymentRunCollections,
  PaymentRunDocument,
} from './payment-runs.js';

/**
 * Returns functions that read the payment runs of an organization for its data export. The export contains only the
 * fields that this file lists.
 */
export function archivedPaymentRuns({ runs, lines, releases }: PaymentRunCollections) {
  return {
    payment_runs: newestRecords(runs, toRunRecord),
    payment_lines: recordsById(lines, toLineRecord),
    payment_releases: recordsById(releases, toReleaseRecord),
  } satisfies Readonly<Record<string, ReadArchivePage>>;
}

function toRunRecord({ _id: id, ...run }: PaymentRunDocument): Readonly<Record<string, unknown>> {
  return {
    id,
    companyId: run.companyId,
    source: run.source,
    messageId: run.messageId ?? null,
    lineCount: run.lineCount,
    executionDate: run.executionDate ?? null,
    createdAt: run.createdAt,
    checks: run.checks.map(toCheck),
    downloads: run.downloads.map(({ number, checkId, at, by, count }) => ({ number, checkId, at, by, count })),
    reports: run.reports,
  };
}

function toLineRecord({ runId, checkId, line, result }: PaymentLineDocument): Readonly<Record<string, unknown>> {
  const { creditorAccount, ...stated } = line;
  return { runId, checkId, ...stated, creditorAccount: creditorAccount?.masked ?? null, ...result };
}

function toReleaseRecord({ runId, lineId, release }: PaymentReleaseDocument): Readonly<Record<string, unknown>> {
  return { runId, lineId, ...release };
}
