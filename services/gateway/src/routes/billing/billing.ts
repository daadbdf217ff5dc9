import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import { z } from 'zod';
import type { TenantClients } from '../../clients.js';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { shownId, shownInstant, showInstant } from '../../http/description/fields.js';
import { publicRoute, route } from '../../http/description/route.js';
import { readUsage, usage } from './usage.js';
import { together } from '../together.js';

const ADDITIONAL_LEGAL_ENTITIES_MAX = 100;
const EXAMPLE_REFERENCE = `chk_${'5f1c07d2'.repeat(8)}`;
/** Maximum size of a payment notification in bytes. The payment provider sends a few KiB. */
const NOTIFICATION_BYTES_MAX = 1024 * 1024;

const checkoutOptions = z
  .object({
    items: z
      .array(
        z.object({
          priceId: z.string().describe('The id of the price at the payment provider.'),
          quantity: z
            .int()
            .min(1)
            .describe('The quantity to buy: 1 for a plan, or the number of additional legal entities.'),
        }),
      )
      .describe('The items to buy in the checkout. All items have the same billing interval.'),
    customer: z
      .object({
        email: z
          .string()
          .describe(
            'The billing e-mail address of the organization or, if none is set, the e-mail address of the oldest owner.',
          ),
      })
      .optional()
      .describe('The customer who buys the subscription. Absent if no e-mail address is known.'),
    customData: z
      .object({
        organization_id: shownId().describe('The id of the organization that the API key belongs to.'),
        checkout_reference: z
          .string()
          .describe(
            'The reference that links one subscription, paid within 30 days, to the organization. Show the reference only to users who may buy a plan.',
          ),
      })
      .describe(
        'The data that links the subscription to the organization. The payment provider returns this data with every notification about the subscription. If organization_id or checkout_reference is missing, the subscription is not linked to an organization.',
      ),
    settings: z
      .object({
        successUrl: z.string().describe('The URL to which the checkout redirects the buyer after the purchase.'),
      })
      .describe('The settings of the hosted checkout of the payment provider.'),
  })
  .meta({ id: 'CheckoutOptions' })
  .register(examples, {
    example: {
      items: [
        { priceId: 'pri_01hv0xcontrolmonth00000000', quantity: 1 },
        { priceId: 'pri_01hv0xentitymonth000000000', quantity: 2 },
      ],
      customer: { email: 'billing@example.com' },
      customData: { organization_id: EXAMPLE_IDS.organization, checkout_reference: EXAMPLE_REFERENCE },
      settings: { successUrl: 'https://example.com/billing/success' },
    },
  });

/** Schema of the body that says what is bought. Every member is optional. */
const checkoutRequest = z
  .strictObject({
    plan_code: z
      .enum(['CORE', 'CONTROL', 'SCALE'])
      .default('CONTROL')
      .describe('The plan that the organization buys in the checkout.'),
    billing_interval: z
      .enum(['month', 'year'])
      .default('month')
      .describe('The billing interval of the subscription: month or year.'),
    additional_legal_entities: z
      .int()
      .min(0)
      .max(ADDITIONAL_LEGAL_ENTITIES_MAX)
      .default(0)
      .describe('The number of companies, in addition to the first, that the subscription should cover.'),
  })
  .meta({ id: 'CheckoutRequest' })
  .register(examples, {
    example: { plan_code: 'CONTROL', billing_interval: 'month', additional_legal_entities: 2 },
  });

export const createCheckout = route({
  operation: 'createCheckout',
  method: 'post',
  path: '/billing/checkout',
  summary: 'Create options for the hosted checkout',
  description:
    'Returns options to pass unchanged to `Paddle.Checkout.open`. Nothing is bought and nothing changes until the buyer pays in the checkout. The request is refused while the organization has a subscription that is not canceled.',
  rpc: 'invoicecontrol.billing.v1.CheckoutService/CreateCheckout',
  alsoAsks: ['invoicecontrol.organization.v1.OrganizationService/GetBillingContact'],
  access: { minimumRole: 'ADMIN', scope: 'billing:write', refusesTestKeys: true },
  isBodyOptional: true,
  body: checkoutRequest,
  responses: {
    200: {
      description: 'The options of the checkout, which a web page passes unchanged to `Paddle.Checkout.open`.',
      schema: checkoutOptions,
    },
  },
  refusals: [409],
  async handle({ body, principal }, { checkouts, organizations }) {
    const { email, subscriptionStatus } = await organizations.getBillingContact({});
    const { items, customerEmail, successUrl, checkoutReference } = await checkouts.createCheckout({
      ...purchaseOf(body),
      customerEmail: email,
      subscriptionStatus,
    });
    const options: z.infer<typeof checkoutOptions> = {
      items: items.map(({ priceId, quantity }) => ({ priceId, quantity })),
      ...(customerEmail === undefined ? {} : { customer: { email: customerEmail } }),
      customData: { organization_id: principal.organizationId, checkout_reference: checkoutReference },
      settings: { successUrl },
    };
    return { status: 200, body: options };
  },
});

