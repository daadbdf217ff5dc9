import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { FREE } from '@invoicecontrol/runtime/mongo/claims';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
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
 * A stored ERP connection. Its `version` increases when its status, configuration or credentials change, when it is
 * paused, and when it is deleted; these changes are published as events. The version stays the same when claims, tokens
 * or the progress of streams are written. Only the worker or the token refresh that holds the claim may write these.
 */
export interface ConnectionDocument extends Aggregate {
  readonly companyId: string;
  readonly provider: ProviderCode;
  readonly status: ConnectionStatus;
  readonly config: Readonly<Record<string, unknown>>;
  readonly remoteCompanyId: string;
  /**
   * Key of the connected company in the ERP. It is unique within the organization, with a sparse index, and absent once
   * the company is disconnected.
   */
  readonly liveKey?: string;
  /**
   * Sequence number of the ERP connection among the organization's connections to its provider, with a unique sparse
   * index. Two spellings of one company have different keys, so a new connection must be compared with all connections
   * that were stored before it.
   */
  readonly ordinal?: number;
  readonly ordinalKey?: string;
  readonly isPaused: boolean;
  readonly importFrom?: string;
  readonly createdAt: Date;

  /** Client secret or API key of an ERP connection that uses credentials. */
  readonly credential?: SealedValue;
  /** Access and refresh tokens of an ERP connection that uses OAuth consent, as JSON. */
  readonly tokens?: SealedValue;
  /** Version of the OAuth tokens, which increases with every write of `tokens`. */
  readonly tokenVersion?: number;
  /** Time of the last OAuth token refresh, with a sparse index. */
  readonly tokensRefreshedAt?: Date;
  /** Claim of the process that refreshes the OAuth tokens. */
  readonly refreshClaim?: string;
  readonly refreshLeaseUntil?: Date;
  /** Time of the next attempt to revoke the OAuth tokens of a disconnected ERP connection, with a sparse index. */
  readonly revokeAt?: Date;
  readonly revokeTries?: number;

  /**
   * Time when the next import run of an ERP connection is due, with a sparse index. Absent if none is scheduled (ERROR,
   * paused, DISABLED), except that new credentials also set it in the status ERROR. Only this field determines whether
   * an import run is due.
   */
  readonly nextSyncAt?: Date;
  readonly runningRunId?: string;
  /**
   * Claim of the worker that executes the current import run of an ERP connection. The worker may write only while the
   * claim is valid.
   */
  readonly claim?: string;
  /**
   * Expiry time of the lease of the worker. It is a time in 1970 while no import run is in progress. Absent if the ERP
   * connection is DISABLED.
   */
  readonly leaseUntil?: Date;
  readonly streams?: Partial<Readonly<Record<StreamName, StreamProgress>>>;
  /** Time when the last comparison of all ids with the ERP began. */
  readonly reconciledAt?: Date;
  /** Lists of ERP record ids that have not been compared yet. Their pages are in `listed_ids`. */
  readonly lists?: Partial<Readonly<Record<StreamName, IdList>>>;
  /** Point at which the next import run continues, if the last run used up its budget. */
  readonly pass?: Pass;
  /** Start of the import run since which records have been waiting to be examined (`CompleteImport`). */
  readonly incompleteSince?: Date;
  /** Number of consecutive import runs whose worker stopped responding. */
  readonly abandonedRuns?: number;
  /** Ids of the ten newest import runs of the ERP connection, oldest first. */
  readonly recentRunIds: readonly string[];
  readonly lastSyncAt?: Date;
  readonly lastSuccessAt?: Date;
  readonly lastError?: ConnectionError;

  /** Time since which the vendors of a disconnected ERP connection must stop counting as known, with a sparse index. */
  readonly endMasterSince?: Date;
}

/** Progress of reading one stream of an ERP. */
export interface StreamProgress {
  /**
   * Time on the ERP clock, in RFC 3339 format, from which the next time window of an ERP stream is read. It moves
   * forward after the last page of a window was stored. Absent until the stream was read completely for the first time.
   */
  readonly cursor?: string;
  /** Time window of the ERP stream that was not read completely. */
  readonly window?: {
    readonly from?: string;
    readonly dateFrom?: string;
    /**
     * Cursor of an ERP stream that replaces the current one after the last page of the time window. Absent until the
     * first page of the window is stored.
     */
    readonly next?: string;
    /** Position (`Page.position`) of the last page of ERP records that was stored in this time window. */
    readonly after?: string;
  };
  /** Time when the ERP stream was last read completely. */
  readonly succeededAt?: Date;
}

/** Maximum number of import run ids that an ERP connection stores. */
export const RECENT_RUNS_MAX = 10;
/** Maximum number of ERP connections that one run of a job handles. */
const SWEEP_MAX = 256;
/**
 * Maximum number of ERP connections to one provider with which a new connection is compared. An organization cannot
 * have more connections that are not DISABLED.
 */
const OF_PROVIDER_MAX = 1_000;
export const LIVE: ConnectionStatus[] = ['PENDING', 'CONNECTED', 'ERROR'];

export async function createConnectionIndexes(collection: Collection<ConnectionDocument>): Promise<void> {
  await ensureIndexes(collection, [
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
        // A change after which the ERP streams must be read again is refused while an import run is in progress. The
        // change removes the cursors of the streams, and the run would store them again.
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
            // The OAuth tokens of an ERP connection made by consent are removed after they were revoked.
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

/** Fields that are removed when an ERP is disconnected. Tokens remain until they are revoked. */
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

/** ERP streams whose first time window begins at `importFrom`. */
const DATED_STREAMS = ['bills', 'creditNotes', 'payments'] as const satisfies readonly StreamName[];
const READ_AGAIN = {
  ...Object.fromEntries(DATED_STREAMS.map((name) => [`streams.${name}`, undefined])),
  pass: undefined,
};

function isDuplicateOf(error: unknown, field: keyof ConnectionDocument): boolean {
  const { keyPattern } = error as { readonly keyPattern?: Readonly<Record<string, unknown>> };
  return keyPattern !== undefined && field in keyPattern;
}

/**
 * Builds the key of a company in an ERP. The parts are encoded as JSON, so that a delimiter in a part cannot make two
 * companies equal.
 */
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
