import { events } from '@invoicecontrol/contracts/events';
import { stuckCounters } from '@invoicecontrol/metering/stuck-counters';
import { usageCounters } from '@invoicecontrol/metering/usage';
import { usageData } from '@invoicecontrol/metering/usage-data';
import { USAGE_NOTICES, usageNotices } from '@invoicecontrol/metering/usage-notices';
import { usageReconciliation } from '@invoicecontrol/metering/usage-reconciliation';
import { usageService } from '@invoicecontrol/metering/usage-service';
import { archiveService } from '@invoicecontrol/retention/archive-service';
import { AUDIT_LINES, auditBuffer } from '@invoicecontrol/retention/audit';
import { documentOfOrganization, ownedDocuments, prefixedDocuments } from '@invoicecontrol/retention/tenant-data';
import { startTenantService } from '@invoicecontrol/retention/tenant-service';
import type { TenantConnections, TenantParts } from '@invoicecontrol/retention/tenant-service';
import { openChannel } from '@invoicecontrol/runtime/grpc/client';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { tenantsFromOrganization } from '@invoicecontrol/tenants/from-organization';
import { composeBooks } from './books/compose.js';
import { archivedBooks } from './books/storage/archived-books.js';
import { configSchema } from './config.js';
import type { Config } from './config.js';
import { ANALYSES_METER } from './decisions/application/resume-invoice.js';
import { composeDecisions } from './decisions/compose.js';
import { composeExamination } from './examination/compose.js';
import { composeFacts } from './facts/compose.js';
import type { Foundation } from './foundation.js';
import { composeInboxes } from './inboxes/compose.js';
import { PAYMENT_LINES_METER } from './payment-runs/application/create-run.js';
import { composePaymentRuns } from './payment-runs/compose.js';
import { archivedPaymentRuns } from './payment-runs/storage/archived-payment-runs.js';
import { PAYMENT_RELEASES, PAYMENT_RUNS } from './payment-runs/storage/payment-runs.js';
import { composePolicies } from './policies/compose.js';
import { composeRates } from './rates/compose.js';
import { composeReading } from './reading/compose.js';
import { archivedReadings } from './reading/storage/archived-readings.js';
import { composeRecords } from './records/compose.js';
import { archivedRecords } from './records/storage/archived-records.js';
import { UPLOAD_ANALYSES } from './records/storage/uploads.js';
import { composeReplays } from './replays/compose.js';
import { composeReviews } from './reviews/compose.js';
import { composeScans } from './scans/compose.js';
import { composeSuppliers } from './suppliers/compose.js';
import { ACCOUNT_VERIFICATIONS } from './suppliers/storage/verifications.js';
import { composeUploads } from './uploads/compose.js';

/** Interval at which audit events are stored. If a process is killed, the audit events of this interval are lost. */
const AUDIT_EACH_MS = 1_000;

/** Starts the analysis service and resolves when the service accepts calls. */
export function startService(config: Config, overrides?: StartOverrides): Promise<RunningService> {
  return startTenantService(
    {
      name: 'analysis',
      schema: configSchema,
      config,
      callsEndMsMax: 20_000,
      messageBytesMax: LARGE_MESSAGE_BYTES_MAX,
      compose: (connections) => compose(config, connections),
    },
    overrides,
  );
}

