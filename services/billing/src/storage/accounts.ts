import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { setOrUnset } from '@invoicecontrol/runtime/mongo/stored';
import type { Collection } from 'mongodb';
import type { Accounts } from '../application/stores.js';
import { currentSubscription, pastDueEnd, trialNoticeDue } from '../domain/account.js';
import type { Account, GraceRule, TrackedSubscription } from '../domain/account.js';

/** The stored billing account of an organization. Its id is the organization id. */
export interface CustomerDocument extends Aggregate {
  /** Subscriptions of the organization. Their undefined fields are not stored. */
  readonly subscriptions: readonly TrackedSubscription[];
  readonly trialNoticeFor?: Date;
  /**
   * Time, with a sparse index, at which a billing account changes without a payment notification, because a trial ends
   * soon or a grace period is over.
   */
  readonly dueAt?: Date;
  readonly createdAt: Date;
}

/** Maximum number of billing accounts that one run of the job about ending trials handles. */
const DUE_MAX = 200;

export async function createCustomerIndexes(collection: Collection<CustomerDocument>): Promise<void> {
  await ensureIndexes(collection, [
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
      const saved = await aggregates.save(
        { id: organizationId, organizationId, version },
        setOrUnset<CustomerDocument>({ subscriptions, trialNoticeFor, dueAt }),
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

/**
 * Every field of a stored subscription is set, including undefined ones, because stored and received subscriptions are
 * compared field by field.
 */
function toSubscription(stored: TrackedSubscription): TrackedSubscription {
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
