import { createHmac } from 'node:crypto';

/** The parts of a webhook request that are signed (specification section 6). */
interface Signed {
  readonly eventId: string;
  readonly at: Date;
  /** Body of the signed request, byte for byte as it is sent. */
  readonly body: string;
}

/** The header `svc-signature` of a webhook request, and the values of its `v1` parts. */
export interface Signature {
  readonly header: string;
  readonly values: readonly string[];
}

/**
 * Signs a webhook request with each current secret.
 * @param secrets newest first; the HMAC key is the whole text of a secret as it was shown
 */
export function sign({ eventId, at, body }: Signed, secrets: readonly string[]): Signature {
  const seconds = Math.floor(at.getTime() / 1_000);
  const text = `${eventId}.${seconds}.${body}`;
  const values = secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret, 'utf8')).update(text, 'utf8').digest('hex'),
  );
  return { header: [`t=${seconds}`, ...values.map((value) => `v1=${value}`)].join(','), values };
}
