import { events } from '@invoicecontrol/contracts/events';
import { placeStore } from '@invoicecontrol/metering/places';
import type { PlacesDocument } from '@invoicecontrol/metering/places';
import { usageService } from '@invoicecontrol/metering/usage-service';
import { archiveService } from '@invoicecontrol/retention/archive-service';
import { documentOfOrganization, ownedDocuments } from '@invoicecontrol/retention/tenant-data';
import { startTenantService } from '@invoicecontrol/retention/tenant-service';
import type { TenantConnections, TenantParts } from '@invoicecontrol/retention/tenant-service';
import { openChannel } from '@invoicecontrol/runtime/grpc/client';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { handler } from '@invoicecontrol/runtime/service-shell';
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
import type { Db } from 'mongodb';
import { completionBatch } from './application/complete-deliveries.js';
import { deliveryWorker, POLL_EACH_MS } from './application/delivery-worker.js';
import { fanOut } from './application/fan-out.js';
import { plansOf } from './application/plans.js';
import { deliveryReader } from './application/read-deliveries.js';
import { sendDelivery } from './application/send-delivery.js';
import { deleteOld, finishDeletions } from './application/sweeps.js';
import { stuckDeliveries } from './application/stuck-deliveries.js';
import { watchFailing } from './application/watch-failing.js';
import { httpSender, openWebhookEgress } from './clients/http-sender.js';
import { configSchema, unsafeSettings } from './config.js';
import type { Config } from './config.js';
import {
  ofAnalysisFailed,
  ofFindingCreated,
  ofFindingReviewed,
  ofPaymentRunChecked,
  ofInvoiceAnalyzed,
  ofScanCompleted,
  ofSubmissionChanged,
  ofSyncCompleted,
} from './transport/subscribers/to-public-event.js';
import { reportDeliveries, reportEndpoints } from './telemetry.js';
import { archivedDeliveries } from './storage/archive.js';
import { createDeliveryIndexes, deliveryStore } from './storage/deliveries.js';
import type { DeliveryDocument } from './storage/deliveries.js';
import { createEndpointIndexes, endpointStore } from './storage/endpoints.js';
import type { EndpointDocument } from './storage/endpoints.js';
import { createEventIndexes, eventStore } from './storage/events.js';
import type { EventDocument } from './storage/events.js';
import { deliveryService } from './transport/grpc/deliveries.js';
import { endpointService } from './transport/grpc/endpoints.js';
import { onPublicEvent } from './transport/subscribers/public-events.js';

/**
 * Maximum number of internal events of one type that are handled at the same time. Concurrent events share database
 * commands, so that a backlog of events needs only few database commands.
 */
const FAN_OUTS_MAX = 128;
const WATCH_FAILING_EACH_MS = 30_000;
const FINISH_DELETIONS_EACH_MS = 30_000;
const DELETE_OLD_EACH_MS = 3_600_000;

