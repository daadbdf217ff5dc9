import { newestRecords, recordsById } from '@invoicecontrol/retention/archive-pages';
import type { ArchivedRecord, ReadArchivePage } from '@invoicecontrol/retention/archive-service';
import type { Collection, WithId } from 'mongodb';
import { z } from 'zod';
import type { CustomerDocument } from './accounts.js';
import type { CheckoutDocument } from './checkouts.js';
import { WITHOUT_ORGANIZATION } from './notifications.js';
import type { NotificationDocument } from './notifications.js';

/**
 * Returns functions that read the billing records of an organization for its data export. The export contains only the
 * fields that this file lists, and no ids of prices and customers.
 */
export function archivedKinds({
  customers,
  checkouts,
  notifications,
}: {
  readonly customers: Collection<CustomerDocument>;
  readonly checkouts: Collection<CheckoutDocument>;
  readonly notifications: Collection<NotificationDocument>;
}): Readonly<Record<string, ReadArchivePage>> {
  return {
    subscriptions: archivedSubscriptions(customers),
    checkouts: newestRecords(checkouts, toCheckoutRecord),
    payment_notifications: recordsById(notifications, toNotificationRecord, (begunAt) => ({
      receivedAt: { $lt: begunAt },
      // A payment notification that only names the organization may be about another customer, so it is not exported.
      state: 'DONE' as const,
      outcome: { $nin: [...WITHOUT_ORGANIZATION] },
    })),
  };
}

/**
 * Returns a function that reads the subscriptions of an organization for its data export. All subscriptions of an
 * organization are in one database document, so a page begins after the subscription with the given id.
 */
function archivedSubscriptions(customers: Collection<CustomerDocument>): ReadArchivePage {
  return async ({ organizationId, after, recordsMax }) => {
    const account = await customers.findOne({ _id: organizationId });
    const records = (account?.subscriptions ?? []).map((one): ArchivedRecord => ({
      position: one.id,
      record: {
        id: one.id,
        status: one.status,
        plan: one.plan,
        billingInterval: one.interval,
        additionalLegalEntities: one.additionalLegalEntities,
        periodStart: one.periodStart ?? null,
        periodEnd: one.periodEnd ?? null,
        trialEnd: one.trialEnd ?? null,
        scheduledChange: one.scheduledChange ?? null,
      },
    }));
    const from = records.findIndex(({ position }) => position === after) + 1;
    return records.slice(from, from + recordsMax);
  };
}

function toCheckoutRecord(document: WithId<CheckoutDocument>): Readonly<Record<string, unknown>> {
  const { _id: id, planCode: plan, interval, additionalLegalEntities, actorId, createdAt } = document;
  return { id, plan, billingInterval: interval, additionalLegalEntities, requestedBy: actorId, createdAt };
}

const text = z.string().nullish().catch(undefined);
/**
 * Fields of a payment transaction that are needed to show it in the archive as an invoice from the payment provider.
 */
const transaction = z.object({
  data: z.object({
    id: text,
    status: text,
    invoice_number: text,
    billed_at: text,
    currency_code: text,
    details: z
      .object({ totals: z.object({ grand_total: text, tax: text }).nullish().catch(undefined) })
      .nullish()
      .catch(undefined),
  }),
});

function toNotificationRecord(document: WithId<NotificationDocument>): Readonly<Record<string, unknown>> {
  const { _id: id, type, receivedAt, subscriptionId, state, outcome, body } = document;
  return {
    id,
    type,
    receivedAt,
    subscriptionId: subscriptionId ?? null,
    status: state,
    outcome: outcome ?? null,
    bill: type.startsWith('transaction.') && body !== '' ? toBill(body) : null,
  };
}

/**
 * Converts a transaction of the payment provider to a bill. The payment provider states amounts in the smallest unit of
 * the currency.
 */
function toBill(body: string): Readonly<Record<string, string | null>> | null {
  const read = transaction.safeParse(JSON.parse(body));
  if (!read.success) return null;
  const { id, status, invoice_number, billed_at, currency_code, details } = read.data.data;
  return {
    transactionId: id ?? null,
    status: status ?? null,
    invoiceNumber: invoice_number ?? null,
    billedAt: billed_at ?? null,
    currency: currency_code ?? null,
    totalMinorUnits: details?.totals?.grand_total ?? null,
    taxMinorUnits: details?.totals?.tax ?? null,
  };
}
