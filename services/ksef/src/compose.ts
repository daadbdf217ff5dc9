import { openEgress } from '@invoicecontrol/egress/egress';
import { documentOfOrganization, ownedDocuments } from '@invoicecontrol/retention/tenant-data';
import { startTenantService } from '@invoicecontrol/retention/tenant-service';
import type { TenantConnections, TenantParts } from '@invoicecontrol/retention/tenant-service';
import { openChannel } from '@invoicecontrol/runtime/grpc/client';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { dueWork } from '@invoicecontrol/runtime/due-work';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { verifyKeyRing } from '@invoicecontrol/secretbox/canaries';
import { canaryStore } from '@invoicecontrol/secretbox/canary-store';
import type { SealingKeyDocument } from '@invoicecontrol/secretbox/canary-store';
import { sealedDocuments } from '@invoicecontrol/secretbox/sealed-documents';
import { sealedField } from '@invoicecontrol/secretbox/sealed-field';
import { reportSealedRecords, rewrapJob } from '@invoicecontrol/secretbox/sealed-records';
import { secretbox } from '@invoicecontrol/secretbox/secretbox';
import { tenantsFromOrganization } from '@invoicecontrol/tenants/from-organization';
import type { Db } from 'mongodb';
import { CallLimits } from './application/call-limits.js';
import { announceEnds } from './application/connections/announce-ends.js';
import { wipeSecrets } from './application/connections/disable-connection.js';
import { failConnection } from './application/connections/fail-connection.js';
import { noteWarnings } from './application/connections/note-warnings.js';
import { testConnection } from './application/connections/test-connection.js';
import { endInbox } from './application/inbox/change-inbox.js';
import { inboxWorker } from './application/inbox/inbox-worker.js';
import { stuckInboxes } from './application/inbox/stuck-inboxes.js';
import { stuckSubmissions } from './application/submissions/stuck-submissions.js';
import { submissionWorker } from './application/submissions/submission-worker.js';
import { channelDocumentsOf } from './clients/channel-documents.js';
import { documentsOfUploads } from './clients/documents.js';
import { exportPackages } from './clients/export-packages.js';
import { invoicesOfAnalysis } from './clients/invoices.js';
import { ksefClient } from './clients/ksef.js';
import { organizationsOf } from './clients/organizations.js';
import { readRevokedSeals } from './clients/revoked-seals.js';
import type { RevokedSeals } from './clients/revoked-seals.js';
import { tenantPlansOf } from './clients/tenant-plans.js';
import { readTrustedSeals } from './clients/trusted-seals.js';
import type { TrustedSeals } from './clients/trusted-seals.js';
import { uploadAnalysesOf } from './clients/upload-analyses.js';
import { configSchema } from './config.js';
import type { Config } from './config.js';
import type { Environment } from './domain/connection.js';
import { endOfPolishDay } from './domain/preconditions.js';
import { pauseOfJob } from './domain/submission-waits.js';
import { callScopeStore, createCallScopeIndexes } from './storage/call-scopes.js';
import type { CallScopeDocument } from './storage/call-scopes.js';
import { connectionStore, createConnectionIndexes } from './storage/connections.js';
import type { ConnectionDocument } from './storage/connections.js';
import { createInboxIndexes, inboxEnvironmentStore, inboxStore } from './storage/inboxes.js';
import type { InboxDocument, InboxEnvironmentDocument } from './storage/inboxes.js';
import { confirmationStore, createSubmissionIndexes, submissionStore } from './storage/submissions.js';
import type { ConfirmationDocument, SubmissionDocument } from './storage/submissions.js';
import { reportInboxes, reportLimits, reportSubmissions } from './telemetry.js';
import { connectionService } from './transport/grpc/connections.js';
import { inboxService } from './transport/grpc/inbox.js';
import { submissionService } from './transport/grpc/submissions.js';

