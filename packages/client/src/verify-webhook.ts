import { createHmac, timingSafeEqual } from 'node:crypto';
import { readSignedRequest } from './webhook-request.js';
import type { WebhookEvent, WebhookRequest } from './webhook-request.js';

/**
 * Checks that a request is a webhook delivery from the API, as {@link readSignedRequest} describes it.
 * @returns the webhook event in the body
 * @throws WebhookError for any request that is not valid; TypeError for an invalid secret or tolerance
 */
export function verifyWebhook(request: WebhookRequest): WebhookEvent {
  const { secrets, signed, signatures, finish } = readSignedRequest(request);
  const expected = secrets.map((secret) => createHmac('sha256', secret).update(signed).digest());
  // Every received webhook signature is compared with every expected one in constant time, so the duration reveals
  // nothing about the signatures.
  const matches = signatures.flatMap((given) =>
    expected.filter((wanted) => timingSafeEqual(Buffer.from(given, 'hex'), wanted)),
  );
  return finish(matches.length > 0);
}
