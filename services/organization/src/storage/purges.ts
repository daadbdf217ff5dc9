import type { TenantData } from '@invoicecontrol/retention/tenant-data';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import type { Collection, UpdateFilter } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { DailyTurn, PurgeStore } from '../application/purge-organizations.js';
import type { Purge } from '../domain/purge.js';
import type { AuditedStore } from './audited-store.js';
import type { OrganizationDocument } from './organizations.js';

/** Fields of an organization that a purge removes. A purge removes all fields except ids and dates. */
const TAKEN_AWAY: readonly (keyof OrganizationDocument)[] = [
  'name',
  'billingEmail',
  'baseCurrency',
  'referenceValidationMode',
  'fourEyes',
  'fourEyesRequest',
  'plan',
  'subscriptionStatus',
  'additionalLegalEntities',
  'isSubscriptionActive',
  'subscriptionSource',
  'granted',
  'companies',
  'defaultCompanyId',
  'keySeriesId',
  'testOf',
  'deletedBy',
  'recoveryTokenHash',
  'recoveryExpiresAt',
];

const purgeFields = { version: 1, purge: 1 } as const;

export function purgeStore(
  collection: Collection<OrganizationDocument>,
  audited: AuditedStore<OrganizationDocument>,
  { outbox, clock, onDue }: { outbox: Outbox; clock: Clock; onDue: (dueAt: Date) => void },
): PurgeStore {
  const announced = aggregateStore<OrganizationDocument>(collection, outbox, clock);
  const guardOf = ({ organizationId, version }: { organizationId: string; version: number }) => ({
    id: organizationId,
    organizationId,
    version,
  });
  return {
    async listExpired(now, countMax) {
      const found = await collection
        .find(
          { recoveryExpiresAt: { $lte: now }, deletedAt: { $exists: true }, purge: { $exists: false } },
          { projection: { version: 1 }, sort: { recoveryExpiresAt: 1 }, limit: countMax },
        )
        .toArray();
      return found.map(({ _id: organizationId, version }) => ({ organizationId, version }));
    },
    async begin(expired, { begunAt, nextAt }, change) {
      const purge = { begunAt, rounds: 1, nextAt };
      const update = { $set: { purge }, $unset: Object.fromEntries(TAKEN_AWAY.map((field) => [field, ''])) };
      await audited.save(guardOf(expired), update as unknown as UpdateFilter<OrganizationDocument>, change);
      if (nextAt !== undefined) onDue(nextAt);
    },
    async listDueRounds(now, countMax) {
      const found = await collection
        .find(
          { 'purge.nextAt': { $lte: now } },
          { projection: purgeFields, sort: { 'purge.nextAt': 1 }, limit: countMax },
        )
        .toArray();
      return found.flatMap(toPurge);
    },
    async announceAgain(purge, nextAt, { events = [] }) {
      const next = nextAt === undefined ? { $unset: { 'purge.nextAt': '' } } : { $set: { 'purge.nextAt': nextAt } };
      const update = { $inc: { 'purge.rounds': 1 }, ...next } as unknown as UpdateFilter<OrganizationDocument>;
      await announced.save(guardOf(purge), update, { events });
      if (nextAt !== undefined) onDue(nextAt);
    },
    async isPurged(organizationId) {
      const found = await collection.findOne({ _id: organizationId }, { projection: { purge: 1 } });
      return found?.purge !== undefined;
    },
    async listBegunBefore(before, countMax) {
      const found = await collection
        .find(
          { 'purge.begunAt': { $lte: before } },
          { projection: purgeFields, sort: { 'purge.begunAt': 1 }, limit: countMax },
        )
        .toArray();
      return found.flatMap(toPurge);
    },
    async remove({ organizationId }) {
      await collection.deleteOne({ _id: organizationId, purge: { $exists: true } });
    },
  };
}

function toPurge({
  _id: organizationId,
  version,
  purge,
}: Pick<OrganizationDocument, '_id' | 'version' | 'purge'>): Purge[] {
  return purge === undefined ? [] : [{ organizationId, version, begunAt: purge.begunAt, rounds: purge.rounds }];
}

/**
 * Declares the organization record as data that a purge must deal with. A record counts only while its organization is
 * not purged: the record that a purge leaves is kept as long as the audit trail.
 */
export function unpurgedOrganization(collection: Collection<OrganizationDocument>): TenantData {
  return {
    name: collection.collectionName,
    remove: async () => 0,
    count: (organizationId) => collection.countDocuments({ _id: organizationId, purge: { $exists: false } }),
  };
}

/** Stored schedule of a job of the organization service that one replica performs once a day. */
export interface ScheduleDocument {
  readonly _id: string;
  readonly dueAt: Date;
}

const DAY_MS = 24 * 3_600_000;

/**
 * Returns the claim on a job of the organization service that one replica performs once a day.
 * @param first when the job is due for the first time: at once, or after a day
 */
export function dailyTurn(
  collection: Collection<ScheduleDocument>,
  name: string,
  { first }: { readonly first: 'AT_ONCE' | 'AFTER_A_DAY' },
): DailyTurn {
  return {
    async take(now) {
      const dueAt = new Date(now.getTime() + DAY_MS);
      try {
        await collection.updateOne(
          { _id: name },
          { $setOnInsert: { dueAt: first === 'AT_ONCE' ? now : dueAt } },
          { upsert: true },
        );
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const { matchedCount } = await collection.updateOne({ _id: name, dueAt: { $lte: now } }, { $set: { dueAt } });
      return matchedCount === 1;
    },
    async moveTo(dueAt) {
      await collection.updateOne({ _id: name }, { $set: { dueAt } });
    },
  };
}
