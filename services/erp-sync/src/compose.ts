import { providerWords } from '@invoicecontrol/runtime/telemetry/schema';
import { openEgress } from '@invoicecontrol/egress/egress';
import { events } from '@invoicecontrol/contracts/events';
import { placeStore } from '@invoicecontrol/metering/places';
import type { PlacesDocument } from '@invoicecontrol/metering/places';
import { usageService } from '@invoicecontrol/metering/usage-service';
import { AUDIT_LINES, auditBuffer } from '@invoicecontrol/retention/audit';
import { documentOfOrganization, ownedDocuments } from '@invoicecontrol/retention/tenant-data';
import { startTenantService } from '@invoicecontrol/retention/tenant-service';
import type { TenantConnections, TenantParts } from '@invoicecontrol/retention/tenant-service';
import { openChannel } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { Job } from '@invoicecontrol/runtime/job';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { verifyKeyRing } from '@invoicecontrol/secretbox/canaries';
import { populationOf } from '@invoicecontrol/runtime/mongo/population';
import { canaryStore } from '@invoicecontrol/secretbox/canary-store';
import type { SealingKeyDocument } from '@invoicecontrol/secretbox/canary-store';
import { sealedDocuments } from '@invoicecontrol/secretbox/sealed-documents';
import { sealedField } from '@invoicecontrol/secretbox/sealed-field';
import { reportSealedRecords, rewrapJob } from '@invoicecontrol/secretbox/sealed-records';
import { secretbox } from '@invoicecontrol/secretbox/secretbox';
import { tenantsFromOrganization } from '@invoicecontrol/tenants/from-organization';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import type { Db } from 'mongodb';
import { accessTokens } from './application/access-tokens.js';
import type { AccessTokens } from './application/access-tokens.js';
import { connectConsented } from './application/connect-consented.js';
import { connectionChanged } from './application/connection-events.js';
import { deleteOldRuns } from './application/delete-old-runs.js';
import type { OAuthSettings } from './application/oauth-settings.js';
import { openErp } from './application/open-erp.js';
import type { ErpOverrides } from './application/open-erp.js';
import { refreshTokens } from './application/refresh-tokens.js';
import { revocations } from './application/revoke-tokens.js';
import type { ConnectionSecrets, FlowSecrets } from './application/secrets.js';
import { stuckRuns } from './application/stuck-runs.js';
import { finishDeletions } from './application/sweeps.js';
import { syncRun } from './application/sync-run.js';
import { startRun } from './application/sync-start.js';
import { syncWorker } from './application/sync-worker.js';
import { authorizationServers } from './clients/authorization-servers.js';
import { configChecks } from './clients/config-checks.js';
import { erpHttpClient } from './clients/erp-http.js';
import type { ErpHttpSettings } from './clients/erp-http.js';
import { importsByAnalysis } from './clients/imports.js';
import { vendorMaster } from './clients/vendor-master.js';
import { bankOrigins, configSchema, unsafeSettings } from './config.js';
import type { Config } from './config.js';
import type { Connection } from './domain/connection.js';
import { stateKeys } from './domain/oauth-state.js';
import { providersOf } from './providers/registry.js';
import { connectionTokenStore, consentedConnectionStore } from './storage/connection-tokens.js';
import { connectionStore, createConnectionIndexes, LIVE } from './storage/connections.js';
import type { ConnectionDocument } from './storage/connections.js';
import { createListedIdIndexes, listedIdStore } from './storage/listed-ids.js';
import type { ListedIdsDocument } from './storage/listed-ids.js';
import { createOAuthFlowIndexes, oauthFlowStore } from './storage/oauth-flows.js';
import type { OAuthFlowDocument } from './storage/oauth-flows.js';
import { createRunIndexes, runStore } from './storage/runs.js';
import type { RunDocument } from './storage/runs.js';
import { syncedConnections } from './storage/synced-connections.js';
import { reportConnections, reportRuns } from './telemetry.js';
import { connectionService } from './transport/grpc/connections.js';
import { encodeConnections } from './transport/grpc/encode-connection.js';
import { oauthService } from './transport/grpc/oauth.js';
import { encodeRun, runService } from './transport/grpc/runs.js';

const FINISH_DELETIONS_EACH_MS = 30_000;
const DELETE_OLD_EACH_MS = 3_600_000;
/** Limits on one ERP connection test, whose caller is waiting. */
const TEST_BUDGET = { callsMax: 20, runMs: 20_000 } as const;
/**
 * Time limit of a whole ERP connection test. The calls of the test have a shorter limit, so that the response can name
 * the late call. A refresh of OAuth tokens does not count towards the shorter limit.
 */
