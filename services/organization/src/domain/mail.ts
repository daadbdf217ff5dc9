import type { Notification } from './notification.js';
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
