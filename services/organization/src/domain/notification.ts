import type { Organization } from './organization.js';
import { isActive, isPending } from './roster.js';
import type { Member } from './roster.js';

/** A mail that the product owes a person. */
export interface Notification {
  readonly id: string;
  readonly organizationId: string;
  readonly userId: string;
  /** One line. */
  readonly subject: string;
  readonly occasion: Occasion;
  readonly createdAt: Date;
}

/** Why the mail is owed, with what its text needs. The token of an invitation is not among it. */
export type Occasion =
  | { readonly kind: 'INVITATION' }
  | {
      readonly kind: 'FINDING_ASSIGNED';
      readonly findingId: string;
      readonly invoiceId: string | undefined;
      readonly type: string;
      readonly severity: string;
      readonly summary: string;
    };

export type NotificationStatus = 'QUEUED' | 'SENT' | 'FAILED';

/** Five pauses lie between six tries: a bit more than two hours from the first to the last. */
export const TRIES_MAX = 6;
const FIRST_PAUSE_MS = 60_000;
const PAUSE_FACTOR = 3;

/** When to try again after so many tries; undefined when there were enough. */
export function nextTry(tries: number, now: Date): Date | undefined {
  if (tries >= TRIES_MAX) return undefined;
  return new Date(now.getTime() + FIRST_PAUSE_MS * PAUSE_FACTOR ** (tries - 1));
}

const AGE_MS_MAX = 7 * 24 * 3_600_000;

/** Whether the mail is still owed: `DONE` when the person evidently has it, otherwise why it is not sent any more. */
export function judge(
  { occasion, createdAt }: Notification,
  { organization, member, now }: { organization: Organization; member: Member; now: Date },
): 'OWED' | 'DONE' | 'RECIPIENT_GONE' | 'TOO_OLD' {
  if (organization.deletion !== undefined) return 'RECIPIENT_GONE';
  if (occasion.kind === 'INVITATION') {
    // Only the mail leads to an acceptance: it was sent before a crash, and nobody noted it.
    if (member.invitation === undefined) return 'DONE';
    return isPending(member.invitation, organization, now) ? 'OWED' : 'RECIPIENT_GONE';
  }
  if (!isActive(member)) return 'RECIPIENT_GONE';
  // Mail that was off for months and is switched on must not pour out what nobody waits for any more.
  return now.getTime() - createdAt.getTime() > AGE_MS_MAX ? 'TOO_OLD' : 'OWED';
}