function purchaseOf(body: z.infer<typeof checkoutRequest>) {
  return {
    planCode: body.plan_code,
    billingInterval: body.billing_interval,
    additionalLegalEntities: body.additional_legal_entities,
  };
}

export const createCheckoutSession = route({
  operation: 'createCheckoutSession',
  method: 'post',
  path: '/billing/checkout-session',
  summary: 'Create a link to the hosted checkout',
  description:
    'Prepares the purchase at the payment provider, and returns the page on which the buyer pays. Nothing is bought and nothing changes until then. The page leads back to the address that the operator has configured. The request is refused while the organization has a subscription that is not canceled.',
  rpc: 'invoicecontrol.billing.v1.CheckoutService/CreateCheckoutSession',
  alsoAsks: ['invoicecontrol.organization.v1.OrganizationService/GetBillingContact'],
  access: { minimumRole: 'ADMIN', scope: 'billing:write', refusesTestKeys: true },
  // The timeout is long, because the billing service waits up to eight seconds for the payment provider.
  timeoutMs: 10_000,
  isBodyOptional: true,
  body: checkoutRequest,
  responses: {
    200: {
      description: 'The link to the checkout page of the payment provider.',
      schema: z
        .object({
          url: z.string().meta({ format: 'uri' }).describe('The URL of the checkout page to open in the browser.'),
        })
        .meta({ id: 'CheckoutSession' })
        .register(examples, { example: { url: 'https://buy.example.com/pay?_ptxn=txn_01hv0x' } }),
    },
  },
  refusals: [409, 502],
  async handle({ body }, { checkouts, organizations }) {
    const { subscriptionStatus } = await organizations.getBillingContact({});
    const { url } = await checkouts.createCheckoutSession({ ...purchaseOf(body), subscriptionStatus });
    return { status: 200, body: { url } };
  },
});

const status = z.enum(['none', 'trialing', 'active', 'past_due', 'paused', 'canceled']);

const subscription = z
  .object({
    plan: z
      .enum(['FREE', 'CORE', 'CONTROL', 'SCALE', 'ENTERPRISE'])
      .describe(
        'The plan that is in effect: the purchased plan while the subscription is active, and otherwise the plan that applies without a subscription.',
      ),
    status: status.describe('The status of the current subscription, or `none` if there is no subscription.'),
    active: z.boolean().describe('Whether the organization may use features that require an active subscription.'),
    billingInterval: z
      .enum(['month', 'year'])
      .nullable()
      .describe('The billing interval of the subscription, or null if there is no subscription.'),
    additionalLegalEntities: z
      .int()
      .min(0)
      .describe('The number of companies, in addition to the first, that the subscription covers.'),
    periodEnd: shownInstant()
      .nullable()
      .describe('The time when the paid period of the subscription ends, or null if there is no paid period.'),
    scheduledChange: z
      .object({
        action: z
          .enum(['cancel', 'pause', 'resume'])
          .describe('The scheduled action on the subscription: cancel, pause or resume.'),
        effectiveAt: shownInstant().describe('The time when the scheduled action on the subscription takes effect.'),
      })
      .nullable()
      .describe(
        'The scheduled change to the subscription, or null if there is none. The status stays the same until the change takes effect.',
      ),
    duplicates: z
      .array(
        z.object({
          subscriptionId: z.string().describe('The id of the duplicate subscription at the payment provider.'),
          status: status.describe('The status of the duplicate subscription.'),
        }),
      )
      .describe('The duplicate subscriptions, which are paid for but have no effect. Cancel these subscriptions.'),
    usage,
  })
  .meta({ id: 'Subscription' })
  .register(examples, {
    example: {
      plan: 'SCALE',
      status: 'active',
      active: true,
      billingInterval: 'month',
      additionalLegalEntities: 2,
      periodEnd: '2026-04-13T09:30:00.000Z',
      scheduledChange: { action: 'cancel', effectiveAt: EXAMPLE_INSTANT },
      duplicates: [],
      usage: { period: '2026-03', items: [{ meter: 'analyses', used: 13, limit: 5_000 }] },
    },
  });

export const getSubscription = route({
  operation: 'getSubscription',
  method: 'get',
  path: '/billing/subscription',
  summary: 'Read the subscription with its usage',
  rpc: 'invoicecontrol.billing.v1.SubscriptionService/GetSubscription',
  alsoAsks: [
    'invoicecontrol.organization.v1.OrganizationService/GetBillingContact',
    'invoicecontrol.usage.v1.UsageService/GetUsage',
  ],
  access: { minimumRole: 'ADMIN', scope: 'organization:read', refusesTestKeys: true },
  responses: {
    200: {
      description: 'The paid subscription of the organization, with its plan and the use of its quotas.',
      schema: subscription,
    },
  },
  async handle({ principal }, clients) {
    return { status: 200, body: await readSubscription(principal, clients) };
  },
});

