import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import { z } from 'zod';
import type { TenantClients } from '../../clients.js';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { shownId, shownInstant, showInstant } from '../../http/description/fields.js';
import { publicRoute, route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { readUsage, usage } from './usage.js';

const ADDITIONAL_LEGAL_ENTITIES_MAX = 100;
const EXAMPLE_REFERENCE = `chk_${'5f1c07d2'.repeat(8)}`;
/** The payment provider's notifications are a few KiB. */
const NOTIFICATION_BYTES_MAX = 1024 * 1024;

const checkoutOptions = z
  .object({
    items: z
      .array(
        z.object({
          priceId: z.string().describe('The id of a price at the payment provider.'),
          quantity: z.int().min(1).describe('1 for a plan; the number of additional legal entities.'),
        }),
      )
      .describe('What is bought. All items have the same billing interval.'),
    customer: z
      .object({ email: z.string().describe('The billing e-mail, else the e-mail of the oldest owner.') })
      .optional()
      .describe('Left out when no e-mail is known.'),
    customData: z
      .object({
        organization_id: shownId().describe('The organization of the key.'),
        checkout_reference: z
          .string()
          .describe(
            'Links what is bought to the organization: one subscription, paid within 30 days. Show it only to who may buy.',
          ),
      })
      .describe(
        'Comes back with every notification about the subscription. A subscription without both is linked to nobody.',
      ),
    settings: z
      .object({ successUrl: z.string().describe('Where the checkout sends the buyer afterwards.') })
      .describe('Settings of the checkout.'),
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

export const createCheckout = route({
  operation: 'createCheckout',
  method: 'post',
  path: '/billing/checkout',
  summary: 'Build the options of the hosted checkout',
  description:
    'Pass the answer to `Paddle.Checkout.open` unchanged. Nothing is bought and nothing changes before the buyer pays there. ' +
    'Refused while the organization has a subscription that is not canceled.',
  rpc: 'invoicecontrol.billing.v1.CheckoutService/CreateCheckout',
  alsoAsks: ['invoicecontrol.organization.v1.OrganizationService/GetBillingContact'],
  access: { minimumRole: 'ADMIN', scope: 'billing:write' },
  isBodyOptional: true,
  body: z
    .strictObject({
      plan_code: z.enum(['CORE', 'CONTROL', 'SCALE']).default('CONTROL').describe('The plan to buy.'),
      billing_interval: z.enum(['month', 'year']).default('month').describe('How often it is paid.'),
      additional_legal_entities: z
        .int()
        .min(0)
        .max(ADDITIONAL_LEGAL_ENTITIES_MAX)
        .default(0)
        .describe('Companies beyond the first.'),
    })
    .meta({ id: 'CheckoutRequest' })
    .register(examples, {
      example: { plan_code: 'CONTROL', billing_interval: 'month', additional_legal_entities: 2 },
    }),
  responses: { 200: { description: 'Options for `Paddle.Checkout.open`.', schema: checkoutOptions } },
  refusals: [409],
  async handle({ body, principal }, { checkouts, organizations }): Promise<Reply> {
    const { email, subscriptionStatus } = await organizations.getBillingContact({});
    const { items, customerEmail, successUrl, checkoutReference } = await checkouts.createCheckout({
      planCode: body.plan_code,
      billingInterval: body.billing_interval,
      additionalLegalEntities: body.additional_legal_entities,
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

const status = z.enum(['none', 'trialing', 'active', 'past_due', 'paused', 'canceled']);

const subscription = z
  .object({
    plan: z
      .enum(['FREE', 'CORE', 'CONTROL', 'SCALE', 'ENTERPRISE'])
      .describe('What was bought while the subscription is active, else what counts now.'),
    status: status.describe('The state of the current subscription; `none` without one.'),
    active: z.boolean().describe('Whether what needs an active subscription is allowed.'),
    billingInterval: z.enum(['month', 'year']).nullable().describe('Null without a subscription.'),
    additionalLegalEntities: z.int().min(0).describe('Companies beyond the first.'),
    periodEnd: shownInstant().nullable().describe('When the paid period ends; null without one.'),
    scheduledChange: z
      .object({
        action: z.enum(['cancel', 'pause', 'resume']).describe('What happens then.'),
        effectiveAt: shownInstant().describe('When it happens.'),
      })
      .nullable()
      .describe('A change that takes effect later; until then the status stays.'),
    duplicates: z
      .array(
        z.object({
          subscriptionId: z.string().describe('Its id at the payment provider.'),
          status: status.describe('Its state.'),
        }),
      )
      .describe('Further subscriptions that are paid for and grant nothing. Cancel them.'),
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
  summary: 'Read the subscription, and what was used of it',
  rpc: 'invoicecontrol.billing.v1.SubscriptionService/GetSubscription',
  alsoAsks: [
    'invoicecontrol.organization.v1.OrganizationService/GetBillingContact',
    'invoicecontrol.usage.v1.UsageService/GetUsage',
  ],
  access: { minimumRole: 'ADMIN', scope: 'organization:read' },
  responses: { 200: { description: 'The subscription of the organization.', schema: subscription } },
  async handle({ principal }, clients): Promise<Reply> {
    return { status: 200, body: await readSubscription(principal, clients) };
  },
});

/** The subscription of the organization as GET /billing/subscription shows it. */
export async function readSubscription(
  principal: Principal,
  clients: TenantClients,
): Promise<z.infer<typeof subscription>> {
  const { subscription: current, duplicates } = await clients.subscriptions.getSubscription({});
  const [used, contact] = await Promise.all([
    readUsage(principal, clients),
    // What the operator set counts where billing knows of no subscription.
    current === undefined ? clients.organizations.getBillingContact({}) : undefined,
  ]);
  // The gates read the principal, so that is what is shown of them.
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
  summary: 'Create a link to the page of the payment provider',
  description:
    'The page for payment method, bills and cancellation. The link contains a token and is valid for a short time.',
  rpc: 'invoicecontrol.billing.v1.SubscriptionService/CreatePortalSession',
  access: { minimumRole: 'ADMIN', scope: 'billing:write' },
  // The provider is given eight seconds.
  timeoutMs: 10_000,
  responses: {
    200: {
      description: 'The link.',
      schema: z
        .object({ url: z.string().meta({ format: 'uri' }).describe('Send the browser there.') })
        .meta({ id: 'PortalSession' })
        .register(examples, { example: { url: 'https://customer-portal.paddle.com/cpl_...' } }),
    },
  },
  refusals: [404, 409, 502],
  async handle(_input, { subscriptions }): Promise<Reply> {
    const { url } = await subscriptions.createPortalSession({});
    return { status: 200, body: { url } };
  },
});

export const receivePaddleNotification = publicRoute({
  operation: 'receivePaddleNotification',
  method: 'post',
  path: '/billing/paddle/notifications',
  summary: 'Take a notification of the payment provider',
  description:
    'Only for Paddle. The header `Paddle-Signature`, `ts=<unix seconds>;h1=<hex>[;h1=<hex>]`, proves the sender: HMAC-SHA256 over ' +
    '`<ts>:<raw body>`, keyed with the secret of the destination. A repeat of an `event_id` changes nothing.',
  rpc: 'invoicecontrol.billing.v1.PaymentNotificationService/ReceiveNotification',
  access: 'public',
  rawBodyBytesMax: NOTIFICATION_BYTES_MAX,
  body: z
    .looseObject({
      event_id: z.string().describe('The id of the event; the same in every repeat.'),
      event_type: z.string().describe('For example `subscription.updated`.'),
      occurred_at: z.string().meta({ format: 'date-time' }).describe('When it happened.'),
      data: z.looseObject({}).describe('The entity as it was then.'),
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
  responses: { 200: { description: 'Stored.' } },
  refusals: [401],
  async handle({ rawBody, headers }, { paymentNotifications }): Promise<Reply> {
    const signature = headers['paddle-signature'];
    await paymentNotifications.receiveNotification({
      signature: typeof signature === 'string' ? signature : '',
      body: rawBody,
    });
    return { status: 200 };
  },
});
