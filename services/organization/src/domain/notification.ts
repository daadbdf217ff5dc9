import type { Organization } from './organization.js';
import { isActive, isPending } from './roster.js';
import type { Member } from './roster.js';

/** E-mail to one person, as it is queued for sending. */
export interface Notification {
  readonly id: string;
  readonly organizationId: string;
  readonly userId: string;
  /** Subject of a notification mail, in a single line. */
  readonly subject: string;
  readonly occasion: Occasion;
  readonly createdAt: Date;
  /** Earliest time of sending the e-mail. Absent if the mail is sent at once. */
  readonly sendAt?: Date | undefined;
  /** Ids of the KSeF submissions that a combined mail counts, at most {@link COUNTED_MAX}. */
  readonly submissionIds?: readonly string[] | undefined;
}

/**
 * Maximum number of KSeF submissions that a combined mail counts. A mail with this number says that there may be more.
 */
export const COUNTED_MAX = 1_000;

/** Reason for a notification mail, with the data for its text. Never contains the token of an invitation. */
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

/** E-mail notices about payments and quotas, which the owners receive. */
export type BillingNotice =
  | { readonly kind: 'PAYMENT_FAILED'; readonly transactionId: string }
  | { readonly kind: 'TRIAL_ENDING'; readonly trialEnd: Date }
  | {
      readonly kind: 'USAGE_REACHED';
      readonly meter: string;
      /** Month whose usage the e-mail notice is about, such as `2026-03`. */
      readonly period: string;
      readonly percent: number;
      readonly used: number;
      readonly limit: number;
    };

/** Notices about an ERP connection. Owners receive all of them, and admins receive ERP_REAUTH_REQUIRED. */
export type ErpNotice =
  | {
      /** Notice that an ERP connection cannot be synchronised until a person removes the cause. */
      readonly kind: 'ERP_REAUTH_REQUIRED';
      readonly connectionId: string;
      /** Name of the ERP that the notice is about, such as `Business Central`. */
      readonly providerName: string;
      readonly isByConsent: boolean;
      readonly errorCode: string;
      /** Text about the fault of the ERP connection and the change that the recipient must make. */
      readonly errorMessage: string;
    }
  | {
      /** Notice that someone connected an ERP by giving consent in the browser. */
      readonly kind: 'ERP_CONNECTED';
      readonly connectionId: string;
      readonly providerName: string;
      /** Name of the company in the ERP. Undefined if it is not known. */
      readonly tenantName: string | undefined;
    };

/** E-mail notices about KSeF, which owners and admins receive. */
export type KsefNotice =
  | {
      /** Notice that no invoice can be submitted with a KSeF connection until a person removes the cause. */
      readonly kind: 'KSEF_CONNECTION_FAILED';
      readonly ksefConnectionId: string;
      /** KSeF environment of the connection, such as `PRODUCTION`. */
      readonly environment: string;
      /** Text of the mail about the failure of a KSeF connection and the required change. */
      readonly message: string;
    }
  | {
      /**
       * Notice that a certificate will expire, or that KSeF will stop accepting tokens. The KSeF connection cannot log
       * in after that.
       */
      readonly kind: 'KSEF_CREDENTIAL_ENDING';
      readonly ksefConnectionId: string;
      readonly environment: string;
      /** Name of the company of the KSeF connection. Undefined if the company was removed. */
      readonly companyName: string | undefined;
      /** Kind of secret of the KSeF connection, `TOKEN` or `CERTIFICATE`. */
      readonly authentication: string;
      readonly endsAt: Date;
    }
  | {
      /** Notice that a KSeF inbox is paused: it receives no purchase invoices until a person acts. */
      readonly kind: 'KSEF_INBOX_PAUSED';
      readonly ksefConnectionId: string;
      readonly environment: string;
      /** Name of the company of the KSeF connection. Undefined if the company was removed. */
      readonly companyName: string | undefined;
      /** Text of the mail about the reason for a paused KSeF inbox and the required change. */
      readonly message: string;
    }
  | {
      /**
       * Notice that KSeF delivered purchase invoices that could not be stored. Each of these invoices is reported once.
       */
      readonly kind: 'KSEF_INVOICES_REFUSED';
      readonly ksefConnectionId: string;
      readonly environment: string;
      /** Name of the company of the KSeF connection. Undefined if the company was removed. */
      readonly companyName: string | undefined;
      readonly refusals: readonly { readonly ksefNumber: string; readonly reason: string }[];
    }
  | {
      /** Notice that an invoice was not registered in KSeF. */
      readonly kind: 'KSEF_SUBMISSION_REFUSED';
      readonly ksefConnectionId: string;
      readonly submissionId: string;
      readonly invoiceId: string;
      /** True if KSeF refused the invoice document. False when the document could not be submitted. */
      readonly isByKsef: boolean;
      readonly errorCode: string;
      /** Id of the event that reported the refusal by KSeF. */
      readonly eventId: string;
    }
  | {
      /**
       * Notice that further invoices of a KSeF connection were not registered. One mail reports them together at the
       * end of the hour.
       */
      readonly kind: 'KSEF_SUBMISSION_REFUSED';
      readonly ksefConnectionId: string;
      readonly further: { readonly from: Date; readonly to: Date };
    };

