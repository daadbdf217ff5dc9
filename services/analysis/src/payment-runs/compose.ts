import type { ErpBooks } from '../books/compose.js';
import type { Foundation } from '../foundation.js';
import type { Records } from '../records/compose.js';
import { runChanges } from './application/change-run.js';
import { checkLines } from './application/check-lines.js';
import { createRun } from './application/create-run.js';
import { loadLineFacts } from './application/load-line-facts.js';
import { runReader } from './application/read-runs.js';
import { releaseLine } from './application/release-line.js';
import { reportStatuses } from './application/report-statuses.js';
import { paymentFileThreads } from './clients/payment-file-threads.js';
import { downloadTurns } from './storage/download-turns.js';
import type { DownloadTurnDocument } from './storage/download-turns.js';
import { payableStore } from './storage/payables.js';
import { createPaymentRunIndexes, PAYMENT_RELEASES, PAYMENT_RUNS, paymentRunStore } from './storage/payment-runs.js';
import type {
  PaymentFactsDocument,
  PaymentFileDocument,
  PaymentLineDocument,
  PaymentOutcomeDocument,
  PaymentReleaseDocument,
  PaymentRunDocument,
} from './storage/payment-runs.js';
import { paymentRunService } from './transport/grpc/payment-runs.js';

/** Creates the use cases that check payment runs against the invoices that they pay. */
export async function composePaymentRuns(
  { db, outbox, clock, logger, tenants, audit, usage, onStop }: Foundation,
  { records, books, ksefNumbersFrom }: { records: Records; books: ErpBooks; ksefNumbersFrom: string },
) {
  const collections = {
    runs: db.collection<PaymentRunDocument>(PAYMENT_RUNS),
    files: db.collection<PaymentFileDocument>('payment_files'),
    lines: db.collection<PaymentLineDocument>('payment_lines'),
    facts: db.collection<PaymentFactsDocument>('payment_facts'),
    releases: db.collection<PaymentReleaseDocument>(PAYMENT_RELEASES),
    outcomes: db.collection<PaymentOutcomeDocument>('payment_outcomes'),
    turns: db.collection<DownloadTurnDocument>('payment_turns'),
  };
  await createPaymentRunIndexes(collections);
  const runs = paymentRunStore(collections, outbox, clock);
  const payables = payableStore(records.collections.invoices, books.collections.erpPayments);
  const { suppliers, bankLinks, findings } = records;
  const load = loadLineFacts({
    payables,
    runs,
    suppliers,
    bankLinks,
    findings,
    loadErpRecords: books.erpRecords,
    logger,
  });
  const files = paymentFileThreads(logger);
  onStop('threads of payment files', () => files.close());
  const check = checkLines({ load, runs, clock, ksefNumbersFrom });
  return {
    collections,
    linesCreated: runs.linesCreated,
    rpcGroups: [
      paymentRunService({
        createRun: createRun({ runs, files, usage, check, tenants, clock, logger }),
        changes: runChanges({
          runs,
          files,
          turns: downloadTurns(collections.turns, clock),
          check,
          tenants,
          audit,
          clock,
          logger,
        }),
        releaseLine: releaseLine({
          runs,
          payables,
          check,
          tenants,
          reviewers: { of: (organizationId, invoiceIds) => findings.reviewersOf(organizationId, invoiceIds) },
          clock,
        }),
        reportStatuses: reportStatuses({ runs, files, clock }),
        reader: runReader({ runs, payables }),
      }),
    ],
  };
}
