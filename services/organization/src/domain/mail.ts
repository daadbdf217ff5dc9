import { cleanLine } from '@invoicecontrol/values/readable-text';
import { COUNTED_MAX } from './notification.js';
import type { BillingNotice, EndpointTrouble, ErpNotice, KsefNotice, Notification } from './notification.js';
import type { Member } from './roster.js';

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

const SUBJECT_CHARACTERS_MAX = 150;

/**
 * Puts a text that someone else wrote on one line of a mail, so that a name cannot inject headers, paragraphs or
 * bidirectional control characters.
 */
export function oneLine(text: string): string {
  return cleanLine(text, Infinity);
}

export function invitationSubject(organizationName: string): string {
  return shorten(`Invitation to ${oneLine(organizationName)}`);
}

export function findingSubject(summary: string): string {
  return shorten(`Assigned to you: ${oneLine(summary)}`);
}

export function endpointSubject({ kind, host }: Pick<EndpointTrouble, 'kind' | 'host'>): string {
  const name = oneLine(host);
  return shorten(
    kind === 'WEBHOOK_FAILING'
      ? `Deliveries to the webhook at ${name} are failing`
      : `The webhook at ${name} was switched off`,
  );
}

export function erpSubject(notice: ErpNotice, organizationName: string): string {
  const [provider, name] = [oneLine(notice.providerName), oneLine(organizationName)];
  return shorten(
    notice.kind === 'ERP_CONNECTED'
      ? `${provider} was connected to ${name}`
      : `${provider} is no longer synchronised with ${name}`,
  );
}

export function ksefSubject(notice: KsefNotice, organizationName: string): string {
  const name = oneLine(organizationName);
  if (notice.kind === 'KSEF_CONNECTION_FAILED') {
    return shorten(`The KSeF ${oneLine(notice.environment)} connection of ${name} no longer works`);
  }
  if (notice.kind === 'KSEF_CREDENTIAL_ENDING') {
    const [environment, company] = [oneLine(notice.environment), companyOf(notice)];
    return shorten(
      notice.authentication === 'TOKEN'
        ? `KSeF ${environment} accepts the token of ${company} only until ${dateOf(notice.endsAt)}`
        : `The KSeF ${environment} certificate of ${company} expires on ${dateOf(notice.endsAt)}`,
    );
  }
  if (notice.kind === 'KSEF_INBOX_PAUSED') {
    return shorten(`Invoices of ${companyOf(notice)} are no longer received from KSeF ${oneLine(notice.environment)}`);
  }
  if (notice.kind === 'KSEF_INVOICES_REFUSED') {
    const invoices = notice.refusals.length === 1 ? '1 invoice' : `${notice.refusals.length} invoices`;
    return shorten(
      `${invoices} of ${companyOf(notice)} could not be received from KSeF ${oneLine(notice.environment)}`,
    );
  }
  if ('further' in notice) return shorten(`Further invoices of ${name} were refused by KSeF or could not be submitted`);
  return shorten(
    notice.isByKsef ? `KSeF refused an invoice of ${name}` : `An invoice of ${name} could not be submitted to KSeF`,
  );
}

function companyOf({ companyName }: { readonly companyName: string | undefined }): string {
  return companyName === undefined ? 'a company that was removed' : oneLine(companyName);
}

export function billingSubject(notice: BillingNotice, organizationName: string): string {
  const name = oneLine(organizationName);
  switch (notice.kind) {
    case 'PAYMENT_FAILED':
      return shorten(`A payment for ${name} failed`);
    case 'TRIAL_ENDING':
      return shorten(`The trial of ${name} ends on ${dateOf(notice.trialEnd)}`);
    case 'USAGE_REACHED':
      return shorten(`${name} has used ${notice.percent}% of its ${meterName(notice.meter)} in ${notice.period}`);
  }
}

const meterNames: Readonly<Record<string, string>> = {
  analyses: 'analyses',
  scan_rows: 'scan rows',
  payment_lines: 'payment lines',
  upload_bytes: 'upload volume',
};

function meterName(meter: string): string {
  return meterNames[meter] ?? meter.replaceAll('_', ' ');
}

/** Formats a time for the text of a mail, precise to the minute. */
function minuteOf(at: Date): string {
  return `${dateOf(at)} ${at.toISOString().slice(11, 16)} UTC`;
}

function dateOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

function shorten(subject: string): string {
  const characters = [...subject];
  return characters.length <= SUBJECT_CHARACTERS_MAX
    ? subject
    : `${characters.slice(0, SUBJECT_CHARACTERS_MAX - 1).join('')}…`;
}

