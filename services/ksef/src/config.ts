import { addressSettings, MAY_BE_EMPTY, serviceSettings } from '@invoicecontrol/runtime/config';
import { keyRing } from '@invoicecontrol/secretbox/key-ring';
import { parseUrl } from '@invoicecontrol/values/url';
import { z } from 'zod';

const FACTOR_MAX = 1_000_000;

/**
 * Base address of a KSeF environment. It ends with `/v2` and has no trailing slash, because paths are appended to it.
 */
const baseUrl = (fallback: string) =>
  z
    .url({ protocol: /^https?$/ })
    .default(fallback)
    .transform((url) => url.replace(/(?<!\/)\/+$/, ''));

/** List of KSeF host names, separated by commas. */
const hosts = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((entry) => (entry.trim() === '' ? [] : [entry.trim().toLowerCase()])))
  .refine((entries) => entries.every((entry) => parseUrl(`https://${entry}`)?.hostname === entry), {
    message: 'must be host names such as storage.example.com, separated by commas',
  });

/** Environment variables of the KSeF service (KSeF reference, sections 17 and 19). */
export const configSchema = z.object({
  ...serviceSettings('ksef'),
  ...addressSettings('organization', 'analysis', 'documents'),
  SECRETBOX_KEYS: keyRing,

  /** Address of each KSeF environment. The operator chooses the address, so the egress settings do not apply. */
  KSEF_TEST_URL: baseUrl('https://api-test.ksef.mf.gov.pl/v2'),
  KSEF_DEMO_URL: baseUrl('https://api-demo.ksef.mf.gov.pl/v2'),
  KSEF_PRODUCTION_URL: baseUrl('https://api.ksef.mf.gov.pl/v2'),

  /**
   * Hosts that may store KSeF invoice packages, in addition to the address of the KSeF environment itself. They are
   * called over HTTPS and only at public addresses. The egress settings for customer URLs do not apply, because the
   * operator names the hosts.
   */
  KSEF_TEST_STORAGE_HOSTS: hosts,
  KSEF_DEMO_STORAGE_HOSTS: hosts,
  KSEF_PRODUCTION_STORAGE_HOSTS: hosts,

  /**
   * PEM files with certificates for each environment. A KSeF seal is trusted if one of these certificates belongs to
   * its holder or to the issuer of its certificate. Without a file, every valid seal is accepted.
   */
  KSEF_TEST_SEALS_FILE: z.string().optional(),
  KSEF_DEMO_SEALS_FILE: z.string().optional(),
  KSEF_PRODUCTION_SEALS_FILE: z.string().optional(),
  /** PEM files with revocation lists (CRL). A KSeF confirmation is refused if its seal is on one of the lists. */
  KSEF_TEST_SEALS_CRL_FILE: z.string().optional(),
  KSEF_DEMO_SEALS_CRL_FILE: z.string().optional(),
  KSEF_PRODUCTION_SEALS_CRL_FILE: z.string().optional(),

  /**
   * Last day (Polish time) on which KSeF accepts tokens in the PRODUCTION environment. If the setting is empty, no date
   * is known and no warning is sent.
   */
  KSEF_TOKENS_END: z
    .union([z.iso.date(), z.literal('')])
    .default('2026-12-31')
    .meta(MAY_BE_EMPTY),

  /**
   * Factor for the waiting times between KSeF calls, as far as the ksef service itself chooses them. It does not apply
   * to `Retry-After`, deadlines, leases and limits.
   */
  KSEF_WAIT_FACTOR: z.coerce.number().min(0).max(FACTOR_MAX).default(1),
  /** Deadline of one call to KSeF, including the body of its response. */
  KSEF_REQUEST_SECONDS: z.coerce.number().min(0.1).max(600).default(30),
  /**
   * Duration of a worker's lease on a KSeF submission or an inbox. The lease is renewed after a third of its duration.
   */
  KSEF_LEASE_SECONDS: z.coerce.number().min(0.1).max(3_600).default(60),
  /**
   * Factor for the published KSeF limits. The service respects both the multiplied limits and the limits that KSeF
   * states.
   */
  KSEF_LIMIT_FACTOR: z.coerce.number().min(0.001).max(FACTOR_MAX).optional(),
});

export type Config = z.infer<typeof configSchema>;
