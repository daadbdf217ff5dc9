import type { EndpointTrouble, Notification } from './notification.js';
import type { Member } from './roster.js';

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

const SUBJECT_CHARACTERS_MAX = 150;

/** Foreign text on one line, so that a name cannot inject headers, paragraphs or bidirectional control characters. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

export function invitationSubject(organizationName: string): string {
  return shorten(`Invitation to ${oneLine(organizationName)}`);
}

export function findingSubject(summary: string): string {
  return shorten(`Assigned to you: ${oneLine(summary)}`);
}

export function endpointSubject({ kind, host }: Pick<EndpointTrouble, 'kind' | 'host'>): string {
  const name = oneLine(host);
  return shorten(kind === 'WEBHOOK_FAILING' ? `Webhook to ${name} only fails` : `Webhook to ${name} was switched off`);
}

function shorten(subject: string): string {
  const characters = [...subject];
  return characters.length <= SUBJECT_CHARACTERS_MAX
    ? subject
    : `${characters.slice(0, SUBJECT_CHARACTERS_MAX - 1).join('')}…`;
}

/**
 * The mail about a notification.
 * @param token accepts an invitation; only the mail contains it
 */
export function writeMail(
  { subject, occasion }: Notification,
  { organizationName, member, token }: { organizationName: string; member: Member; token: string | undefined },
): MailText {
  const organization = oneLine(organizationName);
  if (occasion.kind === 'FINDING_ASSIGNED') {
    const { findingId, invoiceId, type, severity, summary } = occasion;
    const lines = [
      `A finding of ${organization} was assigned to you.`,
      '',
      oneLine(summary),
      '',
      `Type:     ${type}`,
      `Severity: ${severity}`,
      `Finding:  ${findingId}`,
      ...(invoiceId === undefined ? [] : [`Invoice:  ${invoiceId}`]),
    ];
    return { subject, text: `${lines.join('\n')}\n` };
  }
  if (occasion.kind !== 'INVITATION') return { subject, text: endpointText(occasion, organization) };
  const lines = [
    `You are invited to ${organization} as ${member.role}.`,
    '',
    'Accept with POST /v1/members/accept and this token, together with your name:',
    '',
    token ?? '',
    '',
    `The invitation is valid until ${member.invitation?.expiresAt.toISOString() ?? ''} and can be accepted once.`,
    'If you do not know the organization, ignore this mail.',
  ];
  return { subject, text: `${lines.join('\n')}\n` };
}

function endpointText({ kind, endpointId, host, failingSince, goneAt }: EndpointTrouble, organization: string): string {
  const since = `since ${failingSince.toISOString()}`;
  const change = `PATCH /v1/webhooks/${endpointId} with {"status":"ACTIVE"}`;
  const lines =
    kind === 'WEBHOOK_FAILING'
      ? [
          `Every delivery of events of ${organization} to ${oneLine(host)} has failed ${since}.`,
          '',
          'Check the receiver. If nothing changes, the webhook is switched off after five days of failures.',
          `Should it be switched off: ${change} switches it on again.`,
        ]
      : [
          `The webhook of ${organization} to ${oneLine(host)} was switched off: every delivery has failed ${since}.`,
          '',
          'Events from now on are not delivered to it. Repair the receiver, then switch the webhook on again:',
          change,
        ];
  const gone =
    goneAt === undefined
      ? []
      : [
          '',
          `The receiver itself asks for no more deliveries: it answered 410 Gone, last at ${goneAt.toISOString()}.`,
          `If it was taken out of use, delete the webhook: DELETE /v1/webhooks/${endpointId}`,
        ];
  const show = [`Webhook:  ${endpointId}`, `Attempts: GET /v1/webhooks/deliveries?webhook_id=${endpointId}`];
  return `${[...lines, ...gone, '', ...show].join('\n')}\n`;
}
