import { egressSettings, weakenedBy } from '@invoicecontrol/egress/settings';
import type { EgressSettings } from '@invoicecontrol/egress/settings';
import { addressSettings, secret, serviceSettings } from '@invoicecontrol/runtime/config';
import { keyRing } from '@invoicecontrol/secretbox/key-ring';
import { parseUrl } from '@invoicecontrol/values/url';
import { z } from 'zod';

const MONTHS_MAX = 120;
const DAY_SECONDS = 86_400;
const YEAR_SECONDS = 365 * DAY_SECONDS;

const whole = (fallback: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
/** Schema for a configured URL of an ERP or provider without a trailing slash, because paths are appended. */
const baseUrl = (fallback: string) =>
  z
    .url({ protocol: /^https?$/ })
    .default(fallback)
    .transform((url) => url.replace(/(?<!\/)\/+$/, ''));
const endpointUrl = (fallback: string) => z.url({ protocol: /^https?$/ }).default(fallback);

/** Schema for a list of origins separated by commas, such as `https://erp.example.com:8443`. */
const origins = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((entry) => (entry.trim() === '' ? [] : [entry.trim()])))
  .refine((entries) => entries.every((entry) => parseUrl(entry)?.origin === entry), {
    message: 'must be origins such as https://erp.example.com, separated by commas',
  });

/** Environment variables of the erp-sync service (ERP reference, section 14). */
export const configSchema = z
  .object({
    ...serviceSettings('erp_sync'),
    ...addressSettings('organization', 'analysis'),
    SECRETBOX_KEYS: keyRing,
    NODE_ENV: z.string().optional(),
    ...egressSettings,
    /** Origins of customer URLs for ERPs that may be called even if their hosts would otherwise be blocked. */
    ERP_EGRESS_ALLOW_ORIGINS: origins,
    /** Form of ERP names in responses: `codes` (PROVIDER_A) or `products` (BUSINESS_CENTRAL). */
    ERP_PROVIDER_NAMES: z.enum(['codes', 'products']).default('codes'),

    BUSINESS_CENTRAL_LOGIN_URL: baseUrl('https://login.microsoftonline.com'),
    BUSINESS_CENTRAL_API_URL: baseUrl('https://api.businesscentral.dynamics.com'),
    /** Allowed origins of `bankAccountEndpoint` in Business Central, by default the origin of its API. */
    BUSINESS_CENTRAL_BANK_ORIGINS: origins,

    /** QuickBooks Online cannot be connected without the id and the secret of an OAuth app. */
    QUICKBOOKS_CLIENT_ID: z.string().optional(),
    QUICKBOOKS_CLIENT_SECRET: secret.optional(),
    QUICKBOOKS_AUTHORIZE_URL: endpointUrl('https://appcenter.intuit.com/connect/oauth2'),
    QUICKBOOKS_TOKEN_URL: endpointUrl('https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer'),
    QUICKBOOKS_REVOKE_URL: endpointUrl('https://developer.api.intuit.com/v2/oauth2/tokens/revoke'),
    QUICKBOOKS_API_URL: baseUrl('https://quickbooks.api.intuit.com'),
    /** Xero cannot be connected without the id and the secret of an OAuth app. */
    XERO_CLIENT_ID: z.string().optional(),
    XERO_CLIENT_SECRET: secret.optional(),
    XERO_AUTHORIZE_URL: endpointUrl('https://login.xero.com/identity/connect/authorize'),
    XERO_TOKEN_URL: endpointUrl('https://identity.xero.com/connect/token'),
    XERO_REVOKE_URL: endpointUrl('https://identity.xero.com/connect/revocation'),
    XERO_API_URL: baseUrl('https://api.xero.com'),

    /** Interval at which an ERP connection is synchronised. */
    ERP_SYNC_INTERVAL_SECONDS: whole(3_600, 1, YEAR_SECONDS),
    /** Interval at which each replica searches for due ERP connections. */
    ERP_POLL_SECONDS: whole(15, 1, 3_600),
    /** Lease of an import run, which is renewed when a third of it has passed. */
    ERP_LEASE_SECONDS: whole(60, 1, 3_600),
    /** Interval at which all record ids are compared with the ERP, for ERPs that do not report all deletions. */
    ERP_RECONCILE_SECONDS: whole(7 * DAY_SECONDS, 1, YEAR_SECONDS),
    /** Number of months for which bills are imported by default. */
    ERP_INITIAL_MONTHS: whole(24, 1, MONTHS_MAX),
    /** Maximum time between two refreshes of the OAuth tokens of an ERP connection. */
    ERP_REFRESH_SECONDS: whole(DAY_SECONDS, 1, 30 * DAY_SECONDS),
    /** Maximum page size to request from an ERP. The ERP may return smaller pages. */
    ERP_PAGE_SIZE: z.coerce.number().int().min(1).max(100_000).optional(),
    /** Deadline of one call to an ERP, including the body of its response. */
    ERP_CALL_SECONDS: whole(30, 1, 600),
    ERP_RESPONSE_MAX_BYTES: whole(32 * 1024 * 1024, 1_024, 512 * 1024 * 1024),
    ERP_BACKOFF_MS: whole(1_000, 0, 60_000),
    ERP_BACKOFF_MAX_SECONDS: whole(60, 1, 3_600),
    /** Time limit of one ERP import run in seconds. */
    ERP_RUN_SECONDS: whole(1_800, 1, DAY_SECONDS),
    ERP_RUN_CALLS: whole(2_000, 1, 100_000),

    ERP_OAUTH_FLOW_SECONDS: whole(600, 1, 3_600),
    ERP_OAUTH_CONFIRM: z.stringbool().default(true),
    /** URL to which ERP providers redirect the browser after a consent. The provider's code is appended. */
    ERP_OAUTH_CALLBACK_URL: baseUrl('http://127.0.0.1:8080/v1/erp-connections/oauth/callback'),
    /** Page of the application to which the browser is redirected after an ERP was connected. */
    ERP_OAUTH_RETURN_URL: endpointUrl('http://127.0.0.1:8080/docs'),
  })
  .superRefine((config, issues) => {
    if (config.NODE_ENV !== 'production') return;
    for (const name of unsafeSettings(config)) {
      issues.addIssue({ code: 'custom', path: [name], message: 'must not be set in production' });
    }
  });

export type Config = z.infer<typeof configSchema>;

/** Returns the names of the settings of the erp-sync service that make calls less safe than the defaults. */
export function unsafeSettings(config: EgressSettings): string[] {
  return weakenedBy(config);
}

/** Returns the origins to which the Business Central token may be sent. */
export function bankOrigins(
  config: Pick<Config, 'BUSINESS_CENTRAL_BANK_ORIGINS' | 'BUSINESS_CENTRAL_API_URL'>,
): readonly string[] {
  const { BUSINESS_CENTRAL_BANK_ORIGINS: named, BUSINESS_CENTRAL_API_URL: apiUrl } = config;
  return named.length > 0 ? named : [new URL(apiUrl).origin];
}