/** Starts the webhooks service and resolves when the service accepts calls. */
export function startService(config: Config, overrides?: StartOverrides): Promise<RunningService> {
  return startTenantService(
    {
      name: 'webhooks',
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
  { db, bus, identity, clock, logger, openOutbox, onStop }: TenantConnections,
): Promise<TenantParts> {
  const unsafe = unsafeSettings(config);
  if (unsafe.length > 0) logger.warn({ settings: unsafe }, 'DELIVERIES ARE NOT SAFE: these settings are for tests');
  const collections = await openCollections(db);
  const ring = config.SECRETBOX_KEYS;
  const secrets = sealedField(secretbox(ring), 'endpoints', 'sealed');
  const sealed = sealedDocuments(collections.endpoints, { 'secrets[]': secrets });
  const canaries = canaryStore(collections.sealingKeys, sealed.keyIds);
  await verifyKeyRing(ring, canaries);

  const channel = openChannel(config.ORGANIZATION_ADDRESS, { service: 'organization', identity });
  onStop('organization', () => channel.close());
  const tenants = tenantsFromOrganization(channel, bus, logger);
  onStop('tenants', () => tenants.close());
  const egress = openWebhookEgress(config);
  onStop('egress', () => egress.close());
  const outbox = await openOutbox(['endpoints', 'deliveries']);

  const endpoints = endpointStore(collections.endpoints, outbox, clock);
  const eventRecords = eventStore(collections.events);
  const deliveries = deliveryStore(collections.deliveries, outbox, clock);
  const places = placeStore(collections.places, 'endpointIds');
  const plans = plansOf(tenants);
  const completions = completionBatch({
    queue: deliveries,
    endpoints,
    clock,
    logger,
    onRetry: (delivery) => worker.add(delivery),
  });
  onStop('results', () => completions.flush());
  const overlapMs = config.WEBHOOK_SECRET_OVERLAP_MS;
  const worker = deliveryWorker({
    queue: deliveries,
    send: sendDelivery({
      queue: deliveries,
      completions,
      endpoints,
      events: eventRecords,
      plans,
      secrets,
      sender: httpSender(egress),
      schedule: { waitsMs: config.WEBHOOK_RETRY_WAITS_MS, floorMs: config.WEBHOOK_RETRY_FLOOR_MS },
      overlapMs,
      clock,
      logger,
    }),
    clock,
    logger,
  });
  onStop('deliveries', () => worker.stop());
  const closeReport = reportDeliveries({
    async oldestDueSeconds() {
      const now = clock.now();
      const [oldest] = await deliveries.dueSince(now, 1);
      return oldest === undefined ? 0 : (now.getTime() - oldest.nextAttemptAt.getTime()) / 1_000;
    },
    inFlight: () => worker.inFlight,
  });
  onStop('metrics', closeReport);
  const existing = { filter: { status: { $ne: 'DELETED' } }, fields: { status: '$status' }, clock };
  onStop('metrics of endpoints', reportEndpoints(populationOf(collections.endpoints, existing)));
  onStop('metrics of sealing keys', reportSealedRecords('endpoints', sealed, ring));

  const changes = { endpoints, places, deliveries, secrets, urls: egress, overlapMs, clock };
  const replays = { endpoints, deliveries, events: eventRecords, queue: deliveries, plans, worker, clock };
  const reader = deliveryReader({ deliveries, clock });
  const deliver = fanOut({ endpoints, events: eventRecords, queue: deliveries, plans, worker, clock });
  const failingLimits = {
    noticeAfterMs: config.WEBHOOK_NOTICE_AFTER_MS,
    disableAfterMs: config.WEBHOOK_DISABLE_AFTER_MS,
  };
  return {
    rpcGroups: [
      endpointService({ changes, replays, reader }),
      deliveryService({ replays, reader }),
      archiveService({ webhook_deliveries: archivedDeliveries(collections.deliveries) }),
      usageService({ present: { webhooks: (organizationId) => endpoints.count(organizationId) } }, clock),
    ],
    eventHandlers: [
      handler(events.invoiceAnalyzed, onPublicEvent(deliver, ofInvoiceAnalyzed), FAN_OUTS_MAX),
      handler(events.analysisFailed, onPublicEvent(deliver, ofAnalysisFailed), FAN_OUTS_MAX),
      handler(events.findingCreated, onPublicEvent(deliver, ofFindingCreated), FAN_OUTS_MAX),
      handler(events.findingReviewed, onPublicEvent(deliver, ofFindingReviewed), FAN_OUTS_MAX),
      handler(events.paymentRunChecked, onPublicEvent(deliver, ofPaymentRunChecked), FAN_OUTS_MAX),
      handler(events.submissionChanged, onPublicEvent(deliver, ofSubmissionChanged), FAN_OUTS_MAX),
      handler(events.syncCompleted, onPublicEvent(deliver, ofSyncCompleted), FAN_OUTS_MAX),
      handler(events.scanCompleted, onPublicEvent(deliver, ofScanCompleted), FAN_OUTS_MAX),
      handler(events.organizationDeleted, ({ organizationId, eventTime = clock.now() }) =>
        deliveries.skipPendingOf(organizationId, eventTime),
      ),
    ],
    tenantData: [
      ownedDocuments(collections.endpoints),
      ownedDocuments(collections.deliveries),
      ownedDocuments(collections.events),
      documentOfOrganization(collections.places),
    ],
    stuckWork: [stuckDeliveries({ deliveries })],
    jobs: [
      { name: 'due deliveries', pauseMs: POLL_EACH_MS, run: () => worker.poll() },
      {
        name: 'failing endpoints',
        pauseMs: Math.min(WATCH_FAILING_EACH_MS, ...Object.values(failingLimits)),
        run: watchFailing({ endpoints, limits: failingLimits, clock, logger }),
      },
      { name: 'deleted endpoints', pauseMs: FINISH_DELETIONS_EACH_MS, run: finishDeletions(changes) },
      {
        name: 'old deliveries',
        pauseMs: DELETE_OLD_EACH_MS,
        run: deleteOld({ deliveries, events: eventRecords, endpoints, clock }),
      },
      rewrapJob({
        name: 'endpoints',
        records: [sealed],
        ring,
        canaries,
        logger,
      }),
    ],
  };
}

/** Opens the database collections of the webhooks service with their indexes. */
async function openCollections(db: Db) {
  const endpoints = db.collection<EndpointDocument>('endpoints');
  const deliveries = db.collection<DeliveryDocument>('deliveries');
  const eventRecords = db.collection<EventDocument>('events');
  await Promise.all([
    createEndpointIndexes(endpoints),
    createDeliveryIndexes(deliveries),
    createEventIndexes(eventRecords),
  ]);
  return {
    endpoints,
    deliveries,
    events: eventRecords,
    places: db.collection<PlacesDocument<'endpointIds'>>('endpoint_places'),
    sealingKeys: db.collection<SealingKeyDocument>('sealing_keys'),
  };
}
