import { v5 as uuidv5 } from 'uuid';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import { isRoleAtLeast } from '@invoicecontrol/api-key/rights';
import type { Role } from '@invoicecontrol/api-key/rights';
import {
  billingSubject,
  endpointSubject,
  erpSubject,
  findingSubject,
  invitationSubject,
  ksefSubject,
} from '../domain/mail.js';
import { refusalsWindow } from '../domain/notification.js';
import type {
  BillingNotice,
  EndpointTrouble,
  ErpNotice,
  KsefNotice,
  Notification,
  NotificationStatus,
  Occasion,
} from '../domain/notification.js';
import type { Organization } from '../domain/organization.js';
import { isActive } from '../domain/roster.js';
import type { Member } from '../domain/roster.js';
import type { Organizations } from './organizations.js';
import type { Rosters } from './rosters.js';

/** E-mail notification with its delivery status. */
export type ListedNotification = Notification & { readonly status: NotificationStatus };

/** Stores the e-mail notifications that are queued or were sent. */
export interface Notifications {
  /** Adds a KSeF submission to queued mails that have not been attempted yet. Each submission counts once. */
  countSubmission(ids: readonly string[], submissionId: string): Promise<void>;
  /**
   * Returns how many notification mails of all tenants were queued before the given time and are not sent yet, with the
   * oldest of them and the reason why its last attempt failed.
   */
  waitingSince(before: Date): Promise<{ count: number; oldest: Date; reason: string | undefined } | undefined>;
  /** Inserts new e-mail notifications; existing ones are not changed. */
  enqueue(notifications: readonly Notification[]): Promise<void>;
  /** Returns the stored e-mail notifications that have these ids. */
  find(ids: readonly string[]): Promise<readonly Notification[]>;
  list(organizationId: string, page: PageRequest): Promise<Page<ListedNotification>>;
}

const NOTIFICATION_NAMESPACE = '0f6b4a0e-0a53-4c5e-9f0a-7a4b1c1b0c35';

/** Creates the mail of an invitation to an organization. Its id is derived, so that one invitation has one mail. */
export function toInvitationNotification(
  { id: organizationId, name }: Organization,
  { userId, createdAt }: Member,
): Notification {
  return {
    id: uuidv5(`invitation|${userId}`, NOTIFICATION_NAMESPACE),
    organizationId,
    userId,
    subject: invitationSubject(name),
    occasion: { kind: 'INVITATION' },
    createdAt,
  };
}

/** Dependencies of the e-mail notifications about events. */
interface NotifyDeps {
  readonly organizations: Pick<Organizations, 'find'>;
  readonly rosters: Pick<Rosters, 'find'>;
  readonly notifications: Notifications;
}

/** Trouble with a webhook endpoint as published by `endpoint_failing` and `endpoint_disabled`. */
export interface EndpointNotice {
  readonly eventId: string;
  readonly organizationId: string;
  readonly at: Date;
  readonly trouble: EndpointTrouble;
}

/**
 * Queues a mail about trouble with a webhook to each owner and admin. Ids are derived from the event, so a repeated
 * event queues no second mail.
 */
export const notifyAdmins =
  (deps: NotifyDeps) =>
  async ({ eventId, organizationId, at, trouble }: EndpointNotice): Promise<void> => {
    await notifyFromRole(deps, { organizationId, at, minimumRole: 'ADMIN', key: eventId, occasion: trouble }, () =>
      endpointSubject(trouble),
    );
  };

/** Facts of an ERP connection, as published by `connection_changed`. */
export interface ErpConnectionNotice {
  readonly eventId: string;
  readonly organizationId: string;
  readonly at: Date;
  readonly notice: ErpNotice;
}

/** Queues a mail about an ERP connection to each owner, and to each admin if someone must act. */
export const notifyAboutErp =
  (deps: NotifyDeps) =>
  async ({ eventId, organizationId, at, notice }: ErpConnectionNotice): Promise<void> => {
    const minimumRole = notice.kind === 'ERP_CONNECTED' ? 'OWNER' : 'ADMIN';
    await notifyFromRole(deps, { organizationId, at, minimumRole, key: eventId, occasion: notice }, (name) =>
      erpSubject(notice, name),
    );
  };

/**
 * Facts of a KSeF connection, as published by `connection_failed`, `credential_ending`, `inbox_paused` and
 * `inbox_invoices_refused`.
 */
export interface KsefConnectionNotice {
  readonly eventId: string;
  readonly organizationId: string;
  readonly at: Date;
  readonly notice: Exclude<KsefNotice, { readonly kind: 'KSEF_SUBMISSION_REFUSED' }>;
}

/** Finds the current name of a company of the organization. Undefined if the company was removed. */
export async function companyNameOf(
  { organizations }: Pick<NotifyDeps, 'organizations'>,
  organizationId: string,
  companyId: string,
): Promise<string | undefined> {
  const organization = await organizations.find(organizationId);
  return organization?.companies.find(({ id }) => id === companyId)?.name;
}

/**
 * Queues a mail about a KSeF connection to each owner and admin. Ids are derived from the event, so a repeated event
 * queues no second mail.
 */
export const notifyAboutKsef =
  (deps: NotifyDeps) =>
  async ({ eventId, organizationId, at, notice }: KsefConnectionNotice): Promise<void> => {
    await notifyFromRole(deps, { organizationId, at, minimumRole: 'ADMIN', key: eventId, occasion: notice }, (name) =>
      ksefSubject(notice, name),
    );
  };

