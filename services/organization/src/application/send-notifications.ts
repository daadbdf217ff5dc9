import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Pepper } from '../domain/api-key.js';
import { writeMail } from '../domain/mail.js';
import type { MailText } from '../domain/mail.js';
import { checkDelivery, nextRetryAt, TRIES_MAX } from '../domain/notification.js';
import type { Notification } from '../domain/notification.js';
import type { Member } from '../domain/roster.js';
import { countCompletedNotification } from '../telemetry.js';
import type { Organizations } from './organizations.js';
import type { Rosters } from './rosters.js';
import { deriveInvitationToken } from './secrets.js';

/**
 * Sends mails through a mail server. A failure of the mail server is returned as a result. The promise only rejects
 * because of a bug.
 */
export interface Mailer {
  send(mail: Mail, signal: AbortSignal): Promise<Delivery>;
}

export interface Mail extends MailText {
  /** Id of the mail. It is the same for every attempt, so that a recipient can recognise a repeated mail. */
  readonly id: string;
  readonly to: string;
  readonly createdAt: Date;
}

/** Result of sending a mail. `REJECTED` is permanent. A `DEFERRED` mail is sent again later. */
export type Delivery =
  { readonly outcome: 'ACCEPTED' } | { readonly outcome: 'REJECTED' | 'DEFERRED'; readonly reason: string };

/** Queue of mails from which the workers send. */
export interface NotificationQueue {
  /** Returns the ids of due notification mails that no worker has claimed, oldest first. */
  listDue(countMax: number): Promise<readonly string[]>;
  /**
   * Claims a queued e-mail notification for this worker.
   * @returns undefined if another worker has claimed or completed it
   */
  claim(id: string): Promise<ClaimedNotification | undefined>;
}

type Ending = { readonly status: 'SENT' } | { readonly status: 'FAILED'; readonly reason: string };

/**
 * An e-mail notification that one worker has claimed. If another worker takes it over, writes of the first worker
 * change nothing.
 */
export interface ClaimedNotification {
  readonly notification: Notification;
  /**
   * Number of this attempt to send the mail, counted from 1. The number is stored before the mail is sent, so that
   * attempts that crash the process count too.
   */
  readonly tries: number;
  complete(ending: Ending): Promise<void>;
  retryLater(at: Date, reason: string): Promise<void>;
}

export interface SendingDeps {
  readonly queue: NotificationQueue;
  readonly organizations: Pick<Organizations, 'find'>;
  readonly rosters: Pick<Rosters, 'find'>;
  readonly mailer: Mailer;
  readonly peppers: readonly Pepper[];
  readonly clock: Clock;
  readonly logger: Logger;
}

const BATCH_MAX = 32;
const CONCURRENT_MAILS_MAX = 4;

/** Sends all due notification mails. If the signal aborts, mails that are being sent return to the queue. */
export const sendDueNotifications =
  (deps: SendingDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    const ids = [...(await deps.queue.listDue(BATCH_MAX))];
    const work = async (): Promise<void> => {
      for (let id = ids.shift(); id !== undefined && !signal.aborted; id = ids.shift()) {
        // If an e-mail notification cannot be read or written, only this notification is retried, when its lease
        // expires. The remaining notifications are sent.
        await sendNotification(deps, id, signal).catch((error: unknown) =>
          deps.logger.warn({ error, notificationId: id }, 'notification not sent, retried when its lease expires'),
        );
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_MAILS_MAX }, work));
  };

async function sendNotification(deps: SendingDeps, id: string, signal: AbortSignal): Promise<void> {
  const claimed = await deps.queue.claim(id);
  if (claimed === undefined) return;
  const { notification, tries } = claimed;
  const complete = async (ending: Ending): Promise<void> => {
    await claimed.complete(ending);
    countCompletedNotification(notification.occasion.kind, ending.status);
    if (ending.status === 'FAILED') {
      deps.logger.error(
        { notificationId: id, kind: notification.occasion.kind, tries, reason: ending.reason },
        'mail failed, not retried',
      );
    }
  };

  const mail = await prepareMail(deps, notification);
  if (mail === 'ALREADY_SENT') return complete({ status: 'SENT' });
  if (typeof mail === 'string') return complete({ status: 'FAILED', reason: mail });
  if (tries > TRIES_MAX) return complete({ status: 'FAILED', reason: 'INTERRUPTED' });

  const delivery = await deps.mailer.send(mail, signal);
  if (delivery.outcome === 'ACCEPTED') return complete({ status: 'SENT' });
  if (signal.aborted) return claimed.retryLater(deps.clock.now(), delivery.reason);
  const retryAt = delivery.outcome === 'REJECTED' ? undefined : nextRetryAt(tries, deps.clock.now());
  if (retryAt === undefined) return complete({ status: 'FAILED', reason: delivery.reason });
  await claimed.retryLater(retryAt, delivery.reason);
  deps.logger.warn({ notificationId: id, tries, retryAt, reason: delivery.reason }, 'mail not accepted, retried');
}

/** Returns a notification mail with the current address of the member, or the reason why no mail is sent. */
async function prepareMail(
  { organizations, rosters, peppers, clock }: SendingDeps,
  notification: Notification,
): Promise<Mail | 'ALREADY_SENT' | 'RECIPIENT_GONE' | 'TOO_OLD' | 'PEPPER_GONE'> {
  const { id, organizationId, userId, createdAt, sendAt } = notification;
  const organization = await organizations.find(organizationId);
  const member = (await rosters.find(organizationId))?.members.find((one) => one.userId === userId);
  if (organization === undefined || member === undefined) return 'RECIPIENT_GONE';
  const check = checkDelivery(notification, { organization, member, now: clock.now() });
  if (check !== 'SEND') return check;
  const token = tokenForMember(member, peppers);
  if (token === undefined && member.invitation !== undefined) return 'PEPPER_GONE';
  const text = writeMail(notification, { organizationName: organization.name, member, token });
  return { id, to: member.email, createdAt: sendAt ?? createdAt, ...text };
}

function tokenForMember({ userId, invitation }: Member, peppers: readonly Pepper[]): string | undefined {
  const pepper = peppers.find(({ id }) => id === invitation?.pepperId);
  return pepper === undefined ? undefined : deriveInvitationToken(userId, pepper);
}
