import { describe, expect, test } from 'vitest';
import type { Connection } from './connection.js';
import { dueNotice, endsSoon, shownWarnings } from './credential-end.js';

const END = new Date('2027-06-30T10:00:00Z');
const TOKENS_END = new Date('2026-12-31T23:00:00Z');
const DAY_MS = 86_400_000;
const before = (end: Date, days: number): Date => new Date(end.getTime() - days * DAY_MS);
const justBefore = (at: Date): Date => new Date(at.getTime() - 1);

const withCertificate: Connection = {
  id: 'c',
  organizationId: 'o',
  version: 1,
  companyId: 'company',
  environment: 'TEST',
  contextNip: '5265877635',
  authentication: 'CERTIFICATE',
  certificate: { expiresAt: END },
  secret: undefined,
  status: 'CONNECTED',
  lastTestedAt: undefined,
  lastErrorMessage: undefined,
  createdAt: new Date('2026-01-01T00:00:00Z'),
};
const withToken: Connection = {
  ...withCertificate,
  authentication: 'TOKEN',
  certificate: undefined,
  environment: 'PRODUCTION',
};

describe('the end of a certificate', () => {
  const due = (now: Date, told?: number) =>
    dueNotice(
      { ...withCertificate, ...(told === undefined ? {} : { endTold: { endsAt: END, days: told } }) },
      { now, tokensEnd: TOKENS_END },
    )?.days;

  test.each([30, 14, 7, 1])('is due %i days before, not a moment earlier, and once', (days) => {
    const told = { 30: undefined, 14: 30, 7: 14, 1: 7 }[days];
    expect(due(justBefore(before(END, days)), told)).toBeUndefined();
    expect(due(before(END, days), told)).toBe(days);
    expect(due(before(END, days), days)).toBeUndefined();
  });

  test('is due once for a certificate that was stored late, without the earlier notices', () => {
    expect(due(before(END, 5))).toBe(7);
    expect(due(before(END, 5), 7)).toBeUndefined();
  });

  test('is not due when it is past, nor for a disabled connection', () => {
    expect(due(justBefore(END))).toBe(1);
    expect(due(END)).toBeUndefined();
    const facts = { now: before(END, 5), tokensEnd: undefined };
    expect(dueNotice({ ...withCertificate, status: 'DISABLED' }, facts)).toBeUndefined();
  });

  test('is due again for the next certificate', () => {
    const endTold = { endsAt: before(END, 1), days: 1 };
    expect(dueNotice({ ...withCertificate, endTold }, { now: before(END, 30), tokensEnd: undefined })).toEqual({
      endsAt: END,
      days: 30,
    });
  });

  test('is a warning from 30 days before, which is as old as the last notice or the certificate', () => {
    const warnings = (now: Date, secretSavedAt?: Date) =>
      shownWarnings({ ...withCertificate, secretSavedAt }, { now, tokensEnd: undefined });
    expect(warnings(justBefore(before(END, 30)))).toEqual([]);
    expect(warnings(before(END, 20))).toEqual([
      {
        code: 'CERTIFICATE_ENDS',
        message: expect.stringMatching(/expires at 2027-06-30T10:00:00.000Z.*save the connection with it before/),
        at: before(END, 30),
      },
    ]);
    expect(warnings(before(END, 5), before(END, 6))[0]?.at).toEqual(before(END, 6));
    expect(warnings(END)).toEqual([
      { code: 'CERTIFICATE_ENDS', message: expect.stringMatching(/expired at .* with a valid certificate/), at: END },
    ]);
  });
});

describe('the end of tokens', () => {
  const due = (part: Partial<Connection>, now: Date, tokensEnd: Date | undefined = TOKENS_END) =>
    dueNotice({ ...withToken, ...part }, { now, tokensEnd });

  test('is due once from 30 days before, in PRODUCTION alone', () => {
    expect(due({}, justBefore(before(TOKENS_END, 30)))).toBeUndefined();
    const notice = due({}, before(TOKENS_END, 30));
    expect(notice).toEqual({ endsAt: TOKENS_END, days: 30 });
    expect(due({ endTold: notice }, before(TOKENS_END, 1))).toBeUndefined();
    expect(due({ environment: 'DEMO' }, before(TOKENS_END, 1))).toBeUndefined();
    expect(due({}, TOKENS_END)).toBeUndefined();
  });

  test('is told again when the law has moved it, and not at all where none is known', () => {
    const endTold = { endsAt: TOKENS_END, days: 30 };
    const later = before(TOKENS_END, -365);
    expect(due({ endTold }, before(TOKENS_END, 1), later)).toBeUndefined();
    expect(due({ endTold }, before(later, 30), later)).toEqual({ endsAt: later, days: 30 });
    expect(dueNotice(withToken, { now: before(TOKENS_END, 1), tokensEnd: undefined })).toBeUndefined();
    expect(shownWarnings(withToken, { now: before(TOKENS_END, 1), tokensEnd: undefined })).toEqual([]);
  });

  test('is a warning that names the last day', () => {
    const facts = { now: before(TOKENS_END, 10), tokensEnd: TOKENS_END };
    expect(shownWarnings(withToken, facts)).toEqual([
      {
        code: 'TOKENS_END',
        message: expect.stringMatching(/until 2026-12-31\. Save the connection again with a certificate/),
        at: before(TOKENS_END, 30),
      },
    ]);
    expect(shownWarnings({ ...withToken, status: 'DISABLED' }, facts)).toEqual([]);
  });
});

test('connections with tokens are searched in the last 30 days alone', () => {
  const searches = (now: Date) => endsSoon({ now, tokensEnd: TOKENS_END }).includesTokens;
  expect([justBefore(before(TOKENS_END, 30)), before(TOKENS_END, 30), TOKENS_END].map(searches)).toEqual([
    false,
    true,
    false,
  ]);
});

test('warnings of KSeF stand among ours, newest first', () => {
  const warnings = [{ code: 'sig-001', message: 'x', at: before(END, 10) }];
  const shown = shownWarnings({ ...withCertificate, warnings }, { now: before(END, 3), tokensEnd: undefined });
  expect(shown.map(({ code }) => code)).toEqual(['CERTIFICATE_ENDS', 'sig-001']);
});
