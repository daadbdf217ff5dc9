import type { Organization } from './organization.js';
import { isActive, isPending } from './roster.js';
import type { Member } from './roster.js';

/** A mail to one person. */
export interface Notification {
  readonly id: string;
  readonly organizationId: string;
  readonly userId: string;
  /** A single line. */
  readonly subject: string;
  readonly occasion: Occasion;
  readonly createdAt: Date;
  /** Earliest time of sending; absent to send at once. */
  readonly sendAt?: Date | undefined;
  /** Submissions that a mail about several of them counts, {@link COUNTED_MAX} at most. */
  readonly submissionIds?: readonly string[] | undefined;
}

/** A mail that counts so many says that there may be more. */
export const COUNTED_MAX = 1_000;

/** Reason of the mail, with the data of its text. Never contains the token of an invitation. */
export type Occasion =
  | { readonly kind: 'INVITATION' }
  | {
      readonly kind: 'FINDING_ASSIGNED';
      readonly findingId: string;
      readonly invoiceId: string | undefined;
      readonly type: string;
      readonly severity: string;
      readonly summary: string;
    }
  | EndpointTrouble
  | ErpNotice
  | KsefNotice
  | BillingNotice;

/** Notices to the owners about money and quotas. */
export type BillingNotice =
  | { readonly kind: 'PAYMENT_FAILED'; readonly transactionId: string }
  | { readonly kind: 'TRIAL_ENDING'; readonly trialEnd: Date }
  | {
      readonly kind: 'USAGE_REACHED';
      readonly meter: string;
      /** `2026-03` */
      readonly period: string;
      readonly percent: number;
      readonly used: number;
      readonly limit: number;
    };

/** Notices about a connection to an ERP, to owners and, for ERP_REAUTH_REQUIRED, also to admins. */
export type ErpNotice =
  | {
      /** It cannot be synchronised before a person acts. */
      readonly kind: 'ERP_REAUTH_REQUIRED';
      readonly connectionId: string;
      /** `Business Central` */
      readonly providerName: string;
      readonly isByConsent: boolean;
      readonly errorCode: string;
      /** Explains the fault and the required change. */
      readonly errorMessage: string;
    }
  | {
      /** Somebody gave consent in the browser. */
      readonly kind: 'ERP_CONNECTED';
      readonly connectionId: string;
      readonly providerName: string;
      /** The company in the ERP; undefined where its name is not known. */
      readonly tenantName: string | undefined;
    };

/** Notices to owners and admins about KSeF. */
export type KsefNotice =
  | {
      /** Nothing can be submitted before a person acts. */
      readonly kind: 'KSEF_CONNECTION_FAILED';
      readonly ksefConnectionId: string;
      /** `PRODUCTION` */
      readonly environment: string;
      /** Explains the failure and the required change. */
      readonly message: string;
    }
  | {
      /** A certificate expires, or KSeF stops accepting tokens: nobody can log in after that. */
      readonly kind: 'KSEF_CREDENTIAL_ENDING';
      readonly ksefConnectionId: string;
      readonly environment: string;
      /** Undefined for a company that was removed. */
      readonly companyName: string | undefined;
      /** `TOKEN` or `CERTIFICATE` */
      readonly authentication: string;
      readonly endsAt: Date;
    }
  | {
      /** Purchase invoices are not received before a person acts. */
      readonly kind: 'KSEF_INBOX_PAUSED';
      readonly ksefConnectionId: string;
      readonly environment: string;
      /** Undefined for a company that was removed. */
      readonly companyName: string | undefined;
      /** Explains the reason and the required change. */
      readonly message: string;
    }
  | {
      /** An invoice is not registered. */
      readonly kind: 'KSEF_SUBMISSION_REFUSED';
      readonly ksefConnectionId: string;
      readonly submissionId: string;
      readonly invoiceId: string;
      /** True when KSeF refused the document, false when it could not be submitted. */
      readonly isByKsef: boolean;
      readonly errorCode: string;
      /** Event that reported it. */
      readonly eventId: string;
    }
  | {
      /** Others of the connection are not registered either: told together at the end of the window. */
      readonly kind: 'KSEF_SUBMISSION_REFUSED';
      readonly ksefConnectionId: string;
      readonly further: { readonly from: Date; readonly to: Date };
    };

const REFUSALS_WINDOW_MS = 3_600_000;

/** The hour in which refusals of one connection are told with one mail about the first and one about all others. */
export function refusalsWindow(at: Date): { readonly from: Date; readonly to: Date } {
  const from = Math.floor(at.getTime() / REFUSALS_WINDOW_MS) * REFUSALS_WINDOW_MS;
  return { from: new Date(from), to: new Date(from + REFUSALS_WINDOW_MS) };
}

/** An endpoint for events only fails, or was switched off for it. */
export interface EndpointTrouble {
  readonly kind: 'WEBHOOK_FAILING' | 'WEBHOOK_DISABLED';
  readonly endpointId: string;
  /** Host of the endpoint's URL. */
  readonly host: string;
  readonly failingSince: Date;
  /** Time of its last 410 Gone since then; undefined when there was none. */
  readonly goneAt: Date | undefined;
}

export type NotificationStatus = 'QUEUED' | 'SENT' | 'FAILED';

/** Six tries with five growing pauses span a bit more than two hours. */
export const TRIES_MAX = 6;
const FIRST_BACKOFF_MS = 60_000;
const BACKOFF_FACTOR = 3;

/** Returns the time of the retry after this number of attempts; undefined after the last one. */
export function nextRetryAt(tries: number, now: Date): Date | undefined {
  if (tries >= TRIES_MAX) return undefined;
  return new Date(now.getTime() + FIRST_BACKOFF_MS * BACKOFF_FACTOR ** (tries - 1));
}

const AGE_MS_MAX = 7 * 24 * 3_600_000;

/** Decides whether to send the mail: `SEND`, `ALREADY_SENT`, or the reason not to send it. */
export function checkDelivery(
  { occasion, createdAt }: Notification,
  { organization, member, now }: { organization: Organization; member: Member; now: Date },
): 'SEND' | 'ALREADY_SENT' | 'RECIPIENT_GONE' | 'TOO_OLD' {
  if (organization.deletion !== undefined) return 'RECIPIENT_GONE';
  if (occasion.kind === 'INVITATION') {
    // An invitation is accepted with the token of its mail: the mail was sent, but a crash prevented the update.
    if (member.invitation === undefined) return 'ALREADY_SENT';
    return isPending(member.invitation, organization, now) ? 'SEND' : 'RECIPIENT_GONE';
  }
  if (!isActive(member)) return 'RECIPIENT_GONE';
  // Mail that is configured only after months must not send months of outdated assignments.
  return now.getTime() - createdAt.getTime() > AGE_MS_MAX ? 'TOO_OLD' : 'SEND';
}
