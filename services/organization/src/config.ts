import { z } from 'zod';
import { addressSettings, namedKeys, secret, serviceSettings } from '@invoicecontrol/runtime/config';

const PEPPER_BYTES_MIN = 32;

const DAY_MS = 24 * 3_600_000;
const milliseconds = (defaultMs: number) => z.coerce.number().int().min(1).default(defaultMs);

const ADDRESS_PATTERN = '[^\\s@<>,;"]+@[^\\s@<>,;"]+';

/** Environment variables of the organization service. */
export const configSchema = z
  .object({
    ...serviceSettings('organization'),
    ...addressSettings('billing'),
    /**
     * Secret peppers that are mixed into the hashes of API keys, as `id:base64,...`. New API keys use the first pepper,
     * and existing keys may use any pepper.
     */
    API_KEY_PEPPERS: namedKeys({ bytesMin: PEPPER_BYTES_MIN }),
    /** Token with which the operator's command line authenticates. */
    /** Period in which a deleted organization can be restored. After that it is purged. */
    ORGANIZATION_RETENTION_MS: milliseconds(30 * DAY_MS),
    /** Period for which the audit trail of a purged organization is kept. */
    AUDIT_RETENTION_MS: milliseconds(7 * 365.25 * DAY_MS),
    /**
     * Address of the mail server, with user and password if it needs them. Without a mail server, notifications stay
     * QUEUED.
     */
    SMTP_URL: secret.regex(/^smtps?:\/\/[^\s]+$/, 'must begin with smtp:// or smtps://').optional(),
    /** Address from which the product sends mails. */
    MAIL_FROM: z
      .string()
      .regex(
        new RegExp(`^(?:${ADDRESS_PATTERN}|[^\\p{Cc}<>]* <${ADDRESS_PATTERN}>)$`, 'u'),
        'must be an address such as control@example.com or Invoice Control <control@example.com>',
      )
      .optional(),
  })
  .refine(({ SMTP_URL, MAIL_FROM }) => SMTP_URL === undefined || MAIL_FROM !== undefined, {
    path: ['MAIL_FROM'],
    message: 'is required with SMTP_URL, because it is the sender of all e-mails',
  });

export type Config = z.infer<typeof configSchema>;
