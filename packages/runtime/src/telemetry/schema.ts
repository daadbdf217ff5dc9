import { callerNames } from '@invoicecontrol/contracts/callers';

/**
 * Declares every metric that the services export. The instruments, the reference page (`docs/reference/telemetry.md`),
 * the names in alert rules and dashboards, and the test that checks all exported metrics are based on these
 * declarations. Only this file and `log-fields.ts` of the runtime name features of the product.
 */

export const serviceNames = [
  'gateway',
  'organization',
  'documents',
  'analysis',
  'scan',
  'erp-sync',
  'ksef',
  'webhooks',
  'billing',
] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Programs that export metrics but are not services: they run for a moment and end. */
export const programNames = ['probe'] as const;
type Owner = ServiceName | (typeof programNames)[number];

/**
 * The possible values of a metric attribute: either a fixed list, or names that another file of the product defines,
 * such as its routes. A metric never has an attribute whose values customers choose.
 */
export type AttributeValues =
  | { readonly values: readonly string[]; readonly isOptional?: true }
  | { readonly boundedBy: string; readonly pattern: RegExp; readonly isOptional?: true };

/**
 * Kinds of metric instruments. A gauge is read at each export, except `liveGauge`, which rises and falls with the work
 * that it counts.
 */
export type Instrument = 'counter' | 'histogram' | 'gauge' | 'liveGauge';

export interface Metric {
  readonly instrument: Instrument;
  /** Unit of a metric as OpenTelemetry writes it: `s`, `By`, `1`, or the counted things in braces. */
  readonly unit: string;
  readonly description: string;
  readonly attributes: Readonly<Record<string, AttributeValues>>;
  /** Upper limits of the buckets of a histogram metric. */
  readonly buckets?: readonly number[];
  readonly owners: readonly Owner[];
  /** Names that the metric had in earlier releases. */
  readonly renamedFrom?: readonly string[];
  /** Event that must occur before the metric is recorded, if ordinary use of the product does not record it. */
  readonly onlyAfter?: string;
}

/** Histogram buckets for the durations of requests, in seconds. */
export const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/** Histogram buckets for the durations of long work, in seconds. */
export const WORK_BUCKETS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;
/** Histogram buckets for used shares of a quota. */
export const SHARE_BUCKETS = [0.5, 0.8, 0.9, 1] as const;
/** Histogram buckets for waiting times, in seconds. */
export const WAIT_BUCKETS = [1, 5, 15, 30, 60, 300, 900, 3_600, 14_400, 86_400] as const;

const oneOf = <const V extends readonly string[]>(...values: V) => ({ values });
const optional = <V extends AttributeValues>(values: V) => ({ ...values, isOptional: true as const });
const bounded = (boundedBy: string, pattern: RegExp) => ({ boundedBy, pattern });

/** Reasons for which the proof of a gRPC call is refused: its grant, or the seal of its request. */
export const proofFaults = [
  'grant_missing',
  'grant_invalid',
  'grant_expired',
  'grant_foreign',
  'grant_role',
  'grant_scope',
  'seal_missing',
  'seal_invalid',
  'seal_used',
] as const;

/** Reasons why a service closed a connection before its first call. */
export const connectionFaults = [
  'no_certificate',
  'expired',
  'not_yet_valid',
  'other_authority',
  'no_identity',
  'several_identities',
  'foreign_trust_domain',
  'unknown_identity',
  'no_tls',
  'too_slow',
  'too_many',
  'too_many_handshakes',
  'other',
] as const;

const errorType = optional(bounded('codes of errors and names of error classes', /^[A-Za-z0-9_.]{1,60}$/));
const rpcMethod = bounded('methods of proto/', /^(?:invoicecontrol|grpc)\.[a-z0-9_.]+\.[A-Za-z0-9]+\/[A-Za-z0-9]+$/);
const sealedRecords = oneOf(
  'endpoints',
  'erp_connections',
  'ksef_connections',
  'ksef_submissions',
  'ksef_inboxes',
  'account_verifications',
);
const paymentVerdict = oneOf('pay', 'hold', 'unknown');
const paymentCheck = oneOf('created', 'recheck', 'download');
const rpcStatus = oneOf(
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
);
const httpStatus = optional(bounded('status codes of HTTP', /^[1-5]\d\d$/));
const subject = bounded('subjects of packages/contracts/src/events.ts', /^invoicecontrol\.[a-z_-]+\.v1\.[a-z_]+$/);
const consumer = bounded('consumers: service and event', /^[a-z0-9_-]+$/);
const collection = bounded('collections of the services', /^[a-z_]+(?:\.chunks|\.files)?$/);
// The metric attribute for the name of a job is `job.name`, because Prometheus sets the label `job` itself.
const job = bounded('names of the jobs in the code', /^[a-z_]+$/);
const keyId = bounded('keys of SECRETBOX_KEYS', /^[A-Za-z0-9_-]{1,64}$/);
const findingType = bounded('catalogue of packages/engine', /^[a-z0-9_]+$/);
const provider = oneOf('business_central', 'odoo', 'quickbooks', 'xero');
/** The value of the metric attribute `provider` for each code of an ERP in contracts and stored records. */
export const providerWords = {
  PROVIDER_A: 'business_central',
  PROVIDER_B: 'odoo',
  PROVIDER_C: 'quickbooks',
  PROVIDER_D: 'xero',
} as const;
const environment = oneOf('test', 'demo', 'production');
const documentFormat = oneOf('pdf', 'xml', 'image', 'other');
const meter = oneOf('analyses', 'scan_rows', 'upload_bytes', 'payment_lines');

/** Metric of the resident memory of the process, which every process reports. */
export const MEMORY = 'process.memory.usage';

const everyService = serviceNames;
/** Services that have a database and export metrics about it. */
const storing = serviceNames.filter((name) => name !== 'gateway');

const gauge = <const M extends Omit<Metric, 'instrument'>>(metric: M) => ({ instrument: 'gauge' as const, ...metric });
const liveGauge = <const M extends Omit<Metric, 'instrument'>>(metric: M) => ({
  instrument: 'liveGauge' as const,
  ...metric,
});
const counter = <const M extends Omit<Metric, 'instrument'>>(metric: M) => ({
  instrument: 'counter' as const,
  ...metric,
});
/** Declares a histogram metric that measures durations in seconds. */
const histogram = <const M extends Omit<Metric, 'instrument' | 'unit'>>(metric: M) => ({
  instrument: 'histogram' as const,
  unit: 's' as const,
  ...metric,
});