/** Composes the modules of the analysis service in the order of their dependencies. */
async function compose(
  config: Config,
  { db, bus, identity, clock, logger, openOutbox, onStop, wasPurged }: TenantConnections,
): Promise<TenantParts> {
  const organizationChannel = openChannel(config.ORGANIZATION_ADDRESS, { service: 'organization', identity });
  onStop('organization', () => organizationChannel.close());
  // Messages with the fields that were read from a document are larger than usual gRPC messages, because a document may
  // have many fields and lines.
  const documentsChannel = openChannel(config.DOCUMENTS_ADDRESS, {
    service: 'documents',
    identity,
    messageBytesMax: LARGE_MESSAGE_BYTES_MAX,
  });
  onStop('documents', () => documentsChannel.close());
  const outbox = await openOutbox([
    'invoices',
    'findings',
    UPLOAD_ANALYSES,
    ACCOUNT_VERIFICATIONS,
    PAYMENT_RUNS,
    PAYMENT_RELEASES,
    AUDIT_LINES,
    USAGE_NOTICES,
  ]);
  const audit = await auditBuffer(events.analysisAuditRecorded, { db, outbox, clock, logger });
  onStop('audit lines', () => audit.flush());
  const usage = usageCounters(
    db,
    clock,
    await usageNotices(events.analysisUsageReached, { db, outbox, clock, logger }),
  );
  onStop('usage', () => usage.close());
  const tenants = tenantsFromOrganization(organizationChannel, bus, logger);
  onStop('tenants', () => tenants.close());
  const foundation: Foundation = { db, outbox, clock, logger, onStop, audit, usage, tenants };

  const [records, rates, policies] = await Promise.all([
    composeRecords(foundation),
    composeRates(foundation, config.ECB_FEED_URL),
    composePolicies(foundation),
  ]);
  const [reviews, books] = await Promise.all([
    composeReviews(foundation, { records, policies, organizationChannel }),
    composeBooks(foundation, { records, policies }),
  ]);
  const reading = composeReading(records, documentsChannel);
  const inboxes = await composeInboxes(foundation, {
    records,
    failurePeriods: config.KSEF_FAILURE_PERIODS,
    wasPurged,
  });
  const facts = await composeFacts(foundation, { records, policies, reading, books, rates, inboxes });
  const decisions = composeDecisions(foundation, { records, policies, reviews, books, facts });
  const uploads = composeUploads(foundation, { records, reading, decisions });
  const scans = composeScans(foundation, { records, policies, reviews, books, facts, rates });
  const examination = composeExamination(foundation, { records, policies, reviews, books });
  const replays = composeReplays(foundation, { records, policies });
  const suppliers = await composeSuppliers(foundation, { records, documentsChannel, ring: config.SECRETBOX_KEYS });
  const paymentRuns = await composePaymentRuns(foundation, {
    records,
    books,
    ksefNumbersFrom: config.KSEF_NUMBERS_IN_TRANSFERS_FROM,
  });

  return {
    rpcGroups: [
      ...decisions.rpcGroups,
      ...uploads.rpcGroups,
      ...reviews.rpcGroups,
      ...replays.rpcGroups,
      ...paymentRuns.rpcGroups,
      books.importService(examination),
      ...books.rpcGroups,
      archiveService({
        ...archivedRecords(records.collections),
        readings: archivedReadings(records.collections.uploads),
        ...archivedBooks(books.collections),
        account_verifications: suppliers.archived,
        ...archivedPaymentRuns(paymentRuns.collections),
      }),
      ...policies.rpcGroups,
      ...scans.rpcGroups,
      ...suppliers.rpcGroups,
      usageService(
        {
          monthly: Object.fromEntries(
            [ANALYSES_METER, PAYMENT_LINES_METER].map((meter) => [
              meter,
              (organizationId: string, month: string) => usage.used({ organizationId, month, meter }),
            ]),
          ),
        },
        clock,
      ),
    ],
    // When an organization is purged, the data that causes work is removed first, so that no work starts on data that
    // is about to be removed.
    tenantData: [
      ownedDocuments(inboxes.collection),
      ownedDocuments(paymentRuns.collections.runs),
      ownedDocuments(paymentRuns.collections.files),
      ownedDocuments(paymentRuns.collections.lines),
      ownedDocuments(paymentRuns.collections.facts),
      ownedDocuments(paymentRuns.collections.releases),
      ownedDocuments(paymentRuns.collections.outcomes),
      documentOfOrganization(paymentRuns.collections.turns),
      ownedDocuments(books.collections.erpSources),
      ownedDocuments(books.collections.vendors),
      ownedDocuments(books.collections.erpOrders),
      ownedDocuments(books.collections.erpPayments),
      ownedDocuments(records.collections.uploads),
      ownedDocuments(records.collections.scanRuns),
      ownedDocuments(records.collections.invoices),
      ownedDocuments(records.collections.findings),
      documentOfOrganization(reviews.collections.findingCounters),
      ownedDocuments(records.collections.analyses),
      ownedDocuments(records.collections.bundles),
      ownedDocuments(reviews.collections.reviews),
      ownedDocuments(records.collections.suppliers),
      ownedDocuments(suppliers.collection),
      ownedDocuments(facts.collection),
      ownedDocuments(policies.collection),
      ownedDocuments(reviews.collections.routingRules),
      prefixedDocuments(records.collections.links, (organizationId) => `${organizationId}|`),
      ...usageData(db),
    ],
    eventHandlers: inboxes.eventHandlers,
    stuckWork: [...decisions.stuckWork, stuckCounters(db, 'analysis')],
    jobs: [
      ...decisions.jobs,
      ...rates.jobs,
      ...inboxes.jobs,
      ...uploads.jobs,
      ...reviews.jobs,
      ...suppliers.jobs,
      { name: 'flush of audit lines', pauseMs: AUDIT_EACH_MS, run: () => audit.flush() },
      await usageReconciliation({
        db,
        clock,
        logger,
        marks: {
          [ANALYSES_METER]: async (...month) => {
            const counts = await Promise.all([
              records.invoices.analysesOf(...month),
              records.uploads.analysesOf(...month),
            ]);
            return counts.reduce((sum, count) => sum + count, 0);
          },
          [PAYMENT_LINES_METER]: paymentRuns.linesCreated,
        },
      }),
    ],
  };
}
