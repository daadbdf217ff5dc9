import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { FREE } from '@invoicecontrol/runtime/mongo/claims';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import { setOrUnset } from '@invoicecontrol/runtime/mongo/stored';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { Collection } from 'mongodb';
import { alreadyConnected } from '../application/stores.js';
import type { ConnectionStore } from '../application/stores.js';
import type { IdList, Pass } from '../application/sync-stores.js';
import type { Connection, ConnectionError, ConnectionStatus } from '../domain/connection.js';
import type { StreamName } from '../domain/streams.js';
import type { ProviderCode } from '../domain/provider-code.js';

/**
 * A connection. Changes of what it is (status, configuration, credentials, pause, deletion) raise `version` and go through
 * the aggregate; claims, progress of streams and tokens change apart from it, each guarded by its own claim.
 */
export interface ConnectionDocument extends Aggregate {
  readonly companyId: string;
  readonly provider: ProviderCode;
  readonly status: ConnectionStatus;
  readonly config: Readonly<Record<string, unknown>>;
  readonly remoteCompanyId: string;
  /** The remote company within the organization, while it is connected. Unique sparse index. */
  readonly liveKey?: string;
  /**
   * Place among the connections of its provider in the organization. Unique sparse index: two spellings of one company have two live keys,
   * so that a new connection must be compared with all that were stored before it.
   */
  readonly ordinal?: number;
  readonly ordinalKey?: string;
  readonly isPaused: boolean;
  readonly importFrom?: string;
  readonly createdAt: Date;

  /** Client secret or API key of a provider with credentials. */
  readonly credential?: SealedValue;
  /** Access and refresh token of a provider with consent, JSON. */
  readonly tokens?: SealedValue;
  /** Raised by every write of `tokens`. */
  readonly tokenVersion?: number;
  /** Time of the last refresh of the tokens. Sparse index. */
  readonly tokensRefreshedAt?: Date;
  /** Claim of the process that refreshes the tokens. */
  readonly refreshClaim?: string;
  readonly refreshLeaseUntil?: Date;
  /** Disconnected, and the tokens are not revoked yet: when to try next. Sparse index. */
  readonly revokeAt?: Date;
  readonly revokeTries?: number;

  /**
   * Time when the next synchronisation run is due. Absent when none is scheduled (ERROR, paused, DISABLED). New credentials set it on ERROR,
   * too: a run is due by this field alone. Sparse index.
   */
  readonly nextSyncAt?: Date;
  readonly runningRunId?: string;
  /** Claim of the worker of the current run; guards its writes. */
  readonly claim?: string;
  /** The epoch between runs; absent when the connection is DISABLED and nothing may run. */
  readonly leaseUntil?: Date;
  readonly streams?: Partial<Readonly<Record<StreamName, StreamProgress>>>;
  /** Time when the last comparison of all ids was begun. */
  readonly reconciledAt?: Date;
  /** Lists of ids that are not compared yet; their pages are in `listed_ids`. */
  readonly lists?: Partial<Readonly<Record<StreamName, IdList>>>;
  /** Place at which the next run goes on, after one whose budget was spent. */
  readonly pass?: Pass;
  /** Records wait for `CompleteImport` since the run that began then. */
  readonly incompleteSince?: Date;
  /** Runs in a row whose worker fell silent. */
  readonly abandonedRuns?: number;
  /** The ten newest, the oldest first. */
  readonly recentRunIds: readonly string[];
  readonly lastSyncAt?: Date;
  readonly lastSuccessAt?: Date;
  readonly lastError?: ConnectionError;

  /** Disconnected, and analysis has not ended its master yet: since when. Sparse index. */
  readonly endMasterSince?: Date;
}

/** Progress of reading a stream. */
export interface StreamProgress {
  /** RFC 3339 on the ERP's clock: a window begins there. Moved after its last page. Absent until the stream was read to the end. */
  readonly cursor?: string;
  /** A window that is not read to its end. */
  readonly window?: {
    readonly from?: string;
    readonly dateFrom?: string;
    /** The cursor after its last page; absent until its first page is stored. */
    readonly next?: string;
    /** `Page.position` of the last page that was stored. */
    readonly after?: string;
  };
  /** Time when it was last read to the end. */
  readonly succeededAt?: Date;
}

