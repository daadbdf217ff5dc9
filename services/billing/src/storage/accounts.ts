import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import type { Collection } from 'mongodb';
import type { Accounts } from '../application/stores.js';
import { currentSubscription, pastDueEnd, trialNoticeDue } from '../domain/account.js';
import type { Account, GraceRule, TrackedSubscription } from '../domain/account.js';

/** Absent instead of undefined, as the driver stores it. */
type Stored<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The account of an organization; its id is the organization's. */
export interface CustomerDocument extends Aggregate {
  readonly subscriptions: readonly Stored<TrackedSubscription>[];
  readonly trialNoticeFor?: Date;
  /** When time alone changes something: a trial ends soon, a grace ends. Sparse index. */
  readonly dueAt?: Date;
  readonly createdAt: Date;
}

/** Accounts that one run of the job takes. */
const DUE_MAX = 200;

export async function createCustomerIndexes(collection: Collection<CustomerDocument>): Promise<void> {
  await collection.createIndexes([
    { key: { dueAt: 1 }, sparse: true, name: 'due' },
    { key: { organizationId: 1 }, name: 'organization' },
  ]);
}

export function accountStore(
  collection: Collection<CustomerDocument>,
  outbox: Outbox,
  { rule, clock }: { rule: GraceRule; clock: Clock },
): Accounts {
  const aggregates = aggregateStore(collection, outbox, clock);
  return {
    async ensure(organizationId) {
      try {
        await aggregates.insert({ _id: organizationId, organizationId, subscriptions: [], createdAt: clock.now() });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    async find(organizationId) {
      const document = await collection.findOne({ _id: organizationId });
      return document === null ? undefined : toAccount(document);
    },
    async save(account, events) {
      const { organizationId, version, subscriptions, trialNoticeFor } = account;
      const dueAt = dueOf(account, rule, clock.now());
      const removed = {
        ...(trialNoticeFor === undefined ? { trialNoticeFor: '' as const } : {}),
        ...(dueAt === undefined ? { dueAt: '' as const } : {}),
      };
      const saved = await aggregates.save(
        { id: organizationId, organizationId, version },
        {
          $set: {
            subscriptions: subscriptions as CustomerDocument['subscriptions'],
            ...(trialNoticeFor === undefined ? {} : { trialNoticeFor }),
            ...(dueAt === undefined ? {} : { dueAt }),
          },
          ...(Object.keys(removed).length === 0 ? {} : { $unset: removed }),
        },
        { events },
      );
      return toAccount(saved);
    },
    async listDue(now) {
      const found = await collection
        .find({ dueAt: { $lte: now } })
        .sort({ dueAt: 1 })
        .limit(DUE_MAX)
        .toArray();
      return found.map(toAccount);
    },
  };
}

function dueOf(account: Account, rule: GraceRule, now: Date): Date | undefined {
  const current = currentSubscription(account);
  const graceEnd = current && pastDueEnd(current, rule);
  const dues = [trialNoticeDue(account), graceEnd !== undefined && graceEnd > now ? graceEnd : undefined];
  const times = dues.flatMap((due) => (due === undefined ? [] : [due.getTime()]));
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}

function toAccount({ organizationId, version, subscriptions, trialNoticeFor }: CustomerDocument): Account {
  return { organizationId, version, subscriptions: subscriptions.map(toSubscription), trialNoticeFor };
}

/** Every field, also the undefined ones: subscriptions are compared. */
function toSubscription(stored: Stored<TrackedSubscription>): TrackedSubscription {
  const { id, status, plan, interval, additionalLegalEntities, customerId, periodStart, periodEnd } = stored;
  const { trialEnd, scheduledChange, lastOccurredAt, firstOccurredAt, canceledAt } = stored;
  return {
    id,
    status,
    plan,
    interval,
    additionalLegalEntities,
    customerId,
    periodStart,
    periodEnd,
    trialEnd,
    scheduledChange,
    lastOccurredAt,
    firstOccurredAt,
    canceledAt,
  };
}
