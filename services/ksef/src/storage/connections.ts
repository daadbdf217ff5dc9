import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import { setOrUnset } from '@invoicecontrol/runtime/mongo/stored';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { Collection, Filter, UpdateFilter } from 'mongodb';
import type { ConnectionChange, ConnectionStore } from '../application/connections/stores.js';
import type { ConnectionWarning } from '../domain/connection-warnings.js';
import type {
  Authentication,
  Connection,
  ConnectionStatus,
  EndNotice,
  Environment,
  LoginRefusal,
  ShownCertificate,
} from '../domain/connection.js';

/**
 * A stored KSeF connection. Its id is derived from organization, company and environment, so it is unique for each
 * combination.
 */
export interface ConnectionDocument extends Aggregate {
  readonly companyId: string;
  readonly environment: Environment;
  readonly contextNip: string;
  /**
   * Authentication method. Absent on connections with a KSeF token that were stored before certificates were supported.
   */
  readonly authentication?: Authentication;
  readonly certificate?: ShownCertificate;
  /** The sealed secret of a KSeF connection. The field name dates from the time when every secret was a KSeF token. */
  readonly token?: SealedValue;
  /** Time when the KSeF token or certificate was stored. */
  readonly tokenSavedAt?: Date;
  readonly refusal?: LoginRefusal;
  readonly refusalToldAt?: Date;
  readonly status: ConnectionStatus;
  readonly readOnlySince?: Date;
  readonly lastTestedAt?: Date;
  readonly lastErrorMessage?: string;
  readonly warnings?: readonly ConnectionWarning[];
  readonly endTold?: EndNotice;
  /**
   * Time when the KSeF connection was disabled, with a sparse index. The field is present until the secret of the
   * connection is removed.
   */
  readonly wipeTokenSince?: Date;
  readonly createdAt: Date;
}

/** Maximum number of KSeF connections that a job reads at once. */
const SWEEP_MAX = 256;

export async function createConnectionIndexes(collection: Collection<ConnectionDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
    { key: { wipeTokenSince: 1 }, sparse: true, name: 'wipe_token' },
    { key: { 'token.keyId': 1 }, sparse: true, name: 'token_key' },
    { key: { 'certificate.expiresAt': 1 }, sparse: true, name: 'certificate_end' },
  ]);
}

export function connectionStore(
  collection: Collection<ConnectionDocument>,
  outbox: Outbox,
  clock: Clock,
): ConnectionStore {
  const aggregates = aggregateStore(collection, outbox, clock);
  return {
    async insert(connection, events) {
      const { id, organizationId, companyId, environment, contextNip, authentication, certificate } = connection;
      const { secret: token, secretSavedAt: tokenSavedAt, status, createdAt } = connection;
      try {
        await aggregates.insert(
          {
            _id: id,
            organizationId,
            companyId,
            environment,
            contextNip,
            authentication,
            certificate,
            token,
            tokenSavedAt,
            status,
            createdAt,
          },
          { events },
        );
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async find(organizationId, connectionId) {
      const document = await collection.findOne({ _id: connectionId, organizationId });
      return document === null ? undefined : toConnection(document);
    },
    async list(organizationId, { companyId, environment, status }, page) {
      const filter = {
        organizationId,
        ...(companyId === undefined ? {} : { companyId }),
        ...(environment === undefined ? {} : { environment }),
        ...(status === undefined ? {} : { status }),
      };
      const { items, nextPageToken } = await findPage(collection, filter, page);
      return { items: items.map(toConnection), nextPageToken };
    },
    async save(connection, change, events) {
      return toConnection(await aggregates.save(connection, toUpdate(change, clock.now()), { events }));
    },
    async disabledWithSecret() {
      const found = await collection
        .find({ wipeTokenSince: { $exists: true } }, { sort: { wipeTokenSince: 1 }, limit: SWEEP_MAX })
        .toArray();
      return found.map(toConnection);
    },
    async ending({ certificatesFrom, certificatesTo, includesTokens }, afterId = '') {
      const ends: Filter<ConnectionDocument>[] = [
        { 'certificate.expiresAt': { $gt: certificatesFrom, $lte: certificatesTo } },
        ...(includesTokens ? [{ environment: 'PRODUCTION' as const, certificate: { $exists: false } }] : []),
      ];
      const found = await collection
        .find({ $or: ends, status: { $ne: 'DISABLED' }, _id: { $gt: afterId } })
        .sort({ _id: 1 })
        .limit(SWEEP_MAX)
        .toArray();
      return found.map(toConnection);
    },
  };
}

function toUpdate(change: ConnectionChange, now: Date): UpdateFilter<ConnectionDocument> {
  const { secret, secretSavedAt, ...rest } = change;
  return setOrUnset<ConnectionDocument>({
    ...rest,
    ...('secret' in change ? { token: secret } : {}),
    ...(secretSavedAt === undefined ? {} : { tokenSavedAt: secretSavedAt }),
    // Field by which the sweep finds disabled KSeF connections whose secret must still be removed.
    ...(change.status === undefined ? {} : { wipeTokenSince: change.status === 'DISABLED' ? now : undefined }),
    ...('secret' in change && secret === undefined ? { wipeTokenSince: undefined } : {}),
  });
}

function toConnection(document: ConnectionDocument): Connection {
  const { _id: id, organizationId, version, companyId, environment, contextNip, status } = document;
  const { authentication = 'TOKEN', certificate, token: secret, tokenSavedAt: secretSavedAt } = document;
  const { refusal, refusalToldAt, readOnlySince, lastTestedAt, lastErrorMessage, warnings, endTold, createdAt } =
    document;
  return {
    id,
    organizationId,
    version,
    companyId,
    environment,
    contextNip,
    authentication,
    certificate,
    secret,
    secretSavedAt,
    status,
    refusal,
    refusalToldAt,
    readOnlySince,
    lastTestedAt,
    lastErrorMessage,
    warnings,
    endTold,
    createdAt,
  };
}
