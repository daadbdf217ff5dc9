import { createHmac, randomUUID } from 'node:crypto';
import { CheckoutServiceDefinition } from '@invoicecontrol/contracts/billing/v1/checkout_service';
import type { SubscriptionChanged } from '@invoicecontrol/contracts/billing/v1/events';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/billing/v1/operator_service';
import { PaymentNotificationServiceDefinition } from '@invoicecontrol/contracts/billing/v1/payment_notification_service';
import { SubscriptionServiceDefinition } from '@invoicecontrol/contracts/billing/v1/subscription_service';
import { events } from '@invoicecontrol/contracts/events';
import type { EventHeader, EventType } from '@invoicecontrol/contracts/events';
import { OperatorServiceDefinition as OperationsDefinition } from '@invoicecontrol/contracts/operations/v1/operator_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { openTestChannel, testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';

export const SECRETS = ['pdl_ntfset_first', 'pdl_ntfset_second'] as const;
export const API_KEY = 'pdl_sdbx_apikey_test';

const priceNames = ['CORE', 'CONTROL', 'SCALE', 'ENTITY'].flatMap((product) => [`${product}_MONTH`, `${product}_YEAR`]);
/** Ids that the test prices have at the payment provider, by the name of the price. */
export const prices: Readonly<Record<string, string>> = Object.fromEntries(
  priceNames.map((name) => [name, `pri_${name.toLowerCase().replace('_', '').padEnd(26, '0')}`]),
);

export const call = {
  context: { requestId: 'test', actor: { type: 'API_KEY', id: 'key' } },
  timeoutMs: 20_000,
} as const;

function connectClients(address: string) {
  const channel = openTestChannel('billing', address);
  return {
    checkouts: client(CheckoutServiceDefinition, channel),
    subscriptions: client(SubscriptionServiceDefinition, channel),
    notifications: client(PaymentNotificationServiceDefinition, channel),
    operator: client(OperatorServiceDefinition, channel),
    operations: client(OperationsDefinition, channel),
    close: () => channel.close(),
  };
}