/** The newest runs whose ids a connection keeps. */
export const RECENT_RUNS_MAX = 10;
/** Connections that one run of a job takes. */
const SWEEP_MAX = 256;
/** Connections of one provider that a new one is compared with; an organization cannot have more that are not DISABLED. */
const OF_PROVIDER_MAX = 1_000;
const LIVE: ConnectionStatus[] = ['PENDING', 'CONNECTED', 'ERROR'];

export async function createConnectionIndexes(collection: Collection<ConnectionDocument>): Promise<void> {
  await collection.createIndexes([
    { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
    { key: { organizationId: 1, status: 1 }, name: 'status' },
    { key: { liveKey: 1 }, unique: true, sparse: true, name: 'live' },
    { key: { ordinalKey: 1 }, unique: true, sparse: true, name: 'ordinal' },
    { key: { nextSyncAt: 1 }, sparse: true, name: 'due' },
    { key: { runningRunId: 1 }, sparse: true, name: 'running' },
    { key: { tokensRefreshedAt: 1 }, sparse: true, name: 'refresh' },
    { key: { revokeAt: 1 }, sparse: true, name: 'revocation' },
    { key: { endMasterSince: 1 }, sparse: true, name: 'end_master' },
    { key: { 'credential.keyId': 1 }, sparse: true, name: 'credential_key' },
    { key: { 'tokens.keyId': 1 }, sparse: true, name: 'tokens_key' },
  ]);
}

export function connectionStore(
  collection: Collection<ConnectionDocument>,
  outbox: Outbox,
  clock: Clock,
): ConnectionStore {
  const aggregates = aggregateStore(collection, outbox, clock);
  return {
    async insert(connection, remoteKey, events, more) {
      const { id, organizationId, companyId, provider, status, config, remoteCompanyId, isPaused } = connection;
      const { importFrom, credential, nextSyncAt, createdAt } = connection;
      try {
        await aggregates.insert(
          {
            _id: id,
            organizationId,
            companyId,
            provider,
            status,
            config,
            remoteCompanyId,
            liveKey: liveKey(organizationId, provider, remoteKey),
            isPaused,
            importFrom,
            credential,
            ...('tokens' in more
              ? { tokens: more.tokens, tokenVersion: 1, tokensRefreshedAt: createdAt, refreshLeaseUntil: FREE }
              : { ordinal: more.ordinal, ordinalKey: JSON.stringify([organizationId, provider, more.ordinal]) }),
            nextSyncAt,
            leaseUntil: FREE,
            recentRunIds: [],
            createdAt,
          },
          { events },
        );
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        throw isDuplicateOf(error, 'ordinalKey') ? new VersionConflict() : alreadyConnected();
      }
    },
    async find(organizationId, connectionId) {
      const document = await collection.findOne({ _id: connectionId, organizationId });
      return document === null ? undefined : toConnection(document);
    },
    async list(organizationId, { companyId, provider, status }, page) {
      const filter = {
        organizationId,
        ...(companyId === undefined ? {} : { companyId }),
        ...(provider === undefined ? {} : { provider }),
        ...(status === undefined ? {} : { status }),
      };
      const { items, nextPageToken } = await findPage(collection, filter, page);
      return { items: items.map(toConnection), nextPageToken };
    },
    async ofProvider(organizationId, provider) {
      const live = { organizationId, provider, status: { $in: LIVE } };
      const disabled = { organizationId, provider, status: 'DISABLED' as const };
      const newest = { sort: { createdAt: -1, _id: -1 }, limit: OF_PROVIDER_MAX } as const;
      const found = await Promise.all([
        collection.find(live, newest).toArray(),
        collection.find(disabled, newest).toArray(),
      ]);
      const documents = found.flat();
      const next = 1 + documents.reduce((greatest, { ordinal = 0 }) => Math.max(greatest, ordinal), 0);
      return { connections: documents.map(toConnection), next };
    },
    countLive: (organizationId) => collection.countDocuments({ organizationId, status: { $in: LIVE } }),
    async live(organizationId, connectionIds) {
      const filter = { _id: { $in: [...connectionIds] }, organizationId, status: { $in: LIVE } };
      const found = await collection.find(filter, { projection: { _id: 1 }, limit: connectionIds.length }).toArray();
      return new Set(found.map(({ _id }) => _id));
    },
    async save(connection, { isReadAgain, ...fields }, events) {
      const saved = await aggregates.save(
        connection,
        setOrUnset<ConnectionDocument>({ ...fields, ...(isReadAgain === true ? READ_AGAIN : {}) }),
        // A run writes the cursors that are about to go.
        { events, ...(isReadAgain === true ? { onlyIf: { runningRunId: { $exists: false } } } : {}) },
      );
      return toConnection(saved);
    },
    async markDeleted(connection, events) {
      await aggregates.save(
        connection,
        {
          $set: {
            status: 'DISABLED',
            endMasterSince: clock.now(),
            // Connected by consent: the tokens go when they are revoked.
            ...(connection.credential === undefined ? { revokeAt: clock.now() } : {}),
          },
          $unset: { ...REMOVED_BY_DELETION },
        },
        { events },
      );
    },
    async finishDeletion(connectionId) {
      await collection.updateOne({ _id: connectionId }, { $unset: { endMasterSince: '' } });
    },
    async unfinishedDeletions(before) {
      const found = await collection
        .find(
          { endMasterSince: { $lte: before } },
          { projection: { organizationId: 1 }, sort: { endMasterSince: 1 }, limit: SWEEP_MAX },
        )
        .toArray();
      return found.map(({ _id: id, organizationId }) => ({ id, organizationId }));
    },
    countUnfinishedDeletions: () => collection.countDocuments({ endMasterSince: { $exists: true } }),
  };
}

/** Fields that a disconnected ERP no longer has. Tokens stay until they are revoked. */
const REMOVED_BY_DELETION = {
  liveKey: '',
  credential: '',
  nextSyncAt: '',
  runningRunId: '',
  claim: '',
  leaseUntil: '',
  lists: '',
  pass: '',
  refreshClaim: '',
  refreshLeaseUntil: '',
  tokensRefreshedAt: '',
} as const;

/** Streams whose first window begins at `importFrom`. */
const DATED_STREAMS = ['bills', 'creditNotes', 'payments'] as const satisfies readonly StreamName[];
const READ_AGAIN = {
  ...Object.fromEntries(DATED_STREAMS.map((name) => [`streams.${name}`, undefined])),
  pass: undefined,
};

function isDuplicateOf(error: unknown, field: keyof ConnectionDocument): boolean {
  const { keyPattern } = error as { readonly keyPattern?: Readonly<Record<string, unknown>> };
  return keyPattern !== undefined && field in keyPattern;
}

/** JSON, because a delimiter inside a part must not make two companies equal. */
export function liveKey(organizationId: string, provider: ProviderCode, remoteKey: string): string {
  return JSON.stringify([organizationId, provider, remoteKey]);
}

export function toConnection(document: ConnectionDocument): Connection {
  const { _id: id, organizationId, version, companyId, provider, status, config, remoteCompanyId } = document;
  const { isPaused, importFrom, lastSyncAt, lastSuccessAt, lastError, nextSyncAt, runningRunId } = document;
  const { recentRunIds, streams = {}, credential, createdAt } = document;
  const successes = Object.entries(streams).flatMap(([name, { succeededAt }]) =>
    succeededAt === undefined ? [] : [[name, succeededAt] as const],
  );
  return {
    id,
    organizationId,
    version,
    companyId,
    provider,
    status,
    config,
    remoteCompanyId,
    isPaused,
    importFrom,
    lastSyncAt,
    lastSuccessAt,
    lastError,
    nextSyncAt,
    runningRunId,
    recentRunIds,
    streamSuccesses: Object.fromEntries(successes),
    credential,
    createdAt,
  };
}
