import { describe, expect, test } from 'vitest';
import { findingSubject, invitationSubject, ksefSubject, oneLine, writeMail } from './mail.js';
import { COUNTED_MAX } from './notification.js';
import type { Member } from './roster.js';

const member = {
  userId: 'u',
  role: 'ANALYST',
  invitation: { expiresAt: new Date('2026-03-08T12:00:00Z') },
} as Member;
const notification = { id: 'n', organizationId: 'o', userId: 'u', createdAt: new Date() };

describe('foreign text', () => {
  test.each([
    ['a header', 'Acme\r\nBcc: all@example.com', 'Acme Bcc: all@example.com'],
    ['a paragraph', 'Acme\n\n\nPay here', 'Acme Pay here'],
    ['an exotic line break', 'Acme\u2028Pay\u0085here', 'Acme Pay here'],
    ['a direction of writing', 'Acme \u202Egpj.exe', 'Acme gpj.exe'],
  ])('adds no %s', (_, text, shown) => {
    expect(oneLine(text)).toBe(shown);
    expect(invitationSubject(text)).toBe(`Invitation to ${shown}`);
    expect(findingSubject(text)).toBe(`Assigned to you: ${shown}`);
  });

  test('is truncated in a subject, between characters', () => {
    const subject = findingSubject('😀'.repeat(2_000));
    expect([...subject]).toHaveLength(150);
    expect(subject.endsWith('😀…')).toBe(true);
  });
});

test('the mail of an invitation names organization, role and expiry, with the token on its own line', () => {
  const { text } = writeMail(
    { ...notification, subject: 's', occasion: { kind: 'INVITATION' } },
    { organizationName: 'Acme', member, token: 'inv_abc' },
  );
  expect(text).toContain('been invited to Acme as ANALYST');
  expect(text.split('\n')).toContain('inv_abc');
  expect(text).toContain('can be accepted once, until 2026-03-08 12:00 UTC.');
});

test.each([
  [true, 'KSEF_450', /KSeF refused an invoice of Acme\. The invoice is not registered\./],
  [true, 'KSEF_440', /it already has a document with the same seller, type and number\. Compare the two before/],
  [false, 'KSEF_HTTP_403', /could not be submitted to KSeF\. Do not issue it in another way: KSeF may already have it/],
])(
  'the mail about an invoice that KSeF refused (%s, %s) says whether it may be registered',
  (isByKsef, errorCode, sentence) => {
    const occasion = {
      kind: 'KSEF_SUBMISSION_REFUSED',
      ksefConnectionId: 'connection-1',
      submissionId: 'submission-1',
      invoiceId: 'invoice-1',
      isByKsef,
      errorCode,
      eventId: 'event-1',
    } as const;
    const { text } = writeMail(
      { ...notification, subject: 's', occasion },
      { organizationName: 'Acme', member, token: undefined },
    );
    expect(text).toMatch(sentence);
    expect(text).toMatch(
      isByKsef
        ? /upload a corrected invoice and submit that as a new one: POST \/v1\/ksef-connections\/connection-1\/submissions/
        : /submit it again: POST \/v1\/ksef-connections\/connection-1\/submissions/,
    );
  },
);

describe('the mail about the end of a secret of KSeF', () => {
  const ending = {
    kind: 'KSEF_CREDENTIAL_ENDING',
    ksefConnectionId: 'connection-1',
    environment: 'PRODUCTION',
    companyName: 'Norton\nLtd',
    authentication: 'CERTIFICATE',
    endsAt: new Date('2027-06-30T10:00:00Z'),
  } as const;
  const mailOf = (part: Partial<{ companyName: string | undefined; authentication: string; endsAt: Date }> = {}) => {
    const occasion = { ...ending, ...part };
    const subject = ksefSubject(occasion, 'Acme');
    return writeMail({ ...notification, subject, occasion }, { organizationName: 'Acme', member, token: undefined });
  };

  test('names company, environment, time, and what to do before then', () => {
    const { subject, text } = mailOf();
    expect(subject).toBe('The KSeF PRODUCTION certificate of Norton Ltd expires on 2027-06-30');
    expect(text).toContain('logs in to KSeF PRODUCTION expires at 2027-06-30 10:00 UTC.');
    expect(text).toContain('1. Create another certificate of the type Authentication in the KSeF application.');
    expect(text).toContain('POST /v1/ksef-connections/connection-1/test');
    expect(text).toContain('Company:      Norton Ltd\nOrganization: Acme\nEnvironment:  PRODUCTION');
    expect(mailOf({ companyName: undefined }).text).toContain('Company:      a company that was removed');
  });

  test('of tokens names the last day in Poland', () => {
    const { subject, text } = mailOf({ authentication: 'TOKEN', endsAt: new Date('2026-12-31T23:00:00Z') });
    expect(subject).toBe('KSeF PRODUCTION accepts the token of Norton Ltd only until 2026-12-31');
    expect(text).toContain('accepts tokens until 2026-12-31 (Polish time)');
    expect(text).toContain('1. Create a certificate');
  });
});

test('the mail about a paused inbox gives the reason, and says that nothing is lost', () => {
  const occasion = {
    kind: 'KSEF_INBOX_PAUSED',
    ksefConnectionId: 'connection-1',
    environment: 'PRODUCTION',
    companyName: 'Norton Ltd',
    message: 'The plan allows no further analyses this month.\nChoose a larger one.',
  } as const;
  const subject = ksefSubject(occasion, 'Acme');
  expect(subject).toBe('Invoices of Norton Ltd are no longer received from KSeF PRODUCTION');
  const { text } = writeMail(
    { ...notification, subject, occasion },
    { organizationName: 'Acme', member, token: undefined },
  );
  expect(text).toContain('The plan allows no further analyses this month. Choose a larger one.');
  expect(text).toMatch(/No invoice is lost/);
  expect(text).toContain('POST /v1/ksef-connections/connection-1/inbox/runs');
});

