import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Pepper } from '../domain/api-key.js';
import { writeMail } from '../domain/mail.js';
import type { MailText } from '../domain/mail.js';
import { judge, nextTry, TRIES_MAX } from '../domain/notification.js';
import type { Notification } from '../domain/notification.js';
import type { Member } from '../domain/roster.js';
import { notificationEnded } from '../telemetry.js';
import type { Organizations } from './organizations.js';
import type { Rosters } from './rosters.js';
import { invitationToken } from './secrets.js';

/** Takes a mail to a mail server. Rejects only for a bug: what a server does is an outcome. */
export interface Mailer {
  send(mail: Mail, signal: AbortSignal): Promise<Delivery>;
}

export interface Mail extends MailText {
  /** The same for every try, so that whoever gets the mail twice can tell. */
  readonly id: string;
  readonly to: string;
  readonly createdAt: Date;
}

/** `REFUSED` says that a repeat would be refused as well. */
export type Delivery =
  { readonly outcome: 'TAKEN' } | { readonly outcome: 'REFUSED' | 'NOT_TAKEN'; readonly reason: string };

/** The queue of mails, from the side of the workers. */
export interface NotificationQueue {
  /** Ids of queued notifications whose time has come and that nobody works on, oldest first. */
  due(countMax: number): Promise<readonly string[]>;
  /** Undefined when somebody else has it, or it is done. */
  claim(id: string): Promise<ClaimedNotification | undefined>;
}

/** A notification that one worker holds. Its results change nothing once another worker has taken over. */
export interface ClaimedNotification {
  readonly notification: Notification;
  /** Which try this is, from 1. Counted before it is made, so that one that ends the process counts, too. */
  readonly tries: number;
  end(status: 'SENT' | 'FAILED', reason?: string): Promise<void>;
  tryAgain(at: Date, reason: string): Promise<void>;
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
const MAILS_AT_ONCE = 4;

/** Sends what is due, until it is done or the signal says stop; a mail under way is then given back to the queue. */
export async function sendDueNotifications(deps: SendingDeps, signal: AbortSignal): Promise<void> {
  const ids = [...(await deps.queue.due(BATCH_MAX))];
  const work = async (): Promise<void> => {
    for (let id = ids.shift(); id !== undefined && !signal.aborted; id = ids.shift()) {
      // The lease of one that cannot be read or written lapses; it is tried again then, and the others go on now.
      await sendOne(deps, id, signal).catch((error: unknown) =>
        deps.logger.warn({ error, notificationId: id }, 'a notification waits for the end of its lease'),
      );
    }
  };
  await Promise.all(Array.from({ length: MAILS_AT_ONCE }, work));
}

async function sendOne(deps: SendingDeps, id: string, signal: AbortSignal): Promise<void> {
  const claimed = await deps.queue.claim(id);
  if (claimed === undefined) return;
  const { notification, tries } = claimed;
  const end = async (status: 'SENT' | 'FAILED', reason?: string): Promise<void> => {
    await claimed.end(status, reason);
    notificationEnded(notification.occasion.kind, status);
    if (status === 'FAILED') {
      deps.logger.error({ notificationId: id, kind: notification.occasion.kind, tries, reason }, 'a mail was given up');
    }
  };

  const owed = await prepare(deps, notification);
  if (owed === 'DONE') return end('SENT');
  if (typeof owed === 'string') return end('FAILED', owed);
  if (tries > TRIES_MAX) return end('FAILED', 'INTERRUPTED');

  const delivery = await deps.mailer.send(owed, signal);
  if (delivery.outcome === 'TAKEN') return end('SENT');
  if (signal.aborted) return claimed.tryAgain(deps.clock.now(), delivery.reason);
  const again = delivery.outcome === 'REFUSED' ? undefined : nextTry(tries, deps.clock.now());
  if (again === undefined) return end('FAILED', delivery.reason);
  await claimed.tryAgain(again, delivery.reason);
  deps.logger.warn({ notificationId: id, tries, again, reason: delivery.reason }, 'a mail is tried again');
}

/** The mail as it has to be now, with today's address, or why there is none. */
async function prepare(
  { organizations, rosters, peppers, clock }: SendingDeps,
  notification: Notification,
): Promise<Mail | 'DONE' | 'RECIPIENT_GONE' | 'TOO_OLD' | 'PEPPER_GONE'> {
  const { id, organizationId, userId, createdAt } = notification;
  const organization = await organizations.find(organizationId);
  const member = (await rosters.find(organizationId))?.members.find((one) => one.userId === userId);
  if (organization === undefined || member === undefined) return 'RECIPIENT_GONE';
  const verdict = judge(notification, { organization, member, now: clock.now() });
  if (verdict !== 'OWED') return verdict;
  const token = tokenOf(member, peppers);
  if (token === undefined && member.invitation !== undefined) return 'PEPPER_GONE';
  const text = writeMail(notification, { organizationName: organization.name, member, token });
  return { id, to: member.email, createdAt, ...text };
}

function tokenOf({ userId, invitation }: Member, peppers: readonly Pepper[]): string | undefined {
  const pepper = peppers.find(({ id }) => id === invitation?.pepperId);
  return pepper === undefined ? undefined : invitationToken(userId, pepper);
}