/** The billing service of a test. The tests send the payment notifications themselves. */
export interface RunningBilling extends ReturnType<typeof connectClients> {
  readonly mongo: MongoConnection;
  /** Events `subscription_changed` of a test in the order in which they were published. */
  readonly changes: readonly SubscriptionChanged[];
  /** Returns the published billing events of one type about an organization. */
  announced<T extends EventHeader>(type: EventType<T>): readonly T[];
  /** Creates an organization that is registered with the billing service. */
  newOrganization(): Promise<string>;
  /** Requests a checkout for the organization, which must have no subscription, and returns its reference. */
  newReference(organizationId: string): Promise<string>;
  /** Publishes the event that announces that an organization exists. */
  announceOrganization(organizationId: string): Promise<void>;
  /** Publishes the event that announces that an organization was purged. */
  announcePurge(organizationId: string): Promise<void>;
  /** Sends a payment notification text with its signature. */
  send(text: string, signature?: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startBilling(
  startService: (config: Config, overrides?: StartOverrides) => Promise<RunningService>,
  {
    infrastructure: { mongodbUrl, natsUrl },
    databaseName,
    apiUrl = 'http://127.0.0.1:9',
    env = {},
    overrides = {},
    until,
  }: {
    readonly infrastructure: { readonly mongodbUrl: string; readonly natsUrl: string };
    readonly databaseName: string;
    /** URL of the payment provider's API in a test. No server listens at the default URL. */
    readonly apiUrl?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly overrides?: StartOverrides;
    /** Polls the billing service of a test until the given condition holds. */
    readonly until: (condition: () => Promise<boolean>) => Promise<void>;
  },
): Promise<RunningBilling> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const mongo = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
  const bus = await connectTestNats({ url: natsUrl, name: 'test', logger });
  const changes: SubscriptionChanged[] = [];
  const others: { readonly type: EventType; readonly event: EventHeader }[] = [];
  /** Repeated billing events are ignored in tests, because events may be delivered more than once. */
  const heard = new Set<string>();
  const isFirst = ({ eventId }: EventHeader): boolean => !heard.has(eventId) && heard.add(eventId).has(eventId);
  const subscribed = [
    subscribeBroadcast(
      bus,
      [events.subscriptionChanged],
      (event) => void (isFirst(event) && changes.push(event)),
      logger,
    ),
    ...[events.paymentFailed, events.trialEnding, events.billingAuditRecorded].map((type) =>
      subscribeBroadcast(
        bus,
        [type as unknown as EventType],
        (event) => void (isFirst(event) && others.push({ type: type as unknown as EventType, event })),
        logger,
      ),
    ),
  ];
  const publisher = await eventPublisher(bus, 'organization');
  const config = configSchema.parse({
    GRPC_PORT: '0',
    HEALTH_PORT: '0',
    TLS_DIR: testIdentityDirectory('billing'),
    MONGODB_URL: mongodbUrl,
    NATS_URL: natsUrl,
    DATABASE_NAME: databaseName,
    LOG_LEVEL: 'silent',
    PADDLE_NOTIFICATION_SECRETS: SECRETS.join(','),
    PADDLE_API_URL: apiUrl,
    PADDLE_API_KEY: API_KEY,
    CHECKOUT_SUCCESS_URL: 'https://example.com/success',
    ...Object.fromEntries(Object.entries(prices).map(([name, id]) => [`PADDLE_PRICE_${name}`, id])),
    ...env,
  });
  const service = await startService(config, overrides);
  const clients = connectClients(service.address);
  const customers = mongo.db.collection<{ _id: string }>('customers');
  const announce = async (
    { subject, codec }: typeof events.organizationCreated | typeof events.organizationPurged,
    organizationId: string,
  ): Promise<void> => {
    const event = { eventId: `evt_${randomUUID()}`, eventTime: new Date(), organizationId, version: 1 };
    await publisher.publish({ id: event.eventId, subject, payload: JSON.stringify(codec.toJSON(event)) });
  };
  const announceOrganization = (organizationId: string): Promise<void> =>
    announce(events.organizationCreated, organizationId);
  return {
    ...clients,
    mongo,
    changes,
    announced: <T extends EventHeader>(type: EventType<T>) =>
      others.flatMap((one) => (one.type.subject === type.subject ? [one.event as T] : [])),
    announceOrganization,
    announcePurge: (organizationId) => announce(events.organizationPurged, organizationId),
    async newOrganization() {
      const organizationId = randomUUID();
      await announceOrganization(organizationId);
      await until(async () => (await customers.findOne({ _id: organizationId })) !== null);
      return organizationId;
    },
    async newReference(organizationId) {
      const { checkoutReference } = await clients.checkouts.createCheckout(
        {
          organizationId,
          planCode: 'CORE',
          billingInterval: 'month',
          additionalLegalEntities: 0,
          subscriptionStatus: 'none',
        },
        call,
      );
      return checkoutReference;
    },
    async send(text, signature = signed(text)) {
      await clients.notifications.receiveNotification({ signature, body: Buffer.from(text) }, call);
    },
    async stop() {
      clients.close();
      for (const one of subscribed) one.close();
      await service.stop();
      await bus.close();
      await mongo.db.dropDatabase();
      await mongo.close();
    },
  };
}

export function signed(text: string, secret: string = SECRETS[0], at = new Date()): string {
  const ts = Math.floor(at.getTime() / 1_000);
  return `ts=${ts};h1=${createHmac('sha256', secret).update(`${ts}:${text}`).digest('hex')}`;
}

export interface SubscriptionState {
  readonly id: string;
  readonly organizationId: string;
  /**
   * Reference of the checkout that created a test subscription. A subscription without a reference only claims an
   * organization.
   */
  readonly reference?: string;
  readonly status?: string;
  readonly plan?: 'CORE' | 'CONTROL' | 'SCALE';
  readonly entities?: number;
  readonly periodStart?: string;
  readonly nextBilledAt?: string;
}

/** Returns a test subscription in the format of the payment provider. */
export function subscriptionEntity(state: SubscriptionState): Readonly<Record<string, unknown>> {
  const { id, organizationId, reference, status = 'active', plan = 'CONTROL', entities = 0 } = state;
  return {
    id,
    status,
    customer_id: 'ctm_1',
    items: [
      { price: { id: prices[`${plan}_MONTH`] }, quantity: 1 },
      ...(entities === 0 ? [] : [{ price: { id: prices['ENTITY_MONTH'] }, quantity: entities }]),
    ],
    current_billing_period: {
      starts_at: state.periodStart ?? '2026-03-01T00:00:00Z',
      ends_at: '2026-04-01T00:00:00Z',
    },
    next_billed_at: state.nextBilledAt ?? '2026-04-01T00:00:00Z',
    scheduled_change: null,
    custom_data: {
      organization_id: organizationId,
      ...(reference === undefined ? {} : { checkout_reference: reference }),
    },
  };
}

/** Returns the body of a notification of the payment provider as text. */
export function notificationText(
  type: string,
  data: Readonly<Record<string, unknown>>,
  { eventId = `evt_${randomUUID()}`, occurredAt = new Date().toISOString() } = {},
): string {
  return JSON.stringify({ event_id: eventId, event_type: type, occurred_at: occurredAt, data });
}

/** Returns a new id for a subscription at the payment provider. */
export function newSubscriptionId(): string {
  return `sub_${randomUUID().replaceAll('-', '')}`;
}
