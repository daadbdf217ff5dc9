import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { NOTIFICATION_BYTES_MAX } from '../domain/notification.js';
import { isSignedByProvider } from '../domain/signature.js';
import { notificationReceived } from '../telemetry.js';
import type { WorkOnNotification } from './apply-notification.js';
import { mentionedIn, readNotification } from './read-notification.js';
import type { Notifications } from './stores.js';

export interface ReceivingDeps {
  readonly notifications: Pick<Notifications, 'insert'>;
  readonly secrets: readonly string[];
  readonly work: WorkOnNotification;
  readonly clock: Clock;
}

/** The provider waits five seconds for an answer; what takes longer goes on after it. */
const APPLY_MS_MAX = 2_000;

/**
 * Takes one notification of the payment provider. When this resolves it is stored, and usually applied; what could not be
 * applied in time is finished by this process or by the sweep.
 * @throws DomainError unauthenticated, with one sentence for every fault of the signature; too_large; invalid
 */
export const receiveNotification =
  ({ notifications, secrets, work, clock }: ReceivingDeps) =>
  async ({ signature, body }: { signature: string; body: Uint8Array }): Promise<void> => {
    if (body.length > NOTIFICATION_BYTES_MAX) {
      throw new DomainError('too_large', 'The notification is larger than 1 MiB. Send less in one request.');
    }
    if (!isSignedByProvider(signature, body, { secrets, now: clock.now() })) {
      notificationReceived('refused');
      throw new DomainError(
        'unauthenticated',
        'The signature is not valid. Sign the body as sent, with a current time and the secret of this destination.',
      );
    }
    const notification = readNotification(body);
    const { eventId, type, occurredAt } = notification;
    const claimed = await notifications.insert({
      eventId,
      type,
      occurredAt,
      body: Buffer.from(body).toString('utf8'),
      ...mentionedIn(notification),
    });
    notificationReceived(claimed === undefined ? 'repeated' : 'stored');
    if (claimed === undefined) return;
    const timeIsUp = new AbortController();
    const late = delay(APPLY_MS_MAX, undefined, { signal: timeIsUp.signal }).catch(() => {});
    await Promise.race([work(claimed), late]);
    timeIsUp.abort();
  };
