import { openEgress } from '@invoicecontrol/egress/egress';
import { events } from '@invoicecontrol/contracts/events';
import { openChannel } from '@invoicecontrol/runtime/grpc/client';
import { AUDIT_LINES, auditBuffer } from '@invoicecontrol/runtime/mongo/audit';
import { documentOfOrganization, ownedDocuments } from '@invoicecontrol/runtime/mongo/tenant-data';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { startServiceShell } from '@invoicecontrol/runtime/service-shell';
import type { Connections, ServiceParts, StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { usageService } from '@invoicecontrol/runtime/usage-service';
import { verifyKeyRing } from '@invoicecontrol/secretbox/canaries';
import { secretbox } from '@invoicecontrol/secretbox/secretbox';
import { tenantsFromOrganization } from '@invoicecontrol/tenants/from-organization';
import type { Db } from 'mongodb';
import { openSessions } from './application/open-test-session.js';
import { connectionSecrets } from './application/secrets.js';
import { finishDeletions, rewrapSecrets } from './application/sweeps.js';
import { configChecks } from './clients/config-checks.js';
import { vendorMaster } from './clients/vendor-master.js';
import { bankOrigins, configSchema, unsafeSettings } from './config.js';
import type { Config } from './config.js';
import { providers } from './providers/registry.js';
import { connectionStore, createConnectionIndexes } from './storage/connections.js';
import type { ConnectionDocument } from './storage/connections.js';
import { placeStore } from './storage/places.js';
import type { PlacesDocument } from './storage/places.js';
import { canaryStore } from './storage/sealing-keys.js';
import type { SealingKeyDocument } from './storage/sealing-keys.js';
import { reportConnections } from './telemetry.js';
import { connectionService } from './transport/grpc/connections.js';
import { encodeConnections } from './transport/grpc/encode-connection.js';

const FINISH_DELETIONS_EACH_MS = 5_000;
const REWRAP_EACH_MS = 10_000;
const FLUSH_AUDIT_EACH_MS = 1_000;
const CONNECT_MS_MAX = 5_000;
/** Connections at once to one host of a customer. */
const CONNECTIONS_PER_ORIGIN = 8;

/** Starts the erp-sync service and resolves when it takes calls. */
export function startService(config: Config, overrides?: StartOverrides): Promise<RunningService> {
  return startServiceShell(
    {
      name: 'erp-sync',
      schema: configSchema,
      config,
      callsEndMsMax: 10_000,
      compose: (connections) => compose(config, connections),
    },
    overrides,
  );
}

async function compose(
  config: Config,
  { db, bus, clock, logger, openOutbox, onStop }: Connections,
): Promise<ServiceParts> {
  const unsafe = unsafeSettings(config);
  if (unsafe.length > 0) logger.warn({ settings: unsafe }, 'CALLS ARE NOT SAFE: these settings are for tests');
  const collections = await openCollections(db);
  const ring = config.SECRETBOX_KEYS;
  const canaries = canaryStore(collections.sealingKeys, collections.connections);
  await verifyKeyRing(ring, canaries);

  const organizationChannel = openChannel(config.ORGANIZATION_ADDRESS);
  onStop('organization', () => organizationChannel.close());
  const analysisChannel = openChannel(config.ANALYSIS_ADDRESS);
  onStop('analysis', () => analysisChannel.close());
  const tenants = tenantsFromOrganization(organizationChannel, bus, logger);
  onStop('tenants', () => tenants.close());
  const egress = openEgress(config, {
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
    connectMs: CONNECT_MS_MAX,
    headersMs: config.ERP_CALL_SECONDS * 1_000,
  });
  onStop('egress', () => egress.close());
  const outbox = await openOutbox(['connections', AUDIT_LINES]);
  const audit = await auditBuffer(events.erpSyncAuditRecorded, { db, outbox, clock, logger });
  onStop('audit lines', () => audit.flush());

  const secrets = connectionSecrets(secretbox(ring));
  const connections = connectionStore(collections.connections, outbox, clock);
  const deps = {
    connections,
    places: placeStore(collections.places),
    secrets,
    tenants,
    checks: configChecks(egress, {
      allowedOrigins: config.ERP_EGRESS_ALLOW_ORIGINS,
      bankOrigins: bankOrigins(config),
    }),
    master: vendorMaster(analysisChannel),
    openTestSession: openSessions(providers),
    audit,
    encode: encodeConnections(config.ERP_PROVIDER_NAMES, async () => []),
    onDue: () => {},
    clock,
    logger,
  };
  const closeReport = reportConnections({
    unfinishedDeletions: () => connections.countUnfinishedDeletions(),
    secretsOfKey: (keyId) => connections.countSealedWith(keyId),
    unopenable: () => connections.countSealedWithOthers(ring.map(({ id }) => id)),
    keyIds: ring.map(({ id }) => id),
  });
  onStop('metrics', closeReport);
  return {
    rpcGroups: [
      connectionService(deps),
      usageService({ erp_connections: (organizationId) => connections.countLive(organizationId) }, clock),
    ],
    tenantData: [ownedDocuments(collections.connections), documentOfOrganization(collections.places)],
    jobs: [
      { name: 'audit lines', pauseMs: FLUSH_AUDIT_EACH_MS, run: () => audit.flush() },
      { name: 'deleted connections', pauseMs: FINISH_DELETIONS_EACH_MS, run: finishDeletions(deps) },
      {
        name: 'sealing keys',
        pauseMs: REWRAP_EACH_MS,
        run: rewrapSecrets({ connections, secrets, ring, forgetKey: (keyId) => canaries.delete(keyId), logger }),
      },
    ],
  };
}

/** The collections of the service with their indexes. */
async function openCollections(db: Db) {
  const connections = db.collection<ConnectionDocument>('connections');
  await createConnectionIndexes(connections);
  return {
    connections,
    places: db.collection<PlacesDocument>('connection_places'),
    sealingKeys: db.collection<SealingKeyDocument>('sealing_keys'),
  };
}