const TEST_MS_MAX = 25_000;
const REFRESH_TOKENS_EACH_MS = 60_000;
const REVOKE_TOKENS_EACH_MS = 30_000;
/** Timeout of calls to a provider during an OAuth callback, because a browser waits. */
const CALLBACK_CALL_MS_MAX = 10_000;
const FLUSH_AUDIT_EACH_MS = 1_000;
const CONNECT_MS_MAX = 5_000;
/** Maximum number of HTTP connections to one customer host. */
const CONNECTIONS_PER_ORIGIN = 8;

/** Starts the erp-sync service and resolves when the service accepts calls. */
export function startService(
  config: Config,
  overrides?: StartOverrides,
  erps: ErpOverrides = {},
): Promise<RunningService> {
  return startTenantService(
    {
      name: 'erp-sync',
      schema: configSchema,
      config,
      callsEndMsMax: 10_000,
      compose: (connections) => compose(config, connections, erps),
    },
    overrides,
  );
}

async function compose(
  config: Config,
  { db, bus, identity, clock, logger, openOutbox, onStop }: TenantConnections,
  overrides: ErpOverrides,
): Promise<TenantParts> {
  const unsafe = unsafeSettings(config);
  if (unsafe.length > 0) logger.warn({ settings: unsafe }, 'CALLS ARE NOT SAFE: these settings are for tests');
  const collections = await openCollections(db);
  const ring = config.SECRETBOX_KEYS;
  const box = secretbox(ring);
  const secrets = {
    credential: sealedField(box, 'connections', 'credential'),
    tokens: sealedField(box, 'connections', 'tokens'),
  };
  const sealed = sealedDocuments(collections.connections, secrets);
  const canaries = canaryStore(collections.sealingKeys, sealed.keyIds);
  await verifyKeyRing(ring, canaries);

  const organizationChannel = openChannel(config.ORGANIZATION_ADDRESS, { service: 'organization', identity });
  onStop('organization', () => organizationChannel.close());
  const analysisChannel = openChannel(config.ANALYSIS_ADDRESS, { service: 'analysis', identity });
  onStop('analysis', () => analysisChannel.close());
  const tenants = tenantsFromOrganization(organizationChannel, bus, logger);
  onStop('tenants', () => tenants.close());
  const egress = openEgress(config, {
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
    connectMs: CONNECT_MS_MAX,
    peer: 'customer',
  });
  onStop('egress', () => egress.close());
  const outbox = await openOutbox(['connections', 'runs', AUDIT_LINES]);
  const audit = await auditBuffer(events.erpSyncAuditRecorded, { db, outbox, clock, logger });
  onStop('audit lines', () => audit.flush());

  const connections = connectionStore(collections.connections, outbox, clock);
  const consents = composeConsents(config, { collections, secrets, outbox, clock, logger });
  onStop('revocations', () => consents.revoking.stop());
  const { openErpOf, runs, listedIds, synced, worker, poll, pollSoon } = composeRuns(
    config,
    { collections, secrets, tenants, analysisChannel, access: consents.access, outbox, clock, logger, onStop },
    overrides,
  );
  const deps = {
    connections,
    revokeSoon: consents.revoking.soon,
    places: placeStore(collections.places, 'connectionIds'),
    runs,
    listedIds,
    secrets,
    tenants,
    checks: configChecks(egress, {
      allowedOrigins: config.ERP_EGRESS_ALLOW_ORIGINS,
      bankOrigins: bankOrigins(config),
    }),
    master: vendorMaster(analysisChannel),
    openTestSession: (connection: Connection) =>
      openErpOf(connection, { ...TEST_BUDGET, signal: AbortSignal.timeout(2 * TEST_MS_MAX) }).session,
    testMsMax: TEST_MS_MAX,
    audit,
    encode: encodeConnections(config.ERP_PROVIDER_NAMES, async (organizationId, runIds) =>
      (await runs.many(organizationId, runIds)).map(encodeRun),
    ),
    onDue: pollSoon,
    clock,
    logger,
  };
  const closeReport = reportConnections({
    unfinishedDeletions: () => connections.countUnfinishedDeletions(),
    countByStatus: populationOf(collections.connections, {
      filter: { status: { $in: LIVE } },
      fields: { provider: '$provider', status: '$status' },
      clock,
    }),
  });
  onStop('metrics', closeReport);
  onStop('metrics of sealing keys', reportSealedRecords('erp_connections', sealed, ring));
  const { callbackServers, flowSecrets: flowKeys } = consents;
  const starting = { ...deps, ...consents, secrets: flowKeys };
  const callbacks = { ...starting, servers: callbackServers, connect: connectConsented({ ...deps, ...consents }) };
  return {
    rpcGroups: [
      connectionService(deps),
      runService({ connections: synced, runs, startRun: startRun({ worker, runs, audit }) }),
      oauthService(starting, callbacks),
      usageService({ present: { erp_connections: (organizationId) => connections.countLive(organizationId) } }, clock),
    ],
    tenantData: [
      ownedDocuments(collections.connections),
      ownedDocuments(collections.runs),
      ownedDocuments(collections.listedIds),
      ownedDocuments(collections.flows),
      documentOfOrganization(collections.places),
    ],
    stuckWork: [stuckRuns({ connections: synced })],
    jobs: [
      { name: 'due connections', pauseMs: config.ERP_POLL_SECONDS * 1_000, run: poll },
      { name: 'old runs', pauseMs: DELETE_OLD_EACH_MS, run: deleteOldRuns({ runs, clock }) },
      ...consents.jobs,
      { name: 'audit lines', pauseMs: FLUSH_AUDIT_EACH_MS, run: () => audit.flush() },
      { name: 'deleted connections', pauseMs: FINISH_DELETIONS_EACH_MS, run: finishDeletions(deps) },
      rewrapJob({ name: 'connections', records: [sealed], ring, canaries, logger }),
    ],
  };
}

