import { createHmac } from 'node:crypto';

/**
 * Returns the header `Paddle-Signature` for the body of a payment notification, with one `h1` for each secret, in the
 * order of the secrets.
 */
export function signatureHeader(body: string, { secrets, ts }: { secrets: readonly string[]; ts: number }): string {
  const values = secrets.map((secret) => createHmac('sha256', secret).update(`${ts}:${body}`, 'utf8').digest('hex'));
  return [`ts=${ts}`, ...values.map((value) => `h1=${value}`)].join(';');
}
