// The check of webhook signatures follows section 6 of the specification and shares no code with the webhooks service
// or the client, so that it detects their mistakes.
import { createHmac } from 'node:crypto';

export interface ReadSignature {
  /** Signed time of the webhook request in Unix seconds, or null if the header has no readable `t`. */
  readonly t: number | null;
  /**
   * For each webhook signature `v1`, the position of the secret that made it, or null if none of the secrets made it.
   */
  readonly signedBy: readonly (number | null)[];
}

/** Finds the webhook secrets that signed `<event id>.<t>.<body>`. */
export function readSignature(
  eventId: string | undefined,
  header: string | undefined,
  body: Buffer,
  secrets: readonly string[],
): ReadSignature {
  const entries = (header ?? '').split(',').map((entry) => entry.split('='));
  const t = entries.find(([name]) => name === 't')?.[1];
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${eventId}.${t}.`).update(body).digest('hex'),
  );
  const signedBy = entries
    .filter(([name]) => name === 'v1')
    .map(([, value = '']) => {
      const position = expected.indexOf(value);
      return position < 0 ? null : position;
    });
  return { t: t !== undefined && /^\d+$/.test(t) ? Number(t) : null, signedBy };
}
