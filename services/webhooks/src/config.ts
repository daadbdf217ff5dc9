import { egressSettings, weakenedBy } from '@invoicecontrol/egress/settings';
import type { EgressSettings } from '@invoicecontrol/egress/settings';
import { addressSettings, serviceSettings } from '@invoicecontrol/runtime/config';
import { keyRing } from '@invoicecontrol/secretbox/key-ring';
import { z } from 'zod';

/** Number of delays between the five attempts of a webhook delivery. */
const RETRY_WAITS = 4;
const DAY_MS = 24 * 3_600_000;
const milliseconds = (defaultMs: number) => z.coerce.number().int().min(1).default(defaultMs);

/**
 * The four delays between the five attempts of a webhook delivery in milliseconds, such as
 * `60000,360000,2160000,12960000`.
 */
const retryWaits = z
  .string()
  .default('60000,360000,2160000,12960000')
  .transform((text) => text.split(',').map(Number))
  .refine((waits) => waits.length === RETRY_WAITS && waits.every((ms) => Number.isInteger(ms) && ms > 0), {
    message: `must be ${RETRY_WAITS} numbers of milliseconds, separated by commas`,
  });

const defaults = { WEBHOOK_SECRET_OVERLAP_MS: DAY_MS };

/** Environment variables of the webhooks service. */
export const configSchema = z
  .object({
    ...serviceSettings('webhooks'),
    ...addressSettings('organization'),
    SECRETBOX_KEYS: keyRing,
    NODE_ENV: z.string().optional(),
    ...egressSettings,
    /** PEM file with additional certificate authorities for webhook deliveries, for tests and development. */
    WEBHOOK_TEST_CA_FILE: z.string().optional(),
    WEBHOOK_RETRY_WAITS_MS: retryWaits,
    /** Minimum delay of the next webhook delivery attempt after a 429 response or a timeout. */
    WEBHOOK_RETRY_FLOOR_MS: milliseconds(60_000),
    /** Time after the rotation of a webhook secret for which the previous secret also signs deliveries. */
    WEBHOOK_SECRET_OVERLAP_MS: milliseconds(defaults.WEBHOOK_SECRET_OVERLAP_MS),
    /** Time for which all deliveries of a webhook must have failed before owners and admins are notified. */
    WEBHOOK_NOTICE_AFTER_MS: milliseconds(DAY_MS),
    /** Time for which all deliveries of a webhook must have failed before the webhook is disabled. */
    WEBHOOK_DISABLE_AFTER_MS: milliseconds(5 * DAY_MS),
  })
  .superRefine((config, issues) => {
    if (config.NODE_ENV !== 'production') return;
    for (const name of unsafeSettings(config)) {
      issues.addIssue({ code: 'custom', path: [name], message: 'must not be set in production' });
    }
  });

export type Config = z.infer<typeof configSchema>;

type UnsafeSettings = EgressSettings & Pick<Config, 'WEBHOOK_TEST_CA_FILE' | 'WEBHOOK_SECRET_OVERLAP_MS'>;

/** Returns the names of settings that make webhook deliveries less safe than the defaults. */
export function unsafeSettings(config: UnsafeSettings): string[] {
  return [
    ...weakenedBy(config),
    ...(config.WEBHOOK_TEST_CA_FILE === undefined ? [] : ['WEBHOOK_TEST_CA_FILE']),
    ...(config.WEBHOOK_SECRET_OVERLAP_MS === defaults.WEBHOOK_SECRET_OVERLAP_MS ? [] : ['WEBHOOK_SECRET_OVERLAP_MS']),
  ];
}
