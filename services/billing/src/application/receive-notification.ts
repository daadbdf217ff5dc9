import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { isAboutSubscription, NOTIFICATION_BYTES_MAX } from '../domain/notification.js';
import { isSignedByProvider } from '../domain/signature.js';
import { notificationApplied, notificationReceived } from '../telemetry.js';
import type { WorkOnNotification } from './apply-notification.js';
import { mentionedIn, readNotification } from './read-notification.js';
import type { Mentioned, ProviderNotification } from './read-notification.js';
import type { Notifications, SubscriptionLinks } from './stores.js';

export interface ReceivingDeps {
  readonly notifications: Pick<Notifications, 'insert' | 'insertEmpty'>;
  readonly links: Pick<SubscriptionLinks, 'find'>;
  readonly wasPurged: (organizationId: string) => Promise<boolean>;
  readonly secrets: readonly string[];
  readonly work: WorkOnNotification;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Maximum time in milliseconds for applying a payment notification before responding. The payment provider waits five
 * seconds for a response. Work that takes longer continues after the response.
 */
const APPLY_MS_MAX = 2_000;

/**
 * Receives a notification from the payment provider. When the returned promise resolves, the notification is stored and
 * usually applied. Otherwise this process or the sweep applies it later.
 * @throws DomainError unauthenticated, with the same message for every signature fault; too_large; invalid
 */
export const receiveNotification = (deps: ReceivingDeps) => {
  const { notifications, secrets, work, clock } = deps;
  return async ({ signature, body }: { signature: string; body: Uint8Array }): Promise<void> => {
    if (body.length > NOTIFICATION_BYTES_MAX) {
      throw new DomainError('too_large', 'The payment notification is larger than 1 MiB. Send a smaller notification.');
    }
    if (!isSignedByProvider(signature, body, { secrets, now: clock.now() })) {
      notificationReceived('refused');
      throw new DomainError(
        'unauthenticated',
        'The signature of the payment notification is not valid. Sign the body exactly as it is sent, with the current time and the secret of this notification destination.',
      );
    }
    const notification = readNotification(body);
    const { eventId, type, occurredAt } = notification;
    const mentioned = mentionedIn(notification);
    if (await isAboutPurged(deps, mentioned)) {
      await recordEvent(deps, notification);
      return;
    }
    const claimed = await notifications.insert({
      eventId,
      type,
      occurredAt,
      body: Buffer.from(body).toString('utf8'),
      ...mentioned,
    });
    notificationReceived(claimed === undefined ? 'repeated' : 'stored');
    if (claimed === undefined) return;
    const timeIsUp = new AbortController();
    const late = delay(APPLY_MS_MAX, undefined, { signal: timeIsUp.signal }).catch(() => {});
    await Promise.race([work(claimed), late]);
    timeIsUp.abort();
  };
};

/**
 * Checks whether a payment notification concerns a purged organization. A subscription stays with the organization to
 * which it was linked, regardless of the organization that the provider message claims.
 */
async function isAboutPurged(
  { links, wasPurged }: ReceivingDeps,
  { subscriptionId, claimedOrganizationId }: Mentioned,
): Promise<boolean> {
  if (claimedOrganizationId === undefined || !(await wasPurged(claimedOrganizationId))) return false;
  return subscriptionId === undefined || (await links.find(subscriptionId)) === undefined;
}

/**
 * A payment notification about a purged organization is not stored. The log tells the operator to refund a customer who
 * still pays.
 */
async function recordEvent(
  { notifications, logger }: ReceivingDeps,
  { eventId, type, occurredAt, data }: ProviderNotification,
): Promise<void> {
  const { isNew } = await notifications.insertEmpty({ eventId, type, occurredAt });
  notificationReceived(isNew ? 'stored' : 'repeated');
  if (!isNew) return;
  notificationApplied('PURGED_ORGANIZATION');
  if (isAboutSubscription(type) && data['status'] !== 'canceled') {
    const about = { eventId, type, subscriptionId: data['id'] };
    // The organization that a payment notification names is not proven, so the log does not advise the operator to
    // cancel the subscription without a check.
    logger.error(
      about,
      'a subscription names a purged organization and is not canceled: ask the provider who pays, then cancel and refund it',
    );
  } else {
    logger.warn({ eventId, type }, 'a notification from the payment provider is about a purged organization');
  }
}