test('the mail about refused invoices names each of them, its reason, and what to do', () => {
  const refusals = [
    { ksefNumber: '5265877635-20260314-0A1B2C3D4E5F-7C', reason: 'The package has no file of it.\nBcc: x' },
    { ksefNumber: 'scan?.exe', reason: 'The name of the file in the package is not a KSeF number.' },
  ];
  const occasion = {
    kind: 'KSEF_INVOICES_REFUSED',
    ksefConnectionId: 'connection-1',
    environment: 'PRODUCTION',
    companyName: 'Norton Ltd',
    refusals,
  } as const;
  const subject = ksefSubject(occasion, 'Acme');
  expect(subject).toBe('2 invoices of Norton Ltd could not be received from KSeF PRODUCTION');
  expect(ksefSubject({ ...occasion, refusals: refusals.slice(1) }, 'Acme')).toMatch(/^1 invoice of Norton Ltd/);
  const { text } = writeMail(
    { ...notification, subject, occasion },
    { organizationName: 'Acme', member, token: undefined },
  );
  expect(text).toContain(
    '5265877635-20260314-0A1B2C3D4E5F-7C: The package has no file of it. Bcc: x\nscan?.exe: The name',
  );
  expect(text).toContain('DELETE /v1/ksef-connections/connection-1/inbox/refused/{ksefNumber}');
  expect(text).toContain('POST /v1/ksef-connections/connection-1/inbox/runs');
});

test.each([
  [undefined, 'Further invoices of Acme, submitted through one connection, were refused'],
  [1, '1 further invoice of Acme, submitted through one connection, was refused'],
  [COUNTED_MAX - 1, '999 further invoices of Acme, submitted through one connection, were refused'],
  [COUNTED_MAX, '1,000 or more further invoices of Acme, submitted through one connection, were refused'],
])('the mail about further invoices says how many were counted: %p', (count, sentence) => {
  const submissionIds = count === undefined ? undefined : Array.from({ length: count }, (_, index) => `${index}`);
  const further = { from: new Date(0), to: new Date(3_600_000) };
  const occasion = { kind: 'KSEF_SUBMISSION_REFUSED', ksefConnectionId: 'connection-1', further } as const;
  const { text } = writeMail(
    { ...notification, subject: 's', occasion, submissionIds },
    { organizationName: 'Acme', member, token: undefined },
  );
  expect(text).toContain(sentence);
});

test.each([
  ['AUTH_FAILED', false, ['PATCH /v1/erp-connections/connection-1', '/connection-1/test'], ['DELETE']],
  ['REAUTH_REQUIRED', true, ['POST /v1/erp-connections/oauth/start', '/connection-1/test'], ['PATCH', 'DELETE']],
  [
    'PERMISSION_DENIED',
    false,
    ['POST /v1/erp-connections/connection-1/test', '/connection-1/sync'],
    ['PATCH', 'DELETE'],
  ],
  [
    'TENANT_NOT_FOUND',
    false,
    ['DELETE /v1/erp-connections/connection-1', 'POST /v1/erp-connections.'],
    ['PATCH', '/sync'],
  ],
  [
    'DATABASE_REQUIRED',
    false,
    ['DELETE /v1/erp-connections/connection-1', 'POST /v1/erp-connections.'],
    ['PATCH', '/sync'],
  ],
])(
  'the mail about an ERP that is %s says what to do about that, and nothing else',
  (errorCode, isByConsent, has, lacks) => {
    const occasion = {
      kind: 'ERP_REAUTH_REQUIRED',
      connectionId: 'connection-1',
      providerName: 'Odoo',
      isByConsent,
      errorCode,
      errorMessage: 'A sentence.',
    } as const;
    const { text } = writeMail(
      { ...notification, subject: 's', occasion },
      { organizationName: 'Acme', member, token: undefined },
    );
    for (const part of has) expect(text).toContain(part);
    for (const part of lacks) expect(text).not.toContain(part);
  },
);

test('the mail about a finding names the finding, its invoice and the summary', () => {
  const { text } = writeMail(
    {
      ...notification,
      subject: 's',
      occasion: {
        kind: 'FINDING_ASSIGNED',
        findingId: 'finding-1',
        invoiceId: 'invoice-1',
        type: 'DUPLICATE_EXACT',
        severity: 'HIGH',
        summary: 'Paid\nbefore',
      },
    },
    { organizationName: 'Acme', member, token: undefined },
  );
  for (const part of ['Acme', 'finding-1', 'invoice-1', 'DUPLICATE_EXACT', 'HIGH', 'Paid before']) {
    expect(text).toContain(part);
  }
});

test.each(['WEBHOOK_FAILING', 'WEBHOOK_DISABLED'] as const)(
  'the mail of kind %s says that the receiver asks for no more deliveries when it has answered 410',
  (kind) => {
    const trouble = { kind, endpointId: 'endpoint-1', host: 'a.example', failingSince: new Date(0) };
    const textWith = (goneAt: Date | undefined): string =>
      writeMail(
        { ...notification, subject: 's', occasion: { ...trouble, goneAt } },
        { organizationName: 'Acme', member, token: undefined },
      ).text;
    const marked = textWith(new Date('2026-03-08T12:00:00Z'));
    expect(marked).toContain('it last responded with 410 Gone at 2026-03-08 12:00 UTC.');
    expect(marked.split('\n')).toContain(
      'If it was taken out of use, delete the webhook: DELETE /v1/webhooks/endpoint-1',
    );
    expect(textWith(undefined)).not.toMatch(/410|DELETE/);
  },
);