/**
 * Writes the subject and text of a notification mail.
 * @param token token that accepts an invitation; only the mail contains it
 */
export function writeMail(
  { subject, occasion, submissionIds }: Notification,
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
  if ('connectionId' in occasion) return { subject, text: erpText(occasion, organization) };
  if ('ksefConnectionId' in occasion) return { subject, text: ksefText(occasion, organization, submissionIds?.length) };
  if ('endpointId' in occasion) return { subject, text: endpointText(occasion, organization) };
  if (occasion.kind !== 'INVITATION') return { subject, text: billingText(occasion, organization) };
  const lines = [
    `You have been invited to ${organization} as ${member.role}.`,
    '',
    'To accept, send POST /v1/members/accept with your name and this token:',
    '',
    token ?? '',
    '',
    `The invitation can be accepted once${member.invitation === undefined ? '' : `, until ${minuteOf(member.invitation.expiresAt)}`}.`,
    'If you do not know the organization, ignore this e-mail.',
  ];
  return { subject, text: `${lines.join('\n')}\n` };
}

/**
 * Code with which KSeF refuses a document because it already has one with the same seller, kind and number. The earlier
 * document may be the refused document itself.
 */
const DUPLICATE_CODE = 'KSEF_440';

function ksefText(notice: KsefNotice, organization: string, count: number | undefined): string {
  const connection = `/v1/ksef-connections/${notice.ksefConnectionId}`;
  if (notice.kind === 'KSEF_CONNECTION_FAILED') {
    const lines = [
      `Invoices of ${organization} cannot be submitted to KSeF ${oneLine(notice.environment)} through this connection until the problem is fixed.`,
      '',
      oneLine(notice.message),
      '',
      'If the token or certificate was revoked, has expired or lacks a permission, send a new one: POST /v1/ksef-connections',
      '',
      `Then test the connection: POST ${connection}/test`,
      '',
      `Connection: ${notice.ksefConnectionId}`,
      `State:      GET ${connection}`,
    ];
    return `${lines.join('\n')}\n`;
  }
  if (notice.kind === 'KSEF_CREDENTIAL_ENDING') return credentialEndingText(notice, organization);
  if (notice.kind === 'KSEF_INBOX_PAUSED') {
    const lines = [
      `Purchase invoices are no longer received from KSeF ${oneLine(notice.environment)} for this company until the problem is fixed.`,
      '',
      oneLine(notice.message),
      '',
      'No invoice is lost: KSeF keeps the invoices, and they are received from where the last run ended.',
      `To receive them at once when the problem is fixed: POST ${connection}/inbox/runs`,
      '',
      ...ksefFacts(notice, organization),
    ];
    return `${lines.join('\n')}\n`;
  }
  if (notice.kind === 'KSEF_INVOICES_REFUSED') return invoicesRefusedText(notice, organization);
  if ('further' in notice) {
    const { from, to } = notice.further;
    const lines = [
      `${furtherInvoices(count)} of ${organization}, submitted through one connection, ${count === 1 ? 'was' : 'were'} refused by KSeF or could not be submitted`,
      `between ${minuteOf(from)} and ${minuteOf(to)}.`,
      '',
      'Do not issue an invoice that could not be submitted in another way: KSeF may already have it, and never registers an invoice twice.',
      '',
      `Refused by KSeF:          GET ${connection}/submissions?status=REJECTED`,
      `Could not be submitted:   GET ${connection}/submissions?status=FAILED`,
      '',
      'Each submission states the reason and what happens next.',
    ];
    return `${lines.join('\n')}\n`;
  }
  const { submissionId, invoiceId, errorCode, isByKsef } = notice;
  const refused =
    errorCode === DUPLICATE_CODE
      ? `KSeF refused an invoice of ${organization}: it already has a document with the same seller, type and number. Compare the two before you issue the invoice again.`
      : `KSeF refused an invoice of ${organization}. The invoice is not registered.`;
  const lines = [
    isByKsef
      ? refused
      : `An invoice of ${organization} could not be submitted to KSeF. Do not issue it in another way: KSeF may already have it, and never registers an invoice twice.`,
    '',
    `Reason and next step: GET ${connection}/submissions/${submissionId}`,
    '',
    `Code:       ${oneLine(errorCode)}`,
    `Invoice:    ${invoiceId}`,
    `Submission: ${submissionId}`,
    '',
    ...(isByKsef
      ? [
          `To correct it, upload a corrected invoice and submit that as a new one: POST ${connection}/submissions`,
          `If nothing in it was wrong, for example because the seller has since granted a missing permission, submit it again with {"invoice_id":"${invoiceId}"}`,
        ]
      : [
          `When the cause is fixed, submit it again: POST ${connection}/submissions with {"invoice_id":"${invoiceId}"}`,
        ]),
    '',
    'Further invoices of this connection are reported in one e-mail at the end of the hour.',
  ];
  return `${lines.join('\n')}\n`;
}