const REFUSALS_WINDOW_MS = 3_600_000;

/**
 * Returns the hour that contains a time. Refusals of one KSeF connection within an hour cause two mails: one about the
 * first refusal, and one about all further refusals.
 */
export function refusalsWindow(at: Date): { readonly from: Date; readonly to: Date } {
  const from = Math.floor(at.getTime() / REFUSALS_WINDOW_MS) * REFUSALS_WINDOW_MS;
  return { from: new Date(from), to: new Date(from + REFUSALS_WINDOW_MS) };
}

/** Notice about a webhook whose deliveries all fail, or that was disabled because of failures. */
export interface EndpointTrouble {
  readonly kind: 'WEBHOOK_FAILING' | 'WEBHOOK_DISABLED';
  readonly endpointId: string;
  /** Host name in the URL of the webhook that the mail is about. */
  readonly host: string;
  readonly failingSince: Date;
  /** Time of the last response 410 Gone of a webhook receiver since the failures began. Undefined if there was none. */
  readonly goneAt: Date | undefined;
}

export type NotificationStatus = 'QUEUED' | 'SENT' | 'FAILED';

/**
 * Maximum number of attempts to send a mail. Six attempts with five increasing pauses take a little more than two
 * hours.
 */
export const TRIES_MAX = 6;
const FIRST_BACKOFF_MS = 60_000;
const BACKOFF_FACTOR = 3;

/**
 * Returns the time when a failed mail is sent again after the given number of attempts. Undefined if the failed attempt
 * was the last attempt.
 */
export function nextRetryAt(tries: number, now: Date): Date | undefined {
  if (tries >= TRIES_MAX) return undefined;
  return new Date(now.getTime() + FIRST_BACKOFF_MS * BACKOFF_FACTOR ** (tries - 1));
}

const AGE_MS_MAX = 7 * 24 * 3_600_000;

/** Decides whether to send the e-mail: `SEND`, `ALREADY_SENT`, or the reason not to send it. */
export function checkDelivery(
  { occasion, createdAt }: Notification,
  { organization, member, now }: { organization: Organization; member: Member; now: Date },
): 'SEND' | 'ALREADY_SENT' | 'RECIPIENT_GONE' | 'TOO_OLD' {
  if (organization.deletion !== undefined) return 'RECIPIENT_GONE';
  if (occasion.kind === 'INVITATION') {
    // If an invitation was accepted, its mail must have been sent, because only the mail contains the token. A crash
    // prevented the update of the status of the mail.
    if (member.invitation === undefined) return 'ALREADY_SENT';
    return isPending(member.invitation, organization, now) ? 'SEND' : 'RECIPIENT_GONE';
  }
  if (!isActive(member)) return 'RECIPIENT_GONE';
  // If a mail server is first configured after months, no mails about outdated assignments of findings may be sent.
  return now.getTime() - createdAt.getTime() > AGE_MS_MAX ? 'TOO_OLD' : 'SEND';
}