/**
 * Returns the settings for calls to ERPs: limits on time and size, and the origins that are not chosen by customers.
 */
function callSettings(config: Config): ErpHttpSettings {
  const configured = [
    config.BUSINESS_CENTRAL_LOGIN_URL,
    config.BUSINESS_CENTRAL_API_URL,
    config.QUICKBOOKS_API_URL,
    config.QUICKBOOKS_REVOKE_URL,
    config.XERO_API_URL,
    ...bankOrigins(config),
    ...config.ERP_EGRESS_ALLOW_ORIGINS,
  ];
  return {
    callMs: config.ERP_CALL_SECONDS * 1_000,
    responseBytesMax: config.ERP_RESPONSE_MAX_BYTES,
    backoffMs: config.ERP_BACKOFF_MS,
    backoffMsMax: config.ERP_BACKOFF_MAX_SECONDS * 1_000,
    trustedOrigins: new Set(configured.map((url) => new URL(url).origin)),
  };
}

/** Composes import runs: calls to ERPs, the worker, and their stores. */
function composeRuns(
  config: Config,
  { collections, secrets, tenants, analysisChannel, access, outbox, clock, logger, onStop }: RunConnections,
  { providers = providersOf(config), runsDue = true }: ErpOverrides,
) {
  const calls = erpHttpClient(callSettings(config), config);
  onStop('calls of ERPs', () => calls.close());
  const openErpOf = openErp({
    providers,
    openCalls: (provider, company, concurrency, budget) =>
      calls.open({ company: `${provider} ${company}`, peer: providerWords[provider], concurrency, ...budget }),
    secrets,
    tokens: access,
    pageSizeMax: config.ERP_PAGE_SIZE,
  });
  const runs = runStore(collections.runs, outbox, clock);
  const listedIds = listedIdStore(collections.listedIds);
  const synced = syncedConnections(collections.connections, {
    outbox,
    clock,
    leaseMs: config.ERP_LEASE_SECONDS * 1_000,
  });
  const worker = syncWorker({
    connections: synced,
    runs,
    tenants,
    syncRun: syncRun({
      runs,
      listedIds,
      imports: importsByAnalysis(analysisChannel, config.ERP_BACKOFF_MS),
      openErp: openErpOf,
      callsMax: config.ERP_RUN_CALLS,
      runMs: config.ERP_RUN_SECONDS * 1_000,
      reconcileMs: config.ERP_RECONCILE_SECONDS * 1_000,
      initialMonths: config.ERP_INITIAL_MONTHS,
      clock,
      logger,
    }),
    intervalSeconds: config.ERP_SYNC_INTERVAL_SECONDS,
    clock,
    logger,
  });
  onStop('runs', () => worker.stop());
  onStop('metrics of runs', reportRuns({ lagSeconds: () => synced.lagSeconds(), underWay: () => worker.underWay }));
  const poll = (): Promise<void> => (runsDue ? worker.poll() : Promise.resolve());
  const pollSoon = (): void => {
    poll().catch((error: unknown) => logger.warn({ error }, 'due connections could not be looked for'));
  };
  return { openErpOf, runs, listedIds, synced, worker, poll, pollSoon };
}