/** Returns the organization's subscription as shown by GET /billing/subscription. */
export async function readSubscription(
  principal: Principal,
  clients: TenantClients,
): Promise<z.infer<typeof subscription>> {
  const { subscription: current, duplicates } = await clients.subscriptions.getSubscription({});
  const [used, contact] = await together([
    readUsage(principal, clients),
    // If the billing service has no subscription, the subscription status that the operator set counts.
    current === undefined ? clients.organizations.getBillingContact({}) : undefined,
  ]);
  // Routes that require a subscription use the status in the caller's data (principal), so the response about the
  // subscription shows the same status.
  const active = principal.hasActiveSubscription;
  return {
    plan: subscription.shape.plan.parse(active && current?.active === true ? current.plan : principal.plan),
    status: status.parse(current?.status ?? contact?.subscriptionStatus),
    active,
    billingInterval: subscription.shape.billingInterval.parse(current?.billingInterval ?? null),
    additionalLegalEntities: current?.additionalLegalEntities ?? 0,
    periodEnd: current?.periodEndTime === undefined ? null : showInstant(current.periodEndTime),
    scheduledChange:
      current?.scheduledChange === undefined
        ? null
        : {
            action: z.enum(['cancel', 'pause', 'resume']).parse(current.scheduledChange.action),
            effectiveAt: showInstant(current.scheduledChange.effectiveTime),
          },
    duplicates: duplicates.map((one) => ({
      subscriptionId: one.subscriptionId,
      status: status.parse(one.status),
    })),
    usage: used,
  };
}

export const createPortalSession = route({
  operation: 'createPortalSession',
  method: 'post',
  path: '/billing/portal-session',
  summary: 'Create a link to the customer portal',
  description:
    'Creates a link to the payment provider page on which the customer manages payment methods, bills and cancellation. The link contains a token and is valid for a short time.',
  rpc: 'invoicecontrol.billing.v1.SubscriptionService/CreatePortalSession',
  access: { minimumRole: 'ADMIN', scope: 'billing:write', refusesTestKeys: true },
  // The timeout of a portal link is long, because the billing service waits up to eight seconds for the payment
  // provider.
  timeoutMs: 10_000,
  responses: {
    200: {
      description: 'The link to the customer portal of the payment provider.',
      schema: z
        .object({
          url: z.string().meta({ format: 'uri' }).describe('The URL of the customer portal to open in the browser.'),
        })
        .meta({ id: 'PortalSession' })
        .register(examples, { example: { url: 'https://customer-portal.paddle.com/cpl_...' } }),
    },
  },
  refusals: [404, 409, 502],
  async handle(_input, { subscriptions }) {
    const { url } = await subscriptions.createPortalSession({});
    return { status: 200, body: { url } };
  },
});

export const receivePaddleNotification = publicRoute({
  operation: 'receivePaddleNotification',
  method: 'post',
  path: '/billing/paddle/notifications',
  summary: 'Receive a notification from the payment provider',
  description:
    'Accepts requests only from Paddle, the payment provider. The header `Paddle-Signature`, `ts=<unix seconds>;h1=<hex>[;h1=<hex>]`, proves the sender: HMAC-SHA256 over `<ts>:<raw body>`, keyed with the secret of the notification destination. A repeated `event_id` changes nothing.',
  rpc: 'invoicecontrol.billing.v1.PaymentNotificationService/ReceiveNotification',
  access: 'public',
  rawBodyBytesMax: NOTIFICATION_BYTES_MAX,
  body: z
    .looseObject({
      event_id: z
        .string()
        .describe(
          'The id of the event at the payment provider. Every repeated notification about the event has the same id.',
        ),
      event_type: z.string().describe('The type of the event at the payment provider, such as `subscription.updated`.'),
      occurred_at: z
        .string()
        .meta({ format: 'date-time' })
        .describe('The time when the event at the payment provider occurred.'),
      data: z
        .looseObject({})
        .describe('The entity at the payment provider that the event is about, as it was when the event occurred.'),
    })
    .meta({ id: 'PaddleNotification' })
    .register(examples, {
      example: {
        event_id: 'evt_01hv0x000000000000000000aa',
        event_type: 'subscription.updated',
        occurred_at: '2026-03-14T09:30:00.123456Z',
        data: {},
      },
    }),
  responses: { 200: { description: 'The notification from the payment provider has been stored.' } },
  refusals: [401],
  async handle({ rawBody, headers }, { paymentNotifications }) {
    const signature = headers['paddle-signature'];
    await paymentNotifications.receiveNotification({
      signature: typeof signature === 'string' ? signature : '',
      body: rawBody,
    });
    return { status: 200 };
  },
});
