import { z } from 'zod';
import { secret, serviceSettings } from '@invoicecontrol/runtime/config';

const PEPPER_BYTES_MIN = 32;

/** `id:base64,...`; new keys use the first pepper, existing keys may use any. */
const peppers = secret.transform((text, issues): [Pepper, ...Pepper[]] => {
  const read = text.split(',').map((entry) => {
    const [, id, base64] = /^([0-9A-Za-z_-]{1,32}):([0-9A-Za-z+/]+={0,2})$/.exec(entry.trim()) ?? [];
    return id === undefined || base64 === undefined ? undefined : { id, secret: Buffer.from(base64, 'base64') };
  });
  const good = read.filter((pepper) => pepper !== undefined && pepper.secret.length >= PEPPER_BYTES_MIN);
  const [first, ...others] = good as Pepper[];
  if (
    first === undefined ||
    good.length < read.length ||
    new Set(good.map((pepper) => pepper?.id)).size < good.length
  ) {
    issues.addIssue(
      `must be id:base64 pairs with commas between them, each id once, each at least ${PEPPER_BYTES_MIN} bytes`,
    );
    return z.NEVER;
  }
  return [first, ...others];
});

interface Pepper {
  readonly id: string;
  readonly secret: Buffer;
}

const ADDRESS_PATTERN = '[^\\s@<>,;"]+@[^\\s@<>,;"]+';

/** The environment of the organization service. */
export const configSchema = z
  .object({
    ...serviceSettings('organization'),
    API_KEY_PEPPERS: peppers,
    /** Authenticates the operator's command line. */
    OPERATOR_TOKEN: secret.min(32),
    /** The mail server, with user and password if it needs them. Without one, notifications stay QUEUED. */
    SMTP_URL: secret.regex(/^smtps?:\/\/[^\s]+$/, 'must begin with smtp:// or smtps://').optional(),
    /** The sender of mails. */
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
    message: 'is required with SMTP_URL: it is the sender of mails',
  });

export type Config = z.infer<typeof configSchema>;