interface RunConnections extends ConsentConnections, Pick<TenantConnections, 'onStop'> {
  readonly tenants: Tenants;
  readonly analysisChannel: Channel;
  readonly access: AccessTokens;
}

/** Composes ERP connections that are made by OAuth consent, and the storage of their tokens. */
function composeConsents(config: Config, { collections, secrets, outbox, clock, logger }: ConsentConnections) {
  const box = secretbox(config.SECRETBOX_KEYS);
  const callMs = config.ERP_CALL_SECONDS * 1_000;
  const servers = authorizationServers(config, callMs, clock);
  const tokens = connectionTokenStore(collections.connections, clock);
  const consented = consentedConnectionStore(collections.connections, outbox, clock, (connection, error) =>
    connectionChanged(connection, { status: 'ERROR', previousStatus: connection.status, error }),
  );
  const flows = oauthFlowStore(collections.flows, clock);
  const flowKeys: FlowSecrets = {
    codeVerifier: sealedField(box, 'oauth_flows', 'codeVerifier'),
    tokens: sealedField(box, 'oauth_flows', 'tokens'),
  };
  // The lease of a process that refreshes OAuth tokens is at least twice as long as one call to the provider.
  const leaseMs = Math.max(config.ERP_LEASE_SECONDS * 1_000, 2 * callMs);
  const access = accessTokens({ tokens, servers, secrets, clock, leaseMs, backoffMs: config.ERP_BACKOFF_MS });
  const settings: OAuthSettings = {
    stateKeys: stateKeys(config.SECRETBOX_KEYS),
    callbackUrl: config.ERP_OAUTH_CALLBACK_URL,
    returnUrl: config.ERP_OAUTH_RETURN_URL,
    flowMs: config.ERP_OAUTH_FLOW_SECONDS * 1_000,
    isConfirmed: config.ERP_OAUTH_CONFIRM,
  };
  const revoking = revocations({
    tokens,
    flows,
    consented,
    servers,
    secrets,
    flowSecrets: flowKeys,
    leaseMs: 2 * leaseMs,
    clock,
    logger,
  });
  const jobs: readonly Job[] = [
    {
      name: 'token refreshes',
      pauseMs: Math.min(REFRESH_TOKENS_EACH_MS, config.ERP_REFRESH_SECONDS * 500),
      run: refreshTokens({
        tokens,
        access,
        connections: consented,
        refreshMs: config.ERP_REFRESH_SECONDS * 1_000,
        clock,
        logger,
      }),
    },
    { name: 'token revocations', pauseMs: REVOKE_TOKENS_EACH_MS, run: (signal) => revoking.run(signal) },
  ];
  return {
    access,
    consented,
    flows,
    servers,
    callbackServers: authorizationServers(config, Math.min(callMs, CALLBACK_CALL_MS_MAX), clock),
    flowSecrets: flowKeys,
    settings,
    revoking,
    jobs,
  };
}

interface ConsentConnections extends Pick<TenantConnections, 'clock' | 'logger'> {
  readonly collections: Awaited<ReturnType<typeof openCollections>>;
  readonly secrets: ConnectionSecrets;
  readonly outbox: Outbox;
}

/** Opens the database collections of the erp-sync service with their indexes. */
async function openCollections(db: Db) {
  const connections = db.collection<ConnectionDocument>('connections');
  const flows = db.collection<OAuthFlowDocument>('oauth_flows');
  const runs = db.collection<RunDocument>('runs');
  const listedIds = db.collection<ListedIdsDocument>('listed_ids');
  await Promise.all([
    createConnectionIndexes(connections),
    createOAuthFlowIndexes(flows),
    createRunIndexes(runs),
    createListedIdIndexes(listedIds),
  ]);
  return {
    connections,
    flows,
    runs,
    listedIds,
    places: db.collection<PlacesDocument<'connectionIds'>>('connection_places'),
    sealingKeys: db.collection<SealingKeyDocument>('sealing_keys'),
  };
}
