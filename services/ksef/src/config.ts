import { addressSettings, MAY_BE_EMPTY, operatorToken, serviceSettings } from '@invoicecontrol/runtime/config';
import { keyRing } from '@invoicecontrol/secretbox/key-ring';
import { parseUrl } from '@invoicecontrol/values/url';
import { z } from 'zod';

const FACTOR_MAX = 1_000_000;

/** Base address with `/v2`; without a slash at its end, because paths are appended. */
const baseUrl = (fallback: string) =>
  z
    .url({ protocol: /^https?$/ })
    .default(fallback)
    .transform((url) => url.replace(/(?<!\/)\/+$/, ''));

/** Host names with commas between them. */
const hosts = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((entry) => (entry.trim() === '' ? [] : [entry.trim().toLowerCase()])))
  .refine((entries) => entries.every((entry) => parseUrl(`https://${entry}`)?.hostname === entry), {
    message: 'must be host names such as storage.example.com, separated by commas',
  });

/** The environment of the ksef service (KSeF reference, sections 17 and 19). */
export const configSchema = z.object({
  ...serviceSettings('ksef'),
  ...addressSettings('organization', 'analysis', 'documents'),
  OPERATOR_TOKEN: operatorToken,
  SECRETBOX_KEYS: keyRing,

  /** Address of each environment. The operator sets them, so no setting of egress applies to them. */
  KSEF_TEST_URL: baseUrl('https://api-test.ksef.mf.gov.pl/v2'),
  KSEF_DEMO_URL: baseUrl('https://api-demo.ksef.mf.gov.pl/v2'),
  KSEF_PRODUCTION_URL: baseUrl('https://api.ksef.mf.gov.pl/v2'),

  /** Hosts where packages of invoices may lie besides the origin of their environment. They are called over https. */
  KSEF_TEST_STORAGE_HOSTS: hosts,
  KSEF_DEMO_STORAGE_HOSTS: hosts,
  KSEF_PRODUCTION_STORAGE_HOSTS: hosts,

  /** PEM files of the certificates whose seals count in each environment: of holders or of their issuers. Without one any is taken. */
  KSEF_TEST_SEALS_FILE: z.string().optional(),
  KSEF_DEMO_SEALS_FILE: z.string().optional(),
  KSEF_PRODUCTION_SEALS_FILE: z.string().optional(),
  /** PEM files of revocation lists (CRL): a confirmation whose seal is on one is refused. */
  KSEF_TEST_SEALS_CRL_FILE: z.string().optional(),
  KSEF_DEMO_SEALS_CRL_FILE: z.string().optional(),
  KSEF_PRODUCTION_SEALS_CRL_FILE: z.string().optional(),

  /** Last day (Polish time) on which KSeF takes tokens in PRODUCTION; empty where no end is known, and nobody is warned of one. */
  KSEF_TOKENS_END: z
    .union([z.iso.date(), z.literal('')])
    .default('2026-12-31')
    .meta(MAY_BE_EMPTY),

  /** Multiplies every wait that the service chooses itself; not `Retry-After`, deadlines, leases and limits. */
  KSEF_WAIT_FACTOR: z.coerce.number().min(0).max(FACTOR_MAX).default(1),
  /** Deadline of one call with its body. */
  KSEF_REQUEST_SECONDS: z.coerce.number().min(0.1).max(600).default(30),
  /** Lease of the worker of a submission or an inbox; renewed at a third of it. */
  KSEF_LEASE_SECONDS: z.coerce.number().min(0.1).max(3_600).default(60),
  /** Multiplies the published limits of KSeF that the service keeps within, as well as within those that KSeF states. */
  KSEF_LIMIT_FACTOR: z.coerce.number().min(0.001).max(FACTOR_MAX).optional(),
});

export type Config = z.infer<typeof configSchema>;
