import { events } from '@invoicecontrol/contracts/events';
import { archiveService } from '@invoicecontrol/retention/archive-service';
import { ownedDocuments } from '@invoicecontrol/retention/tenant-data';
import { startTenantService } from '@invoicecontrol/retention/tenant-service';
import type { TenantConnections, TenantParts } from '@invoicecontrol/retention/tenant-service';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { dueWork } from '@invoicecontrol/runtime/due-work';
import { handler } from '@invoicecontrol/runtime/service-shell';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import type { Db } from 'mongodb';
import { sweepNotifications, workOnNotification } from './application/apply-notification.js';
import { accountChanger } from './application/change-account.js';
import { reconcileSubscriptions } from './application/reconcile.js';
import { stuckNotifications, stuckSubscriptions } from './application/stuck-notifications.js';
import { watchAccounts } from './application/watch-accounts.js';
import { paddleApi } from './clients/paddle-api.js';
import { configSchema } from './config.js';
import type { Config } from './config.js';
import { priceNames } from './domain/prices.js';
import type { Prices } from './domain/prices.js';
import { accountStore, createCustomerIndexes } from './storage/accounts.js';
import type { CustomerDocument } from './storage/accounts.js';
import { archivedKinds } from './storage/archive.js';
import { checkoutStore, createCheckoutIndexes } from './storage/checkouts.js';
import type { CheckoutDocument } from './storage/checkouts.js';
import { createNotificationIndexes, notificationStore } from './storage/notifications.js';
import type { NotificationDocument } from './storage/notifications.js';
import { dailyRun } from './storage/schedules.js';
import type { ScheduleDocument } from './storage/schedules.js';
import { createSubscriptionIndexes, subscriptionLinks } from './storage/subscriptions.js';
import type { SubscriptionDocument } from './storage/subscriptions.js';
import { createUnlinkedIndexes, unlinkedSubscriptions } from './storage/unlinked-subscriptions.js';
import type { UnlinkedSubscriptionDocument } from './storage/unlinked-subscriptions.js';
import { checkoutService } from './transport/grpc/checkout.js';
import { operatorService } from './transport/grpc/operator.js';
import { paymentNotificationService } from './transport/grpc/payment-notification.js';
import { subscriptionService } from './transport/grpc/subscription.js';
import { onOrganizationKnown } from './transport/subscribers/organization-known.js';

/** Interval at which each replica searches for trials and grace periods that end. */
const WATCH_EACH_MS = 30_000;
/** Interval at which each replica checks whether the daily reconciliation of subscriptions is due. */
const RECONCILE_ASK_EACH_MS = 60_000;
const RECONCILE_EACH_MS = 24 * 3_600_000;
const RECONCILE_RETRY_MS = 3_600_000;

/** Starts the billing service and resolves when the service accepts calls. */
export function startService(config: Config, overrides?: StartOverrides): Promise<RunningService> {
  return startTenantService(
    {
      name: 'billing',
      schema: configSchema,
      config,
      callsEndMsMax: 20_000,
      compose: (connections) => compose(config, connections),
    },
    overrides,
  );
}

async function compose(
  config: Config,
  { db, clock, logger, wasPurged, openOutbox }: TenantConnections,
): Promise<TenantParts> {
  const { PADDLE_NOTIFICATION_SECRETS: secrets = [], PADDLE_API_KEY: apiKey } = config;
  if (secrets.length === 0) logger.warn({}, 'PADDLE_NOTIFICATION_SECRETS is not set: all notifications are refused');
  if (apiKey === undefined)
    logger.warn(
      {},
      'PADDLE_API_KEY is not set: subscriptions are not reconciled, and the portal and links to the checkout are unavailable',
    );
  const prices = pricesOf(config);
  if (prices === undefined) logger.warn({}, 'no PADDLE_PRICE_... is set: no plan can be bought');
  const collections = await openCollections(db);
  const outbox = await openOutbox(['customers', 'checkouts']);

  const rule = { pastDueDaysMax: config.SUBSCRIPTION_PAST_DUE_DAYS };
  const accounts = accountStore(collections.customers, outbox, { rule, clock });
  const due = dueWork(clock);
  const notifications = notificationStore(collections.notifications, clock, due.note);
  const deps = {
    accounts,
    changeAccount: accountChanger(accounts),
    wasPurged,
    notifications,
    checkouts: checkoutStore(collections.checkouts, outbox, clock),
    links: subscriptionLinks(collections.subscriptions, clock),
    unlinked: unlinkedSubscriptions(collections.unlinked, clock),
    api: paddleApi(config.PADDLE_API_URL, apiKey),
    prices,
    rule,
    successUrl: config.CHECKOUT_SUCCESS_URL,
    clock,
    logger,
  };
  const work = workOnNotification(deps);
  const daily = dailyRun(collections.schedules, clock, { periodMs: RECONCILE_EACH_MS, retryMs: RECONCILE_RETRY_MS });
  return {
    rpcGroups: [
      checkoutService(deps),
      subscriptionService({ ...deps, work }),
      paymentNotificationService({ ...deps, secrets, work }),
      operatorService({ ...deps, work }),
      archiveService(archivedKinds(collections)),
    ],
    eventHandlers: [
      handler(events.organizationCreated, onOrganizationKnown(deps)),
      handler(events.organizationChanged, onOrganizationKnown(deps)),
    ],
    tenantData: [
      ownedDocuments(collections.customers),
      ownedDocuments(collections.subscriptions),
      ownedDocuments(collections.unlinked),
      ownedDocuments(collections.notifications),
      ownedDocuments(collections.checkouts),
    ],
    stuckWork: [stuckNotifications(deps), stuckSubscriptions(deps)],
    jobs: [
      { name: 'sweep of notifications', ...due.schedule, run: sweepNotifications({ notifications, work }) },
      { name: 'trials and grace periods', pauseMs: WATCH_EACH_MS, run: watchAccounts(deps) },
      ...(apiKey === undefined
        ? []
        : [
            {
              name: 'reconciliation',
              pauseMs: RECONCILE_ASK_EACH_MS,
              run: (signal: AbortSignal) => daily(() => reconcileSubscriptions(deps)(signal)),
            },
          ]),
    ],
  };
}

/** Returns the configured price ids by the names of the prices, or undefined where no plan is sold. */
function pricesOf(config: Config): Prices | undefined {
  if (config.PADDLE_PRICE_CORE_MONTH === undefined) return undefined;
  return Object.fromEntries(priceNames.map((name) => [name, config[`PADDLE_PRICE_${name}`]])) as Prices;
}

/** Opens the database collections of the billing service with their indexes. */
async function openCollections(db: Db) {
  const customers = db.collection<CustomerDocument>('customers');
  const subscriptions = db.collection<SubscriptionDocument>('subscriptions');
  const unlinked = db.collection<UnlinkedSubscriptionDocument>('unlinked_subscriptions');
  const notifications = db.collection<NotificationDocument>('notifications');
  const checkouts = db.collection<CheckoutDocument>('checkouts');
  await Promise.all([
    createCustomerIndexes(customers),
    createSubscriptionIndexes(subscriptions),
    createUnlinkedIndexes(unlinked),
    createNotificationIndexes(notifications),
    createCheckoutIndexes(checkouts),
  ]);
  return {
    customers,
    subscriptions,
    unlinked,
    notifications,
    checkouts,
    schedules: db.collection<ScheduleDocument>('schedules'),
  };
}
