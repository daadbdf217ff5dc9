import { secret, serviceSettings } from '@invoicecontrol/runtime/config';
import { z } from 'zod';

const priceId = z
  .string()
  .regex(/^pri_[a-z0-9]{26}$/, 'must be the id of a price: pri_ and 26 small letters or digits');
/** Public values for prices and the notification secret with which the simulator of the payment provider is started. */
const DEVELOPMENT_PRICE = 'pri_development';
const DEVELOPMENT_SECRET = 'pdl_ntfset_development_only';
const SECRETS_MAX = 10;

/** Ids of the prices at the payment provider: either all prices, or none if the installation sells no plan. */
const priceSettings = {
  PADDLE_PRICE_CORE_MONTH: priceId.optional(),
  PADDLE_PRICE_CORE_YEAR: priceId.optional(),
  PADDLE_PRICE_CONTROL_MONTH: priceId.optional(),
  PADDLE_PRICE_CONTROL_YEAR: priceId.optional(),
  PADDLE_PRICE_SCALE_MONTH: priceId.optional(),
  PADDLE_PRICE_SCALE_YEAR: priceId.optional(),
  PADDLE_PRICE_ENTITY_MONTH: priceId.optional(),
  PADDLE_PRICE_ENTITY_YEAR: priceId.optional(),
};

/** Environment variables of the billing service. */
export const configSchema = z
  .object({
    ...serviceSettings('billing'),
    NODE_ENV: z.string().optional(),
    ...priceSettings,
    /**
     * Secrets of the notification destination at the payment provider, separated by commas. Each of them is accepted.
     * If there is none, all notifications are refused.
     */
    PADDLE_NOTIFICATION_SECRETS: secret
      .transform((text) => text.split(',').map((one) => one.trim()))
      .refine((secrets) => secrets.every((one) => one !== '') && secrets.length <= SECRETS_MAX, {
        message: `must be 1 to ${SECRETS_MAX} secrets, separated by commas`,
      })
      .optional(),
    /** URL of the API of the payment provider, which only reconciliation and the portal use. */
    PADDLE_API_URL: z.url({ protocol: /^https?$/ }).default('https://api.paddle.com'),
    PADDLE_API_KEY: secret.optional(),
    /** Page to which the checkout redirects the buyer. */
    CHECKOUT_SUCCESS_URL: z.url({ protocol: /^https?$/ }),
    /**
     * Number of days without payment after which a subscription is no longer active. If the number is not set, the
     * subscription remains active as long as the payment provider tries to collect the payment.
     */
    SUBSCRIPTION_PAST_DUE_DAYS: z.coerce.number().int().min(1).max(365).optional(),
  })
  .refine((config) => missingPrices(config).length === 0, {
    path: ['PADDLE_PRICE'],
    error: ({ input }) =>
      `set the id of every price, or of none if no plan is sold; not set: ${missingPrices(input).join(', ')}`,
    when: () => true,
  })
  .refine((config) => repeatedPrices(config).length === 0, {
    path: ['PADDLE_PRICE'],
    error: ({ input }) => `each price must have its own id; these do not: ${repeatedPrices(input).join(', ')}`,
    // The rule about price settings is checked even if other settings of the billing service are wrong, so that all
    // faults are reported at once.
    when: () => true,
  })
  .refine((config) => developmentSettings(config).length === 0, {
    path: ['NODE_ENV'],
    error: ({ input }) =>
      `in production, set values of your own account at the payment provider in place of those of the simulator: ${developmentSettings(input).join(', ')}`,
    when: () => true,
  });

export type Config = z.infer<typeof configSchema>;

/** Returns the names of the plan prices that are not set in the configuration although other plan prices are set. */
function missingPrices(config: unknown): string[] {
  const values = config as Readonly<Record<string, unknown>>;
  const names = Object.keys(priceSettings);
  const missing = names.filter((name) => values[name] === undefined);
  return missing.length < names.length ? missing : [];
}

/** Returns the names of price settings that have the same price as another setting. */
function repeatedPrices(config: unknown): string[] {
  const values = config as Readonly<Record<string, unknown>>;
  const names = Object.keys(values).filter((name) => name.startsWith('PADDLE_PRICE_'));
  return names.filter(
    (name) => values[name] !== undefined && names.some((other) => other !== name && values[other] === values[name]),
  );
}

/**
 * Returns the names of settings that have a public value of the simulator. Such values are not allowed in production.
 */
function developmentSettings(config: unknown): string[] {
  const values = config as Readonly<Record<string, unknown>>;
  if (values['NODE_ENV'] !== 'production') return [];
  const prices = Object.keys(values).filter(
    (name) => name.startsWith('PADDLE_PRICE_') && String(values[name]).startsWith(DEVELOPMENT_PRICE),
  );
  const secrets = [values['PADDLE_NOTIFICATION_SECRETS']].flat();
  return secrets.includes(DEVELOPMENT_SECRET) ? [...prices, 'PADDLE_NOTIFICATION_SECRETS'] : prices;
}
