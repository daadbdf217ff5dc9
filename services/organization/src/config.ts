import { z } from 'zod';
import { secret, serviceSettings } from '@invoicecontrol/runtime/config';

const PEPPER_BYTES_MIN = 32;

/** `id:base64,...`; the first pepper serves new keys, all of them open old ones. */
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

const ADDRESS = '[^\\s@<>,;"]+@[^\\s@<>,;"]+';

/** The environment of the organization service. */
export const configSchema = z
  .object({
    ...serviceSettings('organization'),
    API_KEY_PEPPERS: peppers,
    /** What the operator's command line proves itself with. */
    OPERATOR_TOKEN: secret.min(32),
    /** The mail server, with user and password where it wants them. Without one, notifications stay QUEUED. */
    SMTP_URL: secret.regex(/^smtps?:\/\/[^\s]+$/, 'must begin with smtp:// or smtps://').optional(),
    /** In whose name mail is sent. */
    MAIL_FROM: z
      .string()
      .regex(
        new RegExp(`^(?:${ADDRESS}|[^\\p{Cc}<>]* <${ADDRESS}>)$`, 'u'),
        'must be an address such as control@example.com or Invoice Control <control@example.com>',
      )
      .optional(),
  })
  .refine(({ SMTP_URL, MAIL_FROM }) => SMTP_URL === undefined || MAIL_FROM !== undefined, {
    path: ['MAIL_FROM'],
    message: 'is needed with SMTP_URL: it says in whose name mail is sent',
  });

export type Config = z.infer<typeof configSchema>;
