import { randomUUID } from 'node:crypto';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import { countLostLease, FREE } from '@invoicecontrol/runtime/mongo/claims';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import type { Collection, Filter } from 'mongodb';
import type {
  ClaimedTokens,
  ConnectionTokenStore,
  ConsentedConnections,
  TokenHolder,
} from '../application/consent-stores.js';
import type { Connection, ConnectionError, ConnectionStatus } from '../domain/connection.js';
import { liveKey, toConnection } from './connections.js';
import type { ConnectionDocument } from './connections.js';

const LIVE: ConnectionStatus[] = ['PENDING', 'CONNECTED', 'ERROR'];

/**
 * Stores the OAuth tokens of ERP connections. Writing tokens does not change the version of the connection. Only the
 * process that has claimed the tokens may write them.
 */
export function connectionTokenStore(collection: Collection<ConnectionDocument>, clock: Clock): ConnectionTokenStore {
  const ownClaim = ({ id, organizationId, claimId }: ClaimedTokens): Filter<ConnectionDocument> => ({
    _id: id,
    organizationId,
    refreshClaim: claimId,
  });
  return {
    async read({ id, organizationId }) {
      const document = await collection.findOne({ _id: id, organizationId });
      return document === null ? undefined : toHolder(document);
    },
    async claim({ id, organizationId }, leaseMs) {
      const claimId = randomUUID();
      const now = clock.now();
      const document = await collection.findOneAndUpdate(
        { _id: id, organizationId, status: { $in: LIVE }, refreshLeaseUntil: { $lte: now } },
        { $set: { refreshClaim: claimId, refreshLeaseUntil: new Date(now.getTime() + leaseMs) } },
        { returnDocument: 'after' },
      );
      const holder = document === null ? undefined : toHolder(document);
      return holder === undefined ? undefined : { ...holder, claimId };
    },
    async renew(claimed, leaseMs) {
      const refreshLeaseUntil = new Date(clock.now().getTime() + leaseMs);
      const { matchedCount } = await collection.updateOne(ownClaim(claimed), { $set: { refreshLeaseUntil } });
      if (matchedCount === 0) countLostLease(collection);
      return matchedCount === 1;
    },
    async save(claimed, tokens) {
      const { matchedCount } = await collection.updateOne(
        { ...ownClaim(claimed), tokenVersion: claimed.tokenVersion },
        {
          $set: { tokens, tokensRefreshedAt: clock.now(), refreshLeaseUntil: FREE },
          $unset: { refreshClaim: '' },
          $inc: { tokenVersion: 1 },
        },
      );
      return matchedCount === 1;
    },
    async release(claimed) {
      await collection.updateOne(ownClaim(claimed), {
        $set: { refreshLeaseUntil: FREE },
        $unset: { refreshClaim: '' },
      });
    },
    async dueForRefresh(before, exceptIds, limit) {
      const found = await collection
        .find({ tokensRefreshedAt: { $lte: before }, status: { $in: LIVE }, _id: { $nin: [...exceptIds] } })
        .sort({ tokensRefreshedAt: 1 })
        .limit(limit)
        .toArray();
      return found.flatMap((document) => toHolder(document) ?? []);
    },
    async stopRefreshing({ id, organizationId, tokenVersion }) {
      await collection.updateOne({ _id: id, organizationId, tokenVersion }, { $unset: { tokensRefreshedAt: '' } });
    },
    async claimRevocation(now, until) {
      const document = await collection.findOneAndUpdate(
        { revokeAt: { $lte: now }, tokens: { $exists: true } },
        { $set: { revokeAt: until }, $inc: { revokeTries: 1 } },
        { returnDocument: 'after', sort: { revokeAt: 1 } },
      );
      const holder = document === null ? undefined : toHolder(document);
      return holder === undefined ? undefined : { holder, tries: (document?.revokeTries ?? 1) - 1 };
    },
    async retryRevocation({ id, organizationId }, at) {
      await collection.updateOne({ _id: id, organizationId, revokeAt: { $exists: true } }, { $set: { revokeAt: at } });
    },
    async replaceRevoked({ id, organizationId }, tokens) {
      await collection.updateOne({ _id: id, organizationId, revokeAt: { $exists: true } }, { $set: { tokens } });
    },
    async wipe({ id, organizationId }) {
      await collection.updateOne(
        { _id: id, organizationId, status: 'DISABLED' },
        { $unset: { tokens: '', revokeAt: '' } },
      );
    },
  };
}

/**
 * Stores the changes of ERP connections that follow from consents and from revoked access. The changes are published as
 * events, so they change the version of the connection.
 */
export function consentedConnectionStore(
  collection: Collection<ConnectionDocument>,
  outbox: Outbox,
  clock: Clock,
  announceError: (connection: Connection, error: ConnectionError) => Announcement,
): ConsentedConnections {
  const aggregates = aggregateStore(collection, outbox, clock);
  return {
    async findLive(organizationId, provider, remoteKey) {
      const document = await collection.findOne({
        liveKey: liveKey(organizationId, provider, remoteKey),
        organizationId,
      });
      return document === null ? undefined : toConnection(document);
    },
    async hasLive(organizationId, provider, companyId) {
      const found = await collection.findOne(
        { organizationId, status: { $in: LIVE }, provider, ...(companyId === undefined ? {} : { companyId }) },
        { projection: { _id: 1 } },
      );
      return found !== null;
    },
    async reauthorize(connection, { nextSyncAt, ...fields }, events) {
      const saved = await aggregates.save(
        connection,
        {
          $set: {
            ...fields,
            tokensRefreshedAt: clock.now(),
            refreshLeaseUntil: FREE,
            nextSyncAt,
          },
          $inc: { tokenVersion: 1 },
          $unset: { refreshClaim: '', lastError: '' },
        },
        { events },
      );
      return toConnection(saved);
    },
    async endAccess({ id, organizationId, tokenVersion }, error) {
      const document = await collection.findOne({ _id: id, organizationId, tokenVersion });
      if (document === null || document.status === 'ERROR' || document.status === 'DISABLED') return;
      const connection = toConnection(document);
      try {
        await aggregates.save(
          connection,
          { $set: { status: 'ERROR', lastError: error }, $unset: { nextSyncAt: '' } },
          { events: [announceError(connection, error)], onlyIf: { tokenVersion } },
        );
      } catch (conflict) {
        // If the ERP connection was changed in the meantime, this write of its status changes nothing. The next import
        // run then sets the status.
        if (!(conflict instanceof VersionConflict)) throw conflict;
      }
    },
  };
}

function toHolder(document: ConnectionDocument): TokenHolder | undefined {
  const { _id: id, organizationId, provider, status, tokens, tokenVersion = 1 } = document;
  return tokens === undefined ? undefined : { id, organizationId, provider, status, tokens, tokenVersion };
}