/** Interval at which each replica searches for disabled KSeF connections whose secret is no longer needed. */
const WIPE_EACH_MS = 30_000;
/** Interval at which each replica searches for due KSeF submissions and inboxes that another process has stored. */
const POLL_EACH_MS = 10_000;
/**
 * Minimum time between two additional searches for KSeF work. A process makes such a search when a submission or inbox
 * that it has stored becomes due.
 */
const POLL_GAP_MS = 200;
/** Limits for downloading KSeF packages, which come from few hosts. */
const STORAGE_EGRESS = { connectionsPerOrigin: 8, connectMs: 10_000, peer: 'ksef' } as const;
/** Interval at which each replica searches for KSeF certificates and tokens that will expire soon. */
const ANNOUNCE_EACH_MS = 3_600_000;
/**
 * Maximum duration of a KSeF connection test. It is shorter than the gateway's timeout. Authentication alone may take a
 * minute.
 */
const TEST_MS_MAX = 120_000;

/** Values of the ksef service that tests replace, such as intervals that they shorten. */
export interface KsefOverrides extends StartOverrides {
  /**
   * Lengths of the time windows in which calls to KSeF are counted. A test sets them to replace the second, the minute
   * and the hour.
   */
  readonly limitWindowsMs?: readonly [number, number, number];
}

/** Starts the KSeF service. Resolves when the service accepts calls. */
export function startService(config: Config, overrides?: KsefOverrides): Promise<RunningService> {
  return startTenantService(
    {
      name: 'ksef',
      schema: configSchema,
      config,
      callsEndMsMax: 10_000,
      compose: (connections) => compose(config, connections, overrides?.limitWindowsMs),
    },
    overrides,
  );
}