export const metrics = {
  // Metrics about requests and calls.
  'http.server.request.duration': histogram({
    description: 'Duration of requests to the gateway.',
    attributes: {
      'http.request.method': oneOf('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', '_OTHER'),
      'http.route': optional(bounded('routes of the API and the probes', /^\/[\w/{}.-]*$/)),
      'http.response.status_code': httpStatus,
      'error.type': optional(bounded('status of 500 and above, or caller_left', /^(?:5\d\d|caller_left)$/)),
    },
    buckets: REQUEST_BUCKETS,
    owners: ['gateway'],
  }),
  'http.server.active_requests': liveGauge({
    unit: '{request}',
    description: 'Requests that have no response yet.',
    attributes: {},
    owners: ['gateway'],
  }),
  'invoicecontrol.http.connections': gauge({
    unit: '{connection}',
    description: 'Open connections of callers.',
    attributes: {},
    owners: ['gateway'],
  }),
  'invoicecontrol.http.body_bytes': gauge({
    unit: 'By',
    description: 'Bytes reserved for request bodies that are being received or processed.',
    attributes: {},
    owners: ['gateway'],
  }),
  'rpc.server.call.duration': histogram({
    description: 'Duration of gRPC calls, measured by the called service.',
    attributes: {
      'rpc.system.name': oneOf('grpc'),
      'rpc.method': rpcMethod,
      'rpc.response.status_code': rpcStatus,
    },
    buckets: REQUEST_BUCKETS,
    owners: storing,
  }),
  'rpc.client.call.duration': histogram({
    description: 'Duration of gRPC calls, measured by the caller.',
    attributes: {
      'rpc.system.name': oneOf('grpc'),
      'rpc.method': rpcMethod,
      'rpc.response.status_code': rpcStatus,
    },
    buckets: REQUEST_BUCKETS,
    owners: everyService,
  }),
  'http.client.request.duration': histogram({
    description: 'Duration of calls to other companies, until the headers of the response; of mails, until the reply.',
    attributes: {
      'http.request.method': oneOf('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', '_OTHER'),
      'invoicecontrol.peer': oneOf(
        'ecb',
        'smtp',
        'paddle',
        'ksef',
        'business_central',
        'odoo',
        'quickbooks',
        'xero',
        'customer',
      ),
      'http.response.status_code': httpStatus,
      'error.type': errorType,
    },
    buckets: WORK_BUCKETS,
    owners: ['analysis', 'organization', 'billing', 'ksef', 'erp-sync', 'webhooks'],
  }),

  // Metrics about the database and the broker, as their clients see them.
  'db.client.operation.duration': histogram({
    description: 'Duration of commands to MongoDB.',
    attributes: {
      'db.system.name': oneOf('mongodb'),
      'db.collection.name': optional(collection),
      'db.operation.name': bounded('commands of MongoDB', /^[A-Za-z]{2,40}$/),
      'error.type': errorType,
    },
    buckets: REQUEST_BUCKETS,
    owners: storing,
  }),
  'db.client.connection.count': gauge({
    unit: '{connection}',
    description: 'Connections of the pool to MongoDB, idle or used by a command.',
    attributes: { 'db.client.connection.state': oneOf('idle', 'used') },
    owners: storing,
  }),
  'db.client.connection.wait_time': histogram({
    description: 'Time that commands waited for a connection of the pool.',
    attributes: {},
    buckets: REQUEST_BUCKETS,
    owners: storing,
  }),
  'db.client.connection.timeouts': counter({
    unit: '{timeout}',
    description: 'Commands that got no connection of the pool in time.',
    attributes: {},
    owners: storing,
  }),
  'messaging.client.operation.duration': histogram({
    description: 'Duration of publishing an event.',
    attributes: {
      'messaging.system': oneOf('nats'),
      'messaging.operation.name': oneOf('publish'),
      'messaging.destination.name': subject,
      'error.type': errorType,
    },
    buckets: REQUEST_BUCKETS,
    owners: storing,
  }),
  'messaging.process.duration': histogram({
    description: 'Duration of handling an event.',
    attributes: {
      'messaging.system': oneOf('nats'),
      'messaging.operation.name': oneOf('process'),
      'messaging.destination.name': subject,
      // The attribute with the consumer group is absent for broadcast events, which have no consumer at the broker.
      'messaging.consumer.group.name': optional(consumer),
      'error.type': errorType,
    },
    buckets: WORK_BUCKETS,
    owners: everyService,
  }),
  'invoicecontrol.broker.connected': gauge({
    unit: '{connection}',
    description: '1 while the process is connected to the broker, else 0.',
    attributes: {},
    owners: everyService,
    renamedFrom: ['broker.connected'],
  }),

  // Metrics about the TLS identities of services, and about refused connections and calls.
  'invoicecontrol.identity.expires': gauge({
    unit: 's',
    description: 'Time until the certificate of the service expires.',
    attributes: {},
    owners: everyService,
  }),
  'invoicecontrol.identity.refused_files': counter({
    unit: '{reading}',
    description: 'Readings of the identity files that did not fit together. The service still uses the last ones.',
    attributes: {},
    owners: everyService,
    onlyAfter: 'the files of an identity do not fit together',
  }),
  'invoicecontrol.rpc.refused_connections': counter({
    unit: '{connection}',
    description: 'Connections that were closed because the other end did not prove which service it is.',
    attributes: { reason: oneOf(...connectionFaults) },
    owners: storing,
    onlyAfter: 'a stranger connects to a service',
  }),
  'invoicecontrol.rpc.refused': counter({
    unit: '{call}',
    description: 'gRPC calls by services that may not make them.',
    attributes: {
      caller: oneOf(...callerNames, 'other'),
      rpc: rpcMethod,
      reason: oneOf('not_listed', 'no_connection', ...proofFaults),
    },
    owners: storing,
    onlyAfter: 'a service makes a call that it may not make',
  }),
  'invoicecontrol.rpc.calls': gauge({
    unit: '{call}',
    description: 'gRPC calls without streams whose work is in progress, also those whose callers no longer wait.',
    attributes: {},
    owners: storing,
  }),
  'invoicecontrol.rpc.streams': gauge({
    unit: '{call}',
    description: 'gRPC calls with a stream of requests or responses that are in progress.',
    attributes: {},
    owners: storing,
  }),
  'invoicecontrol.rpc.request_bytes': gauge({
    unit: 'By',
    description: 'Size of the requests of all gRPC calls whose work is in progress.',
    attributes: {},
    owners: storing,
  }),
  'invoicecontrol.rpc.shed': counter({
    unit: '{call}',
    description: 'gRPC calls that were refused because too much work was in progress in the process.',
    attributes: { reason: oneOf('calls', 'streams', 'bytes', 'organization') },
    owners: storing,
  }),

  // Metrics about the process of a service.
  'process.cpu.time': counter({
    unit: 's',
    description: 'CPU time that the process has used.',
    attributes: { 'cpu.mode': oneOf('user', 'system') },
    owners: everyService,
  }),
  [MEMORY]: gauge({
    unit: 'By',
    description: 'Resident memory of the process.',
    attributes: {},
    owners: everyService,
  }),

  // Metrics about stored work that is waiting, such as unpublished events.
  'invoicecontrol.outbox.depth': gauge({
    unit: '{document}',
    description: 'Documents with events that the broker has not acknowledged, counted up to 10,000.',
    attributes: { collection },
    owners: storing,
    renamedFrom: ['outbox.pending'],
  }),
  'invoicecontrol.outbox.oldest_age': gauge({
    unit: 's',
    description: 'Age of the oldest event that the broker has not acknowledged; 0 if there is none.',
    attributes: { collection },
    owners: storing,
    renamedFrom: ['outbox.oldest_event_age'],
  }),
  'invoicecontrol.consumer.state': gauge({
    unit: '{consumer}',
    description: '1 while the process takes events and the broker knows the consumer, else 0.',
    attributes: { consumer },
    owners: storing,
    renamedFrom: ['consumer.alive'],
  }),
  'invoicecontrol.consumer.pending': gauge({
    unit: '{message}',
    description: 'Events that no replica has been given.',
    attributes: { consumer },
    owners: storing,
    renamedFrom: ['consumer.pending'],
  }),
  'invoicecontrol.consumer.ack_pending': gauge({
    unit: '{message}',
    description: 'Events that are being handled or wait for a retry.',
    attributes: { consumer },
    owners: storing,
    renamedFrom: ['consumer.unacknowledged'],
  }),
  'invoicecontrol.consumer.redelivered': gauge({
    unit: '{message}',
    description: 'Events that failed before and are not handled yet.',
    attributes: { consumer },
    owners: storing,
    renamedFrom: ['consumer.redelivered'],
  }),
  'invoicecontrol.consumer.age': gauge({
    unit: 's',
    description: 'Age of the oldest event that is not handled yet; 0 if there is none.',
    attributes: { consumer },
    owners: storing,
    renamedFrom: ['consumer.oldest_event_age'],
  }),
  'invoicecontrol.consumer.failures': counter({
    unit: '{failure}',
    description: 'Failed handlers of events: the event is retried, or became a dead letter.',
    attributes: { consumer, outcome: oneOf('retry', 'dead_letter') },
    owners: storing,
    renamedFrom: ['consumer.failures'],
    onlyAfter: 'a handler fails',
  }),
  'invoicecontrol.consumer.recreated': counter({
    unit: '{consumer}',
    description: 'Consumers that the broker lost and this process created again.',
    attributes: { consumer },
    owners: storing,
    renamedFrom: ['consumer.recreated'],
    onlyAfter: 'the broker loses a consumer',
  }),
  'invoicecontrol.consumer.rewound': counter({
    unit: '{consumer}',
    description: 'Consumers that receive events again after their database was restored.',
    attributes: { consumer },
    owners: storing,
    renamedFrom: ['consumer.rewound'],
    onlyAfter: 'a database is restored',
  }),
  'invoicecontrol.dead_letters': gauge({
    unit: '{event}',
    description: 'Stored dead letters, counted up to 10,000.',
    attributes: { consumer },
    owners: storing,
    renamedFrom: ['consumer.dead_letters'],
  }),
  'invoicecontrol.dead_letters.resent': counter({
    unit: '{event}',
    description: 'Dead letters that the operator sent again.',
    attributes: { outcome: oneOf('handled', 'failed', 'not_found') },
    owners: storing,
    renamedFrom: ['dead_letters.resent'],
  }),
  'invoicecontrol.jobs.due': gauge({
    unit: '{job}',
    description: 'Pieces of work that are due and that no process does yet.',
    attributes: { 'job.name': oneOf('extractions') },
    owners: ['documents'],
    renamedFrom: ['documents.extractions_waiting'],
  }),
  'invoicecontrol.jobs.oldest_age': gauge({
    unit: 's',
    description: 'How long the piece of work that waits longest has been due; 0 if none waits.',
    attributes: { 'job.name': oneOf('deliveries', 'submissions', 'inboxes') },
    owners: ['webhooks', 'ksef'],
    renamedFrom: ['webhooks.oldest_due_age', 'ksef.submission_lag', 'ksef.inbox_lag'],
  }),
  'invoicecontrol.jobs.stuck': gauge({
    unit: '{item}',
    description: 'Items that `npm run admin stuck` would list: work without progress for 10 minutes.',
    attributes: {
      kind: oneOf(
        'outbox',
        'consumer',
        'dead_letters',
        'job',
        'upload',
        'analysis',
        'review',
        'payment_notification',
        'unlinked_subscription',
        'erp_sync',
        'ksef_submission',
        'ksef_inbox',
        'mail',
        'scan',
        'delivery',
        'usage',
        'broker',
        'index',
      ),
    },
    owners: storing,
  }),
  'invoicecontrol.jobs.duration': histogram({
    description: 'Duration of runs of a job.',
    attributes: { 'job.name': job },
    buckets: WORK_BUCKETS,
    owners: storing,
  }),
  'invoicecontrol.jobs.failures': counter({
    unit: '{run}',
    description: 'Runs of a job that failed.',
    attributes: { 'job.name': job },
    owners: storing,
    renamedFrom: ['job.failures'],
    onlyAfter: 'a run of a job fails',
  }),
  'invoicecontrol.job.last_success': gauge({
    unit: 's',
    description: 'Time of the last run that succeeded, as Unix time; the start of the process if none has.',
    attributes: { 'job.name': job },
    owners: storing,
    renamedFrom: ['job.time_since_success'],
  }),
  'invoicecontrol.job.running_time': gauge({
    unit: 's',
    description: 'Duration of the current run so far; 0 between runs.',
    attributes: { 'job.name': job },
    owners: storing,
    renamedFrom: ['job.running_time'],
  }),
  'invoicecontrol.leases.lost': counter({
    unit: '{lease}',
    description: 'Workers that were slower than their lease and lost their claim.',
    attributes: { kind: collection },
    owners: storing,
    renamedFrom: ['lease.lost'],
    onlyAfter: 'a worker is slower than its lease',
  }),
  'invoicecontrol.purge.steps': counter({
    unit: '{document}',
    description: 'Documents of purged organizations that were removed.',
    attributes: { step: bounded('collections that hold data of organizations', /^[a-z_ ]+$/) },
    owners: storing,
    renamedFrom: ['purge.documents'],
    onlyAfter: 'a deleted organization is purged',
  }),
  'invoicecontrol.audit.lines_dropped': counter({
    unit: '{line}',
    description: 'Audit lines of reads that did not fit into memory while the database was unavailable.',
    attributes: {},
    owners: storing,
    renamedFrom: ['audit.lines_dropped'],
  }),
  'invoicecontrol.sealed_records': gauge({
    unit: '{record}',
    description: 'Records with a secret that this key of SECRETBOX_KEYS seals.',
    attributes: {
      records: sealedRecords,
      key_id: keyId,
    },
    owners: ['webhooks', 'erp-sync', 'ksef', 'analysis'],
    renamedFrom: [
      'webhooks.sealed_endpoints',
      'erp.sealed_connections',
      'ksef.sealed_connections',
      'ksef.sealed_submissions',
      'ksef.sealed_inboxes',
    ],
  }),
  'invoicecontrol.unopenable_records': gauge({
    unit: '{record}',
    description: 'Records with a secret under a key that this process lacks.',
    attributes: {
      records: sealedRecords,
    },
    owners: ['webhooks', 'erp-sync', 'ksef', 'analysis'],
    renamedFrom: [
      'webhooks.unopenable_endpoints',
      'erp.unopenable_connections',
      'ksef.unopenable_connections',
      'ksef.unopenable_submissions',
      'ksef.unopenable_inboxes',
    ],
  }),

  // gateway
  'invoicecontrol.requests.refused': counter({
    unit: '{request}',
    description: 'Requests and connections that the gateway refused to protect itself or its other callers.',
    attributes: { reason: oneOf('rate', 'overload', 'body', 'connection', 'idle') },
    owners: ['gateway'],
  }),
  'invoicecontrol.limiter.fallback': counter({
    unit: '{request}',
    description: 'Failed reservations after which the gateway limits requests by itself for a second.',
    attributes: {},
    owners: ['gateway'],
    renamedFrom: ['limiter_fallback'],
  }),
  'invoicecontrol.keys.cache': counter({
    unit: '{request}',
    description:
      'Checks of API keys: hit (cached), miss (organization was asked), stale (it was unavailable), refused.',
    attributes: { result: oneOf('hit', 'miss', 'stale', 'refused') },
    owners: ['gateway'],
  }),
  'invoicecontrol.auth.failures': counter({
    unit: '{request}',
    description: 'Requests that were not authenticated. Throttled: the address has tried too many unknown keys.',
    attributes: { reason: oneOf('missing', 'malformed', 'refused', 'expired', 'throttled', 'unavailable') },
    owners: ['gateway'],
  }),

  // organization
  'invoicecontrol.keys.refused': counter({
    unit: '{key}',
    description: 'API keys that were refused.',
    attributes: { reason: oneOf('malformed', 'unknown', 'dead') },
    owners: ['organization'],
    renamedFrom: ['organization.keys_refused'],
  }),
  'invoicecontrol.sessions.refused': counter({
    unit: '{session}',
    description: 'Sessions of the app that were refused.',
    attributes: { reason: oneOf('malformed', 'unknown', 'dead') },
    owners: ['organization'],
  }),
  'invoicecontrol.rate_limits.exceeded': counter({
    unit: '{request}',
    description: 'Requests over a rate limit, by its policy.',
    attributes: { policy: oneOf('default', 'organization', 'writes', 'scans', 'documents') },
    owners: ['organization'],
    renamedFrom: ['organization.requests_refused'],
  }),
  'invoicecontrol.registrations.failed': counter({
    unit: '{organization}',
    description: 'Organizations that billing could not be told of; they are told again.',
    attributes: {},
    owners: ['organization'],
    renamedFrom: ['organization.registrations_failed'],
  }),
  'invoicecontrol.mails': counter({
    unit: '{mail}',
    description: 'Mails that were sent or given up.',
    attributes: {
      kind: oneOf(
        'invitation',
        'finding_assigned',
        'payment_failed',
        'trial_ending',
        'usage_reached',
        'erp_reauth_required',
        'erp_connected',
        'ksef_connection_failed',
        'ksef_credential_ending',
        'ksef_inbox_paused',
        'ksef_invoices_refused',
        'ksef_submission_refused',
        'webhook_failing',
        'webhook_disabled',
      ),
      status: oneOf('sent', 'failed'),
    },
    owners: ['organization'],
    renamedFrom: ['organization.notifications_ended'],
  }),
  'invoicecontrol.purges': counter({
    unit: '{organization}',
    description: 'Organizations whose purge began.',
    attributes: {},
    owners: ['organization'],
    renamedFrom: ['organization.purges'],
  }),
  'invoicecontrol.organizations': gauge({
    unit: '{organization}',
    description: 'Organizations by plan and subscription, counted every five minutes, up to 10,000 of them.',
    attributes: {
      plan: oneOf('free', 'core', 'control', 'scale', 'enterprise'),
      status: oneOf('none', 'trialing', 'active', 'past_due', 'paused', 'canceled', 'deleted'),
    },
    owners: ['organization'],
  }),

  // Metrics about quotas, counted by the service that does the work.
  'invoicecontrol.quota.used': {
    instrument: 'histogram',
    unit: '1',
    description: 'Used share of a monthly quota, after each reservation and at each refusal.',
    attributes: { meter },
    buckets: SHARE_BUCKETS,
    owners: ['analysis', 'scan', 'documents'],
  },
  'invoicecontrol.usage.corrected': counter({
    unit: '{unit}',
    description: 'Units by which usage counters were wrong. A crash leaves a counter too high, so it is lowered.',
    attributes: { meter, direction: oneOf('raised', 'lowered') },
    owners: ['analysis', 'scan', 'documents'],
  }),

  // documents
  'invoicecontrol.uploads': counter({
    unit: '{upload}',
    description: 'Uploads that were received, or refused after they had begun; reservations abandoned, files unused.',
    attributes: { outcome: oneOf('received', 'refused', 'abandoned', 'unused') },
    owners: ['documents'],
    renamedFrom: ['documents.uploads'],
  }),
  'invoicecontrol.upload.bytes': counter({
    unit: 'By',
    description: 'Bytes of uploads that were stored.',
    attributes: { format: documentFormat },
    owners: ['documents'],
    renamedFrom: ['documents.upload_bytes'],
  }),
  'invoicecontrol.extraction.duration': histogram({
    description: 'Duration of reading a document, with the wait for a process.',
    attributes: {
      format: documentFormat,
      outcome: oneOf(
        'read',
        'encrypted',
        'damaged',
        'malformed_xml',
        'doctype',
        'unsupported_format',
        'several_invoices',
        'no_invoice',
        'fields_missing',
        'too_large',
        'timed_out',
        'crashed',
      ),
    },
    buckets: WORK_BUCKETS,
    owners: ['documents'],
    renamedFrom: ['documents.extractions', 'documents.extraction_seconds'],
  }),
  'invoicecontrol.validation.duration': histogram({
    description: 'Duration of checking an electronic invoice against the rules of its profile, within its reading.',
    attributes: { profile: bounded('profiles of packages/compliance, or none', /^[a-z0-9_]{1,40}$/) },
    buckets: REQUEST_BUCKETS,
    owners: ['documents'],
  }),
  'invoicecontrol.rendering.duration': histogram({
    description: 'Duration of rendering a picture or a view of a document, with the wait for a process.',
    attributes: {
      target: oneOf('page', 'words', 'view'),
      outcome: bounded('rendered, or the reason why not', /^[a-z_]+$/),
    },
    buckets: WORK_BUCKETS,
    owners: ['documents'],
    renamedFrom: ['documents.renderings', 'documents.rendering_seconds'],
  }),
  'invoicecontrol.children.killed': counter({
    unit: '{process}',
    description: 'Processes that read documents and ended before their result.',
    attributes: { reason: oneOf('time', 'starved', 'memory', 'crash', 'killed') },
    owners: ['documents'],
    renamedFrom: ['documents.children_killed'],
  }),

  // analysis
  'invoicecontrol.decisions': counter({
    unit: '{decision}',
    description: 'Stored decisions. The source `reanalysis` is a decision that was made again.',
    attributes: {
      decision: oneOf('pass', 'review', 'block'),
      source: oneOf('api', 'upload', 'scan', 'erp', 'ksef', 'reanalysis'),
    },
    owners: ['analysis'],
    renamedFrom: ['analysis.decisions'],
  }),
  'invoicecontrol.decision.duration': histogram({
    description: 'Duration of a decision by stage: loading the facts, running the engine, the commit, derived records.',
    attributes: { stage: oneOf('facts', 'engine', 'commit', 'derived') },
    buckets: REQUEST_BUCKETS,
    owners: ['analysis'],
  }),
  'invoicecontrol.candidates.hot': counter({
    unit: '{decision}',
    description: 'Decisions about single invoices with more records of the same keys than are compared.',
    attributes: {},
    owners: ['analysis'],
  }),
  'invoicecontrol.findings': counter({
    unit: '{finding}',
    description: 'Findings of decisions, and with the source `books` those about ERP records as a whole.',
    attributes: {
      type: findingType,
      severity: oneOf('info', 'low', 'medium', 'high', 'critical', 'unknown'),
      source: oneOf('decision', 'scan', 'books'),
    },
    owners: ['analysis'],
    renamedFrom: ['analysis.findings'],
  }),
  'invoicecontrol.reviews': counter({
    unit: '{review}',
    description: 'Reviews that changed a finding. Confirmed over all is the precision of a type.',
    attributes: {
      type: findingType,
      disposition: oneOf(
        'open',
        'under_review',
        'confirmed',
        'false_positive',
        'accepted_risk',
        'resolved',
        'superseded',
      ),
    },
    owners: ['analysis'],
    renamedFrom: ['analysis.reviews'],
  }),
  'invoicecontrol.erp_records': counter({
    unit: '{record}',
    description: 'Records of ERP systems that analysis imported.',
    attributes: {
      entity: oneOf('bill', 'credit_note', 'payment', 'order', 'vendor', 'vendor_account'),
      provider,
      outcome: oneOf('created', 'updated', 'unchanged', 'failed', 'deleted'),
    },
    owners: ['analysis'],
    renamedFrom: ['analysis.erp_records'],
  }),
  'invoicecontrol.erp_records.left_out': counter({
    unit: '{record}',
    description: 'Records of ERP systems that were not compared because a limit was reached; 0 is right.',
    attributes: { records: oneOf('bills', 'payments', 'bills_on_orders', 'findings', 'invoices_on_orders') },
    owners: ['analysis'],
    renamedFrom: ['analysis.erp_left_out'],
  }),
  'invoicecontrol.inboxes.left_out': counter({
    unit: '{event}',
    description: 'Times that more companies had a KSeF inbox than analysis keeps in memory; 0 is right.',
    attributes: {},
    owners: ['analysis'],
    renamedFrom: ['analysis.inboxes_left_out'],
  }),
  'invoicecontrol.rates.age': gauge({
    unit: 's',
    description: 'Age of the newest exchange rates, from the end of their day.',
    attributes: {},
    owners: ['analysis'],
  }),
  'invoicecontrol.payment_runs': counter({
    unit: '{check}',
    description: 'Stored checks of payment runs. Hold and unknown: at least one line is held, or else unknown.',
    attributes: { trigger: paymentCheck, outcome: paymentVerdict },
    owners: ['analysis'],
  }),
  'invoicecontrol.payment_run.duration': histogram({
    description: 'Time from the request of a check of a payment run until it is stored.',
    attributes: { trigger: paymentCheck },
    buckets: WORK_BUCKETS,
    owners: ['analysis'],
  }),
  'invoicecontrol.payment_run.lines': counter({
    unit: '{line}',
    description: 'Lines of payment runs that were judged, by the stored checks.',
    attributes: { trigger: paymentCheck, verdict: paymentVerdict },
    owners: ['analysis'],
  }),
  'invoicecontrol.payment_run.downloads': counter({
    unit: '{download}',
    description: 'Files of payment runs that were given out. Repeat: the bytes of an earlier download.',
    attributes: { content: oneOf('pay', 'hold', 'unknown', 'repeat') },
    owners: ['analysis'],
  }),
  'invoicecontrol.payment_run.releases': counter({
    unit: '{release}',
    description: 'Releases of lines. Pending: another person must confirm. Confirmed: that person did.',
    attributes: { state: oneOf('complete', 'pending', 'confirmed') },
    owners: ['analysis'],
  }),

  // scan
  'invoicecontrol.scans': counter({
    unit: '{scan}',
    description: 'Scans that ended. Withdrawn: no row was new, or analysis refused them.',
    attributes: { outcome: oneOf('completed', 'withdrawn', 'abandoned') },
    owners: ['scan'],
    renamedFrom: ['scan.ended'],
  }),
  'invoicecontrol.scan.duration': histogram({
    description: 'Time from the acceptance of a scan to its completion.',
    attributes: {},
    buckets: WORK_BUCKETS,
    owners: ['scan'],
  }),
  'invoicecontrol.scan.rows': counter({
    unit: '{row}',
    description: 'Rows of completed scans.',
    attributes: { result: oneOf('analyzed', 'skipped') },
    owners: ['scan'],
    renamedFrom: ['scan.rows'],
  }),
  'invoicecontrol.scan.tries_failed': counter({
    unit: '{try}',
    description: 'Attempts of a scan that failed.',
    attributes: { reason: oneOf('outage', 'deleted', 'fault'), set_aside: oneOf('true', 'false') },
    owners: ['scan'],
    renamedFrom: ['scan.tries_failed'],
  }),
  'invoicecontrol.scan.turn_wait': histogram({
    description: 'Time that a scan waited for another one of its organization, until it began or was refused.',
    attributes: { outcome: oneOf('begun', 'refused') },
    buckets: WORK_BUCKETS,
    owners: ['scan'],
  }),
  'invoicecontrol.scans.running': gauge({
    unit: '{scan}',
    description: 'Scans that are not complete and not set aside, counted up to 10,000.',
    attributes: {},
    owners: ['scan'],
  }),

  // erp-sync
  'invoicecontrol.runs': counter({
    unit: '{run}',
    description: 'Runs of ERP connections that ended.',
    attributes: { provider, outcome: oneOf('complete', 'partial', 'failed', 'canceled') },
    owners: ['erp-sync'],
    renamedFrom: ['erp.runs'],
  }),
  'invoicecontrol.run.duration': histogram({
    description: 'Duration of runs of ERP connections.',
    attributes: { provider },
    buckets: WAIT_BUCKETS,
    owners: ['erp-sync'],
  }),
  'invoicecontrol.runs.active': gauge({
    unit: '{run}',
    description: 'Runs that this process does, or that wait for their turn in it.',
    attributes: {},
    owners: ['erp-sync'],
    renamedFrom: ['erp.runs_under_way'],
  }),
  'invoicecontrol.rows': counter({
    unit: '{row}',
    description: 'Rows of runs that ended.',
    attributes: {
      provider,
      stream: oneOf('vendors', 'bank_accounts', 'bills', 'credit_notes', 'payments', 'orders'),
      outcome: oneOf('created', 'updated', 'unchanged', 'deleted', 'failed'),
    },
    owners: ['erp-sync'],
    renamedFrom: ['erp.rows'],
  }),
  'invoicecontrol.run.faults': counter({
    unit: '{fault}',
    description: 'Errors of runs that ended, by the code that the run shows.',
    attributes: {
      provider,
      code: oneOf(
        'auth_failed',
        'reauth_required',
        'permission_denied',
        'tenant_not_found',
        'database_required',
        'rate_limited',
        'timeout',
        'upstream_error',
        'bad_response',
        'bank_field_missing',
        'record_invalid',
        'run_abandoned',
      ),
    },
    owners: ['erp-sync'],
    renamedFrom: ['erp.faults'],
  }),
  'invoicecontrol.connection.lag': gauge({
    unit: 's',
    description: 'How long the ERP connection that waits longest has been due for a run; 0 if none.',
    attributes: { provider },
    owners: ['erp-sync'],
    renamedFrom: ['erp.sync_lag'],
  }),
  'invoicecontrol.connections': gauge({
    unit: '{connection}',
    description: 'ERP connections by status, counted every five minutes, up to 10,000 of them.',
    attributes: { provider, status: oneOf('pending', 'connected', 'error') },
    owners: ['erp-sync'],
  }),
  'invoicecontrol.run.throttled': counter({
    unit: 's',
    description: 'Time that runs waited because of the rate limits of an ERP.',
    attributes: { provider },
    owners: ['erp-sync'],
  }),
  'invoicecontrol.consents': counter({
    unit: '{consent}',
    description: 'Browsers that came back from the consent page of an ERP.',
    attributes: { provider, outcome: oneOf('connected', 'denied', 'failed', 'conflict') },
    owners: ['erp-sync'],
    renamedFrom: ['erp.consents'],
  }),
  'invoicecontrol.token.refresh': counter({
    unit: '{token}',
    description: 'Refreshes of the tokens of ERP connections, by result: refreshed, or the code of the fault.',
    attributes: { provider, outcome: bounded('refreshed, failed, or the code of a fault', /^[a-z_]+$/) },
    owners: ['erp-sync'],
    renamedFrom: ['erp.token_refreshes'],
  }),
  'invoicecontrol.token.revocations': counter({
    unit: '{token}',
    description: 'Ends of access at ERP providers. A failed revocation is tried again.',
    attributes: { provider, outcome: oneOf('revoked', 'failed', 'given_up') },
    owners: ['erp-sync'],
    renamedFrom: ['erp.token_revocations'],
  }),
  'invoicecontrol.connections.deletions_unfinished': gauge({
    unit: '{connection}',
    description: 'Deleted ERP connections whose vendors still count as known.',
    attributes: {},
    owners: ['erp-sync'],
    renamedFrom: ['erp.unfinished_deletions'],
  }),

  // ksef
  'invoicecontrol.submissions': counter({
    unit: '{submission}',
    description: 'Submissions to KSeF that reached a final state.',
    attributes: { state: oneOf('accepted', 'rejected', 'failed') },
    owners: ['ksef'],
  }),
  'invoicecontrol.submission.duration': histogram({
    description: 'Time from the request of a submission to its final state.',
    attributes: { state: oneOf('accepted', 'rejected', 'failed') },
    buckets: WAIT_BUCKETS,
    owners: ['ksef'],
  }),
  'invoicecontrol.submissions.unfinished': gauge({
    unit: '{submission}',
    description: 'Submissions with something left to do, by their status.',
    attributes: { status: oneOf('queued', 'sending', 'processing', 'accepted', 'rejected', 'failed') },
    owners: ['ksef'],
    renamedFrom: ['ksef.unfinished_submissions'],
  }),
  'invoicecontrol.submissions.unknown': gauge({
    unit: '{submission}',
    description: 'Submissions that were sent, and of which it is not known whether KSeF has them.',
    attributes: {},
    owners: ['ksef'],
  }),
  'invoicecontrol.submissions.unknown_age': gauge({
    unit: 's',
    description: 'How long ago the submission that has been unknown longest was last sent; 0 if there is none.',
    attributes: {},
    owners: ['ksef'],
  }),
  'invoicecontrol.sessions.open': gauge({
    unit: '{session}',
    description: 'Sessions at KSeF that are not closed yet.',
    attributes: {},
    owners: ['ksef'],
  }),
  'invoicecontrol.duplicates_prevented': counter({
    unit: '{submission}',
    description: 'Second submissions that were avoided: a repeated request, found after a lost response, same file.',
    attributes: { how: oneOf('repeated_request', 'found_in_session', 'same_file') },
    owners: ['ksef'],
  }),
  'invoicecontrol.limit.used': gauge({
    unit: '1',
    description: 'Largest used share of a call limit of KSeF for one taxpayer, since the last export.',
    attributes: {
      limit: oneOf(
        'authentication',
        'open',
        'send',
        'close',
        'invoice',
        'invoices',
        'read',
        'sessions',
        'metadata',
        'export',
        'export_status',
        'download',
        'other',
      ),
    },
    owners: ['ksef'],
  }),
  'invoicecontrol.ksef.calls': counter({
    unit: '{call}',
    description: 'Calls of KSeF: ok, or what the refusal means.',
    attributes: {
      environment,
      operation: bounded('calls by their names in the KSeF reference', /^(?:[A-Z]\d{1,2}|LIMITS)$/),
      outcome: oneOf('ok', 'transient', 'unknown', 'blocked', 'session', 'permanent'),
    },
    owners: ['ksef'],
    renamedFrom: ['ksef.calls'],
  }),
  'invoicecontrol.ksef.limited_calls': counter({
    unit: '{call}',
    description: 'Calls put off because the limits of KSeF leave no place for them.',
    attributes: {
      environment,
      operation: bounded('calls by their names in the KSeF reference', /^(?:[A-Z]\d{1,2}|LIMITS)$/),
    },
    owners: ['ksef'],
    renamedFrom: ['ksef.limited_calls'],
    onlyAfter: 'KSeF is called more often than it allows',
  }),
  'invoicecontrol.ksef.confirmations': counter({
    unit: '{confirmation}',
    description: 'Confirmations that were checked. Unknown holder: no list says whose seal it is.',
    attributes: { environment, outcome: oneOf('trusted', 'unknown_holder', 'refused') },
    owners: ['ksef'],
    renamedFrom: ['ksef.confirmations'],
  }),
  'invoicecontrol.inbox.invoices': counter({
    unit: '{invoice}',
    description: 'Invoices of KSeF inboxes: received, repeated (received before), or refused (not stored).',
    attributes: { environment, outcome: oneOf('received', 'repeated', 'refused') },
    owners: ['ksef'],
    renamedFrom: ['ksef.inbox_invoices'],
  }),
  'invoicecontrol.inbox.runs': counter({
    unit: '{run}',
    description: 'Runs of KSeF inboxes that ended.',
    attributes: {
      environment,
      role: bounded('roles of a company on invoices', /^[a-z0-9_]+$/),
      outcome: oneOf('complete', 'partial', 'failed'),
    },
    owners: ['ksef'],
    renamedFrom: ['ksef.inbox_runs'],
  }),

  // webhooks
  'invoicecontrol.deliveries': counter({
    unit: '{attempt}',
    description: 'Attempts to deliver a webhook that ended, and deliveries that were interrupted or blocked.',
    attributes: {
      outcome: oneOf('delivered', 'failed', 'interrupted', 'blocked'),
      state: oneOf('delivered', 'pending', 'failed'),
    },
    owners: ['webhooks'],
    renamedFrom: ['webhooks.attempts'],
  }),
  'invoicecontrol.delivery.queued': counter({
    unit: '{delivery}',
    description: 'Deliveries that were stored, by the type of the event.',
    attributes: { type: bounded('public event types', /^[a-z_.]+$/) },
    owners: ['webhooks'],
    renamedFrom: ['webhooks.deliveries'],
  }),
  'invoicecontrol.delivery.lateness': histogram({
    description: 'Time from the moment a first attempt was due to its beginning.',
    attributes: {},
    buckets: WAIT_BUCKETS,
    owners: ['webhooks'],
  }),
  'invoicecontrol.attempt.duration': histogram({
    description: 'Duration of attempts to deliver a webhook.',
    attributes: { outcome: oneOf('delivered', 'failed', 'interrupted', 'blocked') },
    buckets: WORK_BUCKETS,
    owners: ['webhooks'],
  }),
  'invoicecontrol.slots.used': gauge({
    unit: '{request}',
    description: 'Requests to endpoints of customers in progress.',
    attributes: {},
    owners: ['webhooks'],
    renamedFrom: ['webhooks.requests_in_flight'],
  }),
  'invoicecontrol.endpoint.disabled': counter({
    unit: '{endpoint}',
    description: 'Endpoints that were disabled because they only failed.',
    attributes: {},
    owners: ['webhooks'],
    renamedFrom: ['webhooks.endpoints_disabled'],
  }),
  'invoicecontrol.endpoints': gauge({
    unit: '{endpoint}',
    description: 'Endpoints of customers by status, counted every five minutes, up to 10,000 of them.',
    attributes: { status: oneOf('active', 'disabled') },
    owners: ['webhooks'],
  }),

  // billing
  'invoicecontrol.provider.notifications': counter({
    unit: '{notification}',
    description: 'Notifications of the payment provider that were stored, repeated, or refused for their signature.',
    attributes: { outcome: oneOf('stored', 'repeated', 'refused') },
    owners: ['billing'],
    renamedFrom: ['billing.notifications_received'],
  }),
  'invoicecontrol.provider.notifications_applied': counter({
    unit: '{notification}',
    description: 'Stored notifications that were applied, by their result.',
    attributes: {
      outcome: oneOf(
        'applied',
        'stale',
        'kept',
        'ignored',
        'unlinked',
        'unknown_organization',
        'unknown_price',
        'unreadable',
        'too_many_subscriptions',
        'purged_organization',
      ),
    },
    owners: ['billing'],
    renamedFrom: ['billing.notifications_applied'],
  }),
  'invoicecontrol.entitlement.lag': histogram({
    description: 'Time from an event at the payment provider to the change of the subscription here.',
    attributes: {},
    buckets: WAIT_BUCKETS,
    owners: ['billing'],
  }),
  'invoicecontrol.checkout': counter({
    unit: '{checkout}',
    description: 'Valid requests for a checkout: created, or the reason why not.',
    attributes: { outcome: oneOf('created', 'already_subscribed', 'not_sold') },
    owners: ['billing'],
  }),
  'invoicecontrol.subscriptions.duplicates': counter({
    unit: '{notification}',
    description: 'Notifications about a second subscription that is still paid for.',
    attributes: {},
    owners: ['billing'],
    renamedFrom: ['billing.duplicates_found'],
  }),
  'invoicecontrol.subscriptions.several_plans': counter({
    unit: '{notification}',
    description: 'Notifications about a subscription with the prices of several plans.',
    attributes: {},
    owners: ['billing'],
    renamedFrom: ['billing.several_plans_found'],
  }),
  'invoicecontrol.subscriptions.reconciled': counter({
    unit: '{subscription}',
    description: 'Subscriptions that reconciling with the payment provider handled.',
    attributes: { result: oneOf('checked', 'corrected', 'unknown') },
    owners: ['billing'],
    renamedFrom: ['billing.subscriptions_reconciled'],
  }),

  // probe
  'invoicecontrol.probe.success': gauge({
    unit: '{probe}',
    description: '1 if the last synthetic invoice and its duplicate were decided as expected, else 0.',
    attributes: {},
    owners: ['probe'],
    onlyAfter: 'the probe runs, which has a test of its own',
  }),
  'invoicecontrol.probe.duration': gauge({
    unit: 's',
    description: 'Duration of the last probe: two posted invoices, and the decision read again.',
    attributes: {},
    owners: ['probe'],
    onlyAfter: 'the probe runs, which has a test of its own',
  }),
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;

/** Names of the metrics that have the given kind of instrument. */
export type NameOf<I extends Instrument> = {
  [Name in MetricName]: (typeof metrics)[Name]['instrument'] extends I ? Name : never;
}[MetricName];

type ValueOf<V> = V extends { readonly values: readonly (infer One)[] } ? One : string;
type Declared<Name extends MetricName> = (typeof metrics)[Name]['attributes'];
type OptionalOf<D> = { [A in keyof D]: D[A] extends { readonly isOptional: true } ? A : never }[keyof D];

/** The attributes that a metric needs, with their declared values. */
export type AttributesOf<Name extends MetricName> = {
  readonly [A in Exclude<keyof Declared<Name>, OptionalOf<Declared<Name>>>]: ValueOf<Declared<Name>[A]>;
} & { readonly [A in OptionalOf<Declared<Name>>]?: ValueOf<Declared<Name>[A]> };

/** The declaration of a metric, with the fields that not every metric has. */
export function declarationOf(name: MetricName): Metric {
  return metrics[name];
}

/**
 * Metrics about Node.js that instrumentation packages export. Their names and units are those that the packages
 * declare.
 */
export const metricsOfNode = {
  'nodejs.eventloop.delay.min': { unit: 's', instrument: 'gauge', description: 'Shortest delay of the event loop.' },
  'nodejs.eventloop.delay.max': { unit: 's', instrument: 'gauge', description: 'Longest delay of the event loop.' },
  'nodejs.eventloop.delay.mean': { unit: 's', instrument: 'gauge', description: 'Mean delay of the event loop.' },
  'nodejs.eventloop.delay.stddev': { unit: 's', instrument: 'gauge', description: 'Deviation of that delay.' },
  'nodejs.eventloop.delay.p50': { unit: 's', instrument: 'gauge', description: 'Median delay of the event loop.' },
  'nodejs.eventloop.delay.p90': { unit: 's', instrument: 'gauge', description: '90th percentile of that delay.' },
  'nodejs.eventloop.delay.p99': { unit: 's', instrument: 'gauge', description: '99th percentile of that delay.' },
  'nodejs.eventloop.utilization': { unit: '1', instrument: 'gauge', description: 'Part of the time it was busy.' },
  'nodejs.eventloop.time': { unit: 's', instrument: 'counter', description: 'Time of the event loop, by state.' },
  'v8js.gc.duration': { unit: 's', instrument: 'histogram', description: 'Pauses of the garbage collection.' },
  'v8js.memory.heap.used': { unit: 'By', instrument: 'gauge', description: 'Used heap, by space.' },
  'v8js.memory.heap.space.size': { unit: 'By', instrument: 'gauge', description: 'Size of a space of the heap.' },
  'v8js.memory.heap.space.available_size': { unit: 'By', instrument: 'gauge', description: 'Free bytes of a space.' },
  'v8js.memory.heap.space.physical_size': { unit: 'By', instrument: 'gauge', description: 'Memory of a space.' },
  'v8js.resource.active': { unit: '{resource}', instrument: 'gauge', description: 'What keeps the process running.' },
} as const;