function invoicesRefusedText(
  notice: Extract<KsefNotice, { readonly kind: 'KSEF_INVOICES_REFUSED' }>,
  organization: string,
): string {
  const { ksefConnectionId, refusals } = notice;
  const lines = [
    refusals.length === 1
      ? 'KSeF delivered an invoice that could not be stored, so it was not checked:'
      : `KSeF delivered ${refusals.length} invoices that could not be stored, so they were not checked:`,
    '',
    ...refusals.map(({ ksefNumber, reason }) => `${oneLine(ksefNumber)}: ${oneLine(reason)}`),
    '',
    'Each refused invoice is requested from KSeF again every night until it can be stored. All other invoices were received.',
    '',
    'If you need an invoice earlier:',
    '',
    '1. Download the invoice in the KSeF application, and upload it: POST /v1/uploads',
    `2. Dismiss the refused invoice: DELETE /v1/ksef-connections/${ksefConnectionId}/inbox/refused/{ksefNumber}`,
    '',
    `To request the refused invoices now: POST /v1/ksef-connections/${ksefConnectionId}/inbox/runs`,
    '',
    ...ksefFacts(notice, organization),
  ];
  return `${lines.join('\n')}\n`;
}

function credentialEndingText(
  notice: Extract<KsefNotice, { readonly kind: 'KSEF_CREDENTIAL_ENDING' }>,
  organization: string,
): string {
  const environment = oneLine(notice.environment);
  const isToken = notice.authentication === 'TOKEN';
  const lines = [
    isToken
      ? `By the rules known to this installation, KSeF ${environment} accepts tokens until ${dateOf(notice.endsAt)} (Polish time). This company logs in with a token.`
      : `The certificate with which this company logs in to KSeF ${environment} expires at ${minuteOf(notice.endsAt)}.`,
    '',
    'After that, no invoice can be submitted or received through the connection. Before then:',
    '',
    `1. Create ${isToken ? 'a' : 'another'} certificate of the type Authentication in the KSeF application.`,
    '2. Save the connection with the certificate and its private key: POST /v1/ksef-connections',
    `3. Test the connection: POST /v1/ksef-connections/${notice.ksefConnectionId}/test`,
    '',
    'Submissions in progress continue with the new certificate.',
    '',
    ...ksefFacts(notice, organization),
  ];
  return `${lines.join('\n')}\n`;
}

function ksefFacts(
  notice: Extract<KsefNotice, { readonly companyName: string | undefined }>,
  organization: string,
): readonly string[] {
  const { ksefConnectionId, environment } = notice;
  return [
    `Company:      ${companyOf(notice)}`,
    `Organization: ${organization}`,
    `Environment:  ${oneLine(environment)}`,
    `Connection:   ${ksefConnectionId}`,
    `State:        GET /v1/ksef-connections/${ksefConnectionId}`,
  ];
}

/**
 * Returns the sentence about the further refused invoices that a combined mail counts.
 * @param count undefined if they were not counted
 */
function furtherInvoices(count: number | undefined): string {
  if (count === undefined) return 'Further invoices';
  if (count === 1) return '1 further invoice';
  return `${grouped(count)}${count < COUNTED_MAX ? '' : ' or more'} further invoices`;
}

function erpText(notice: ErpNotice, organization: string): string {
  const { connectionId } = notice;
  const provider = oneLine(notice.providerName);
  const show = ['', `Connection: ${connectionId}`, `State:      GET /v1/erp-connections/${connectionId}`];
  if (notice.kind === 'ERP_CONNECTED') {
    const company = notice.tenantName === undefined ? '' : ` (${oneLine(notice.tenantName)})`;
    const lines = [
      `Someone connected ${provider}${company} to ${organization} and gave consent in the browser.`,
      '',
      'Vendors and bills of that company are imported every hour from now on.',
      `If you did not expect this, disconnect it: DELETE /v1/erp-connections/${connectionId}`,
    ];
    return `${[...lines, ...show].join('\n')}\n`;
  }
  const lines = [
    `${provider} is no longer synchronised with ${organization} until the problem is fixed.`,
    '',
    `${oneLine(notice.errorMessage)} (${notice.errorCode})`,
    '',
    ...erpRepair(notice),
  ];
  return `${[...lines, ...show].join('\n')}\n`;
}

