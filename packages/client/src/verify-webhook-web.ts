import { readSignedRequest } from './webhook-request.js';
import type { WebhookEvent, WebhookRequest } from './webhook-request.js';

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Checks that a request is a webhook delivery from the API, with Web Crypto, which browsers, workers, Deno, Bun and
 * Node.js have.
 * @returns the webhook event in the body
 * @throws WebhookError for any request that is not valid; TypeError for an invalid secret or tolerance
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  const { secrets, signed, signatures, finish } = readSignedRequest(request);
  const keys = await Promise.all(
    secrets.map((secret) => crypto.subtle.importKey('raw', new TextEncoder().encode(secret), HMAC, false, ['verify'])),
  );
  // `verify` compares in constant time. Every received signature is compared with every secret, so the duration reveals
  // nothing about the signatures.
  const matches = await Promise.all(
    keys.flatMap((key) => signatures.map((given) => crypto.subtle.verify('HMAC', key, bytesOf(given), signed))),
  );
  return finish(matches.includes(true));
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}