/**
 * Queues mails to each owner and admin about an invoice that is not registered in KSeF. If KSeF refuses several
 * invoices of a connection within an hour, the first one causes a mail at once, and a second mail at the end of the
 * hour states the number of the others. Ids are derived from connection, hour and recipient, so that a hundred refusals
 * cause two mails and a repeated event causes none.
 */
export const notifyAboutRefusal =
  (deps: NotifyDeps) =>
  async ({ organizationId, at, notice }: KsefRefusalNotice): Promise<void> => {
    const { ksefConnectionId, submissionId, eventId } = notice;
    const { from, to } = refusalsWindow(at);
    const key = `ksef-refused|${ksefConnectionId}|${from.toISOString()}`;
    const first = { organizationId, at, minimumRole: 'ADMIN', key, occasion: notice } as const;
    const ids = await notifyFromRole(deps, first, (name) => ksefSubject(notice, name));
    const told = await deps.notifications.find(ids);
    const toldOfThis = told.filter(({ occasion }) => 'eventId' in occasion && occasion.eventId === eventId);
    const further = { kind: notice.kind, ksefConnectionId, further: { from, to } } as const;
    const except = new Set(toldOfThis.map(({ userId }) => userId));
    const rest = { ...first, sendAt: to, except, key: `${key}|further`, occasion: further };
    const counting = await notifyFromRole(deps, rest, (name) => ksefSubject(further, name));
    await deps.notifications.countSubmission(counting, submissionId);
  };

/** An invoice that is not registered in KSeF, as published by `submission_changed`. */
export interface KsefRefusalNotice {
  readonly organizationId: string;
  readonly at: Date;
  readonly notice: Extract<KsefNotice, { readonly eventId: string }>;
}

/** A notice to the owners of an organization, sent once for each `key`. */
export interface OwnerNotice {
  readonly organizationId: string;
  readonly at: Date;
  /** Key that identifies a notice to the owners. Repeating the notice queues no second mail. */
  readonly key: string;
  readonly notice: BillingNotice;
}

/** Queues a mail with a notice to each owner of an organization. */
export const notifyOwners =
  (deps: NotifyDeps) =>
  async ({ organizationId, at, key, notice }: OwnerNotice): Promise<void> => {
    const mail = { organizationId, at, minimumRole: 'OWNER', key: `${notice.kind}|${organizationId}|${key}` } as const;
    await notifyFromRole(deps, { ...mail, occasion: notice }, (name) => billingSubject(notice, name));
  };

/**
 * Queues a notification mail to each active member with at least the given role, once for each `key`.
 * @returns ids of the mails
 */
async function notifyFromRole(
  { organizations, rosters, notifications }: NotifyDeps,
  mail: {
    readonly organizationId: string;
    readonly at: Date;
    readonly sendAt?: Date;
    /** Ids of users who get no mail, because they are notified of the event in another way. */
    readonly except?: ReadonlySet<string>;
    readonly minimumRole: Role;
    readonly key: string;
    readonly occasion: Occasion;
  },
  subjectFor: (organizationName: string) => string,
): Promise<readonly string[]> {
  const { organizationId, at, sendAt, except, minimumRole, key, occasion } = mail;
  const organization = await organizations.find(organizationId);
  const roster = await rosters.find(organizationId);
  if (organization === undefined || organization.deletion !== undefined) return [];
  const members = (roster?.members ?? []).filter(
    (member) => isActive(member) && isRoleAtLeast(member.role, minimumRole) && except?.has(member.userId) !== true,
  );
  const subject = subjectFor(organization.name);
  const mails = members.map(({ userId }) => ({
    id: uuidv5(`${key}|${userId}`, NOTIFICATION_NAMESPACE),
    organizationId,
    userId,
    subject,
    occasion,
    createdAt: at,
    ...(sendAt === undefined ? {} : { sendAt }),
  }));
  await notifications.enqueue(mails);
  return mails.map(({ id }) => id);
}

/** An assignment of a finding as published by `finding_assigned`. */
export interface Assignment extends Omit<Extract<Occasion, { kind: 'FINDING_ASSIGNED' }>, 'kind'> {
  readonly eventId: string;
  readonly organizationId: string;
  readonly assignedAt: Date;
  /** User id of the member to whom the finding is assigned. Undefined if the assignment was removed. */
  readonly assigneeUserId: string | undefined;
}

/**
 * Queues a mail about a finding to its new assignee (specification section 7, rule 4), if the assignee is an active
 * member. The id is derived from the event, so a repeated event queues no second mail.
 */
export const notifyAssignee =
  ({ organizations, rosters, notifications }: NotifyDeps) =>
  async ({ eventId, organizationId, assignedAt, assigneeUserId, ...finding }: Assignment): Promise<void> => {
    if (assigneeUserId === undefined) return;
    const organization = await organizations.find(organizationId);
    const roster = await rosters.find(organizationId);
    if (organization === undefined || organization.deletion !== undefined) return;
    const assignee = roster?.members.find(({ userId }) => userId === assigneeUserId);
    if (assignee === undefined || !isActive(assignee)) return;
    await notifications.enqueue([
      {
        id: uuidv5(eventId, NOTIFICATION_NAMESPACE),
        organizationId,
        userId: assigneeUserId,
        subject: findingSubject(finding.summary),
        occasion: { kind: 'FINDING_ASSIGNED', ...finding },
        createdAt: assignedAt,
      },
    ]);
  };