async function compose(
  config: Config,
  { db, bus, identity, clock, logger, openOutbox, onStop }: TenantConnections,
  windowsMs?: KsefOverrides['limitWindowsMs'],
): Promise<TenantParts> {
  const collections = await openCollections(db);
  const ring = config.SECRETBOX_KEYS;
  const box = secretbox(ring);
  const tokens = sealedField(box, 'connections', 'token');
  const sessionKeys = sealedField(box, 'submissions', 'sessionKey');
  const exportKeys = sealedField(box, 'inboxes', 'exportKey');
  const sealedTokens = sealedDocuments(collections.connections, { token: tokens });
  const sealedSessionKeys = sealedDocuments(collections.submissions, { 'progress.sessions[].key': sessionKeys });
  const sealedExportKeys = sealedDocuments(collections.inboxes, { 'roles[].run.export.key': exportKeys });
  const canaries = canaryStore(collections.sealingKeys, async (besides) => [
    ...(await sealedTokens.keyIds(besides)),
    ...(await sealedSessionKeys.keyIds(besides)),
    ...(await sealedExportKeys.keyIds(besides)),
  ]);
  await verifyKeyRing(ring, canaries);

  const trustedSeals: TrustedSeals = {
    TEST: await readTrustedSeals(config.KSEF_TEST_SEALS_FILE),
    DEMO: await readTrustedSeals(config.KSEF_DEMO_SEALS_FILE),
    PRODUCTION: await readTrustedSeals(config.KSEF_PRODUCTION_SEALS_FILE),
  };
  const revokedIn = async (environment: Environment): Promise<RevokedSeals[Environment]> => {
    const path = config[`KSEF_${environment}_SEALS_CRL_FILE`];
    const lists = await readRevokedSeals(path, trustedSeals[environment]);
    for (const { nextUpdate } of lists) {
      if (nextUpdate === undefined || nextUpdate > clock.now()) continue;
      logger.warn({ environment, path, nextUpdate }, 'a revocation list for seals is out of date; update the file');
    }
    return lists;
  };
  const revokedSeals: RevokedSeals = {
    TEST: await revokedIn('TEST'),
    DEMO: await revokedIn('DEMO'),
    PRODUCTION: await revokedIn('PRODUCTION'),
  };

  const organizationChannel = openChannel(config.ORGANIZATION_ADDRESS, { service: 'organization', identity });
  onStop('organization', () => organizationChannel.close());
  const tenants = tenantsFromOrganization(organizationChannel, bus, logger);
  onStop('tenants', () => tenants.close());
  const analysisChannel = openChannel(config.ANALYSIS_ADDRESS, { service: 'analysis', identity });
  onStop('analysis', () => analysisChannel.close());
  const documentsChannel = openChannel(config.DOCUMENTS_ADDRESS, {
    service: 'documents',
    identity,
    messageBytesMax: LARGE_MESSAGE_BYTES_MAX,
  });
  onStop('documents', () => documentsChannel.close());
  const outbox = await openOutbox(['connections', 'submissions', 'inboxes']);

  const connections = connectionStore(collections.connections, outbox, clock);
  const leases = { outbox, clock, leaseMs: config.KSEF_LEASE_SECONDS * 1_000 };
  const polls = {
    pollMs: pauseOfJob(POLL_EACH_MS, config.KSEF_WAIT_FACTOR),
    gapMs: pauseOfJob(POLL_GAP_MS, config.KSEF_WAIT_FACTOR),
  };
  const dueSubmissions = dueWork(clock, polls);
  const dueInboxes = dueWork(clock, polls);
  const submissions = submissionStore(collections.submissions, { ...leases, onDue: dueSubmissions.note });
  const inboxes = inboxStore(collections.inboxes, { ...leases, onDue: dueInboxes.note });
  const confirmations = confirmationStore(collections.confirmations);
  const invoices = invoicesOfAnalysis(analysisChannel);
  const documents = documentsOfUploads(documentsChannel, { trusted: trustedSeals, revoked: revokedSeals });
  const requestMs = config.KSEF_REQUEST_SECONDS * 1_000;
  const limits = new CallLimits({
    store: callScopeStore(collections.callScopes),
    factor: config.KSEF_LIMIT_FACTOR,
    requestMs,
    clock,
    logger,
    ...(windowsMs === undefined ? {} : { windowsMs }),
  });
  const urls = { TEST: config.KSEF_TEST_URL, DEMO: config.KSEF_DEMO_URL, PRODUCTION: config.KSEF_PRODUCTION_URL };
  const ksef = ksefClient(
    {
      urls,
      requestMs,
      waitFactor: config.KSEF_WAIT_FACTOR,
      limits,
      noteWarnings: noteWarnings({ connections, clock, logger }),
    },
    logger,
  );
  onStop('ksef', () => ksef.close());
  const egress = openEgress(
    { EGRESS_ALLOW_CIDRS: [], EGRESS_ALLOW_HTTP: false, EGRESS_DNS_SERVERS: [] },
    STORAGE_EGRESS,
  );
  onStop('egress', () => egress.close());
  const packages = exportPackages(
    {
      urls,
      storageHosts: {
        TEST: config.KSEF_TEST_STORAGE_HOSTS,
        DEMO: config.KSEF_DEMO_STORAGE_HOSTS,
        PRODUCTION: config.KSEF_PRODUCTION_STORAGE_HOSTS,
      },
      requestMs,
    },
    egress,
    logger,
  );
  onStop('packages', () => packages.close());
  const inboxDeps = {
    connections,
    inboxes,
    environments: inboxEnvironmentStore(collections.inboxEnvironments),
    clock,
  };
  const deps = {
    connections,
    submissions,
    inboxes,
    endInbox: endInbox(inboxDeps),
    ksef,
    secrets: tokens,
    tenants,
    endAccess: (connectionId: string) => ksef.endAccess(connectionId),
    clock,
    logger,
  };
  const organizations = organizationsOf(tenants);
  const tokensEnd = config.KSEF_TOKENS_END === '' ? undefined : endOfPolishDay(config.KSEF_TOKENS_END);
  const worker = submissionWorker({
    queue: submissions,
    onDue: dueSubmissions.note,
    connections,
    failConnection: failConnection(deps),
    confirmations,
    organizations,
    invoices,
    documents,
    ksef,
    secrets: deps.secrets,
    sessionKeys,
    waitFactor: config.KSEF_WAIT_FACTOR,
    requestMs,
    clock,
    logger,
  });
  onStop('submissions', () => worker.stop());
  const receiver = inboxWorker({
    queue: inboxes,
    onDue: dueInboxes.note,
    connections,
    failConnection: failConnection(deps),
    endInbox: deps.endInbox,
    plans: tenantPlansOf(tenants),
    documents: channelDocumentsOf(documentsChannel),
    analyses: uploadAnalysesOf(analysisChannel),
    ksef,
    packages,
    secrets: deps.secrets,
    exportKeys,
    waitFactor: config.KSEF_WAIT_FACTOR,
    clock,
    logger,
  });
  onStop('inboxes', () => receiver.stop());
  const reported = { ...submissions, now: () => clock.now() };
  onStop('metrics of submissions', reportSubmissions(reported));
  onStop('metrics of limits', reportLimits());
  onStop('metrics of inboxes', reportInboxes(inboxes));
  onStop('metrics of connections', reportSealedRecords('ksef_connections', sealedTokens, ring));
  onStop('metrics of session keys', reportSealedRecords('ksef_submissions', sealedSessionKeys, ring));
  onStop('metrics of export keys', reportSealedRecords('ksef_inboxes', sealedExportKeys, ring));
  return {
    rpcGroups: [
      connectionService({
        ...deps,
        testConnection: testConnection({ ...deps, testMsMax: TEST_MS_MAX }),
        tokensEnd,
      }),
      submissionService({ connections, submissions, confirmations, invoices, documents, clock }),
      inboxService({ ...inboxDeps, tenants, tokensEnd }),
    ],
    tenantData: [
      ownedDocuments(collections.connections),
      ownedDocuments(collections.submissions),
      ownedDocuments(collections.confirmations),
      ownedDocuments(collections.inboxes),
      documentOfOrganization(collections.inboxEnvironments),
    ],
    stuckWork: [stuckSubmissions({ queue: submissions }), stuckInboxes({ queue: inboxes })],
    jobs: [
      { name: 'due submissions', ...dueSubmissions.schedule, run: () => worker.poll() },
      { name: 'due inboxes', ...dueInboxes.schedule, run: () => receiver.poll() },
      {
        name: 'secrets of disabled connections',
        pauseMs: pauseOfJob(WIPE_EACH_MS, config.KSEF_WAIT_FACTOR),
        run: wipeSecrets(deps),
      },
      {
        name: 'ends of certificates and tokens',
        pauseMs: pauseOfJob(ANNOUNCE_EACH_MS, config.KSEF_WAIT_FACTOR),
        run: announceEnds({ connections, organizations, tokensEnd, clock, logger }),
      },
      rewrapJob({
        name: 'connections, submissions and inboxes',
        records: [sealedTokens, sealedSessionKeys, sealedExportKeys],
        ring,
        canaries,
        logger,
      }),
    ],
  };
}

/** Opens the database collections of the ksef service and creates their indexes. */
async function openCollections(db: Db) {
  const connections = db.collection<ConnectionDocument>('connections');
  const submissions = db.collection<SubmissionDocument>('submissions');
  const confirmations = db.collection<ConfirmationDocument>('confirmations');
  const inboxes = db.collection<InboxDocument>('inboxes');
  const callScopes = db.collection<CallScopeDocument>('call_scopes');
  await Promise.all([
    createConnectionIndexes(connections),
    createSubmissionIndexes(submissions, confirmations),
    createInboxIndexes(inboxes),
    createCallScopeIndexes(callScopes),
  ]);
  return {
    connections,
    submissions,
    confirmations,
    inboxes,
    inboxEnvironments: db.collection<InboxEnvironmentDocument>('inbox_environments'),
    callScopes,
    sealingKeys: db.collection<SealingKeyDocument>('sealing_keys'),
  };
}