/** Returns the steps to repair an ERP connection that cannot be synchronised. */
function erpRepair(notice: Extract<ErpNotice, { readonly kind: 'ERP_REAUTH_REQUIRED' }>): readonly string[] {
  const { connectionId, errorCode, isByConsent } = notice;
  const connection = `/v1/erp-connections/${connectionId}`;
  const check = [
    `Then test the connection: POST ${connection}/test`,
    `and synchronise it:       POST ${connection}/sync`,
  ];
  if (errorCode === 'PERMISSION_DENIED') {
    return [
      `To see everything that is missing:      POST ${connection}/test`,
      `When the permission is granted, synchronise: POST ${connection}/sync`,
    ];
  }
  // The mail asks for a new connection, because the configuration of an ERP connection cannot be changed.
  if (!isByConsent && (errorCode === 'TENANT_NOT_FOUND' || errorCode === 'DATABASE_REQUIRED')) {
    return [
      `Delete the connection:     DELETE ${connection}`,
      'and connect the right one: POST /v1/erp-connections. Nothing is imported twice.',
    ];
  }
  return isByConsent
    ? [
        'If access was withdrawn or has expired, an admin must give consent again:',
        'POST /v1/erp-connections/oauth/start returns the address to open in the browser.',
        '',
        ...check,
      ]
    : [
        'If a secret or key was changed or has expired, send the new one:',
        `PATCH ${connection} with {"client_secret":"..."} or {"api_key":"..."}`,
        '',
        ...check,
      ];
}

function billingText(notice: BillingNotice, organization: string): string {
  return `${billingLines(notice, organization).join('\n')}\n`;
}

function billingLines(notice: BillingNotice, organization: string): readonly string[] {
  switch (notice.kind) {
    case 'PAYMENT_FAILED':
      return [
        `A payment for the subscription of ${organization} failed. Nothing has changed for the organization yet.`,
        '',
        'The payment provider will try again. Check the payment method on its page:',
        'POST /v1/billing/portal-session returns the link.',
        '',
        `Transaction: ${notice.transactionId}`,
      ];
    case 'TRIAL_ENDING':
      return [
        `The trial of ${organization} ends at ${minuteOf(notice.trialEnd)}.`,
        '',
        'The first payment is due then. To change or cancel the subscription before that:',
        'POST /v1/billing/portal-session returns the link to the page of the payment provider.',
      ];
    case 'USAGE_REACHED': {
      const { meter, percent, used, limit, period } = notice;
      const name = meterName(meter);
      return [
        `${organization} has used ${grouped(used)} of ${grouped(limit)} ${meter === 'upload_bytes' ? 'bytes of upload volume' : name} in ${period}.`,
        '',
        percent >= 100
          ? 'Further requests that count towards this limit are refused until the next month, or until you have a larger plan.'
          : 'At 100%, further requests that count towards this limit are refused until the next month, or until you have a larger plan.',
        '',
        'Usage: GET /v1/organizations/current/usage',
        'Plan:  POST /v1/billing/portal-session, or POST /v1/billing/checkout for the first subscription',
      ];
    }
  }
}

function endpointText({ kind, endpointId, host, failingSince, goneAt }: EndpointTrouble, organization: string): string {
  const since = `since ${minuteOf(failingSince)}`;
  const change = `PATCH /v1/webhooks/${endpointId} with {"status":"ACTIVE"}`;
  const lines =
    kind === 'WEBHOOK_FAILING'
      ? [
          `Every delivery of events of ${organization} to ${oneLine(host)} has failed ${since}.`,
          '',
          'Check the receiver. If nothing changes, the webhook is switched off after five days of failures.',
          `To switch it on again after that: ${change}`,
        ]
      : [
          `The webhook of ${organization} to ${oneLine(host)} was switched off because every delivery has failed ${since}.`,
          '',
          'New events are not delivered to it. Repair the receiver, then switch the webhook on again:',
          change,
        ];
  const gone =
    goneAt === undefined
      ? []
      : [
          '',
          `The receiver itself asks for no more deliveries: it last responded with 410 Gone at ${minuteOf(goneAt)}.`,
          `If it was taken out of use, delete the webhook: DELETE /v1/webhooks/${endpointId}`,
        ];
  const show = [`Webhook:  ${endpointId}`, `Attempts: GET /v1/webhooks/deliveries?webhook_id=${endpointId}`];
  return `${[...lines, ...gone, '', ...show].join('\n')}\n`;
}
