import { describe, expect, test } from 'vitest';
import { KsefRefusal } from './ksef-refusal.js';
import type { RefusalFacts, RefusalKind } from './ksef-refusal.js';
import {
  closed,
  confirmationLater,
  confirmed,
  followed,
  givenUp,
  LIST_FAILURES_MAX,
  notFound,
  opened,
  opening,
  putOffUntil,
  refused,
  resolvedDuplicate,
  sending,
  sent,
  SESSIONS_MAX,
  stepOf,
  UNSENT_FAILURES_MAX,
  unread,
} from './submission-steps.js';
import type { InvoiceAnswer, Timing } from './submission-steps.js';
import { backoffMs, pauseOfJob, pollAfterMs } from './submission-waits.js';
import {
  isShownAlike,
  nextStep,
  queued,
  SESSIONS_KEPT_MAX,
  submissionId,
  takenUpAgain,
  warningsOf,
  wasSent,
} from './submission.js';
import type { Progress } from './submission.js';

const start = new Date('2026-11-24T10:00:00Z');
const at = (ms: number): Timing => ({
  now: new Date(start.getTime() + ms),
  waitFactor: 1,
  requestMs: 30_000,
  random: 1,
});
const timing = at(0);
const key = { sealed: 'e1.k1.x.y', keyId: 'k1' };
const validUntil = new Date(start.getTime() + 12 * 3_600_000);
const inSession = (progress: Progress, referenceNumber = 'SO-1'): Progress =>
  opened(opening(progress), { referenceNumber, validUntil, key }, timing);
const sendBegun = sending(inSession(queued(start)), timing);
const processing = sent(sendBegun, 'EE-1', timing);
const answer = (code: number, part: Partial<InvoiceAnswer> = {}): InvoiceAnswer => ({
  ksefNumber: undefined,
  status: { code, description: `status ${code}`, details: ['a detail'] },
  originalKsefNumber: undefined,
  originalSessionReferenceNumber: undefined,
  ...part,
});
const refusal = (kind: RefusalKind, part: Partial<RefusalFacts> = {}) =>
  new KsefRefusal(kind, 'refused', { code: 'KSEF_HTTP_400', ...part });
const progressOf = (result: Progress | 'COMPARE'): Progress => {
  if (result === 'COMPARE') throw new Error('compared');
  return result;
};
const follow = (code: number, part?: Partial<InvoiceAnswer>, from = processing) =>
  progressOf(followed(from, answer(code, part), timing));
const waitOf = ({ dueAt }: Progress): number | undefined => dueAt && dueAt.getTime() - start.getTime();

describe('the next step comes from the stored record alone', () => {
  test('open, send, follow, close, confirm, nothing', () => {
    expect(stepOf(queued(start), start).kind).toBe('OPEN');
    expect(stepOf(inSession(queued(start)), start).kind).toBe('SEND');
    expect(stepOf(processing, start)).toMatchObject({ kind: 'FOLLOW', invoiceReferenceNumber: 'EE-1' });
    const done = follow(200, { ksefNumber: 'N' });
    const step = stepOf(done, start);
    expect(step.kind).toBe('CLOSE');
    const shut = step.kind === 'CLOSE' ? closed(done, step.session, timing) : done;
    expect(stepOf(shut, start)).toMatchObject({ kind: 'CONFIRM', invoiceReferenceNumber: 'EE-1' });
    const end = confirmed(shut, 'EU-1');
    expect(stepOf(end, start).kind).toBe('NOTHING');
    expect(end).toMatchObject({ upoReferenceNumber: 'EU-1', dueAt: undefined });
  });
  test('a send that was begun and has no reference is never repeated before KSeF was asked', () => {
    expect(stepOf(sendBegun, start).kind).toBe('LOOK');
  });
  test('a session that ends within five minutes is not used', () => {
    const open = inSession(queued(start));
    expect(stepOf(open, new Date(validUntil.getTime() - 300_001)).kind).toBe('SEND');
    expect(stepOf(open, new Date(validUntil.getTime() - 300_000)).kind).toBe('OPEN');
  });
  test('the key of a session is forgotten as soon as the document is taken', () => {
    expect(processing.sessions[0]?.key).toBeUndefined();
  });
});

describe('the status of an invoice', () => {
  test.each([100, 150])('%i is looked at again, however long it takes', (code) => {
    const month = at(30 * 24 * 3_600_000);
    const waited = progressOf(followed({ ...processing, polls: 9_999 }, answer(code), month));
    expect(waited.status).toBe('PROCESSING');
    expect(waited.dueAt?.getTime()).toBe(month.now.getTime() + 3_600_000);
  });
  test('200 with a number is ACCEPTED, without error', () => {
    expect(follow(200, { ksefNumber: 'N' })).toMatchObject({
      status: 'ACCEPTED',
      ksefNumber: 'N',
      completedAt: start,
      errorCode: undefined,
    });
  });
  test('200 without a number is looked at again', () => {
    expect(follow(200).status).toBe('PROCESSING');
  });
  test.each([410, 415, 430, 450])('%i is REJECTED with the words of KSeF', (code) => {
    expect(follow(code)).toMatchObject({
      status: 'REJECTED',
      errorCode: `KSEF_${code}`,
      errorMessage: `status ${code}; a detail`,
      completedAt: start,
    });
  });
  test.each([400, 460, 600])('%i, which KSeF does not declare, is FAILED', (code) => {
    expect(follow(code)).toMatchObject({ status: 'FAILED', errorCode: `KSEF_${code}` });
  });
  test('405 is sent again in two more sessions, then FAILED', () => {
    let now = processing;
    for (const session of ['SO-2', 'SO-3']) {
      now = follow(405, {}, now);
      expect(now).toMatchObject({ status: 'SENDING', completedAt: undefined });
      expect(stepOf(now, start).kind).toBe('OPEN');
      now = sent(sending(inSession(now, session), timing), `EE-${session}`, timing);
    }
    expect(follow(405, {}, now)).toMatchObject({ status: 'FAILED', errorCode: 'KSEF_405' });
  });
  test('435 is sent again in one more session, then FAILED', () => {
    const again = sent(sending(inSession(follow(435), 'SO-2'), timing), 'EE-2', timing);
    expect(again.status).toBe('PROCESSING');
    expect(follow(435, {}, again)).toMatchObject({ status: 'FAILED', errorCode: 'KSEF_435' });
  });
  test.each([500, 550])('%i is sent again in a new session after a wait', (code) => {
    const again = follow(code);
    expect(stepOf(again, start).kind).toBe('OPEN');
    expect(waitOf(again)).toBeGreaterThan(0);
  });
  test('KSeF breaks at most 20 sessions of a submission', () => {
    let now = processing;
    for (let sessions = 1; sessions < SESSIONS_MAX; sessions++) {
      now = follow(550, {}, now);
      expect(now.status).toBe('SENDING');
      now = sent(sending(inSession(now, `SO-${sessions + 1}`), timing), 'EE', timing);
    }
    expect(follow(550, {}, now)).toMatchObject({ status: 'FAILED', errorCode: 'KSEF_SESSIONS' });
  });
  test('a submission that is taken up again may use up as many sessions as before', () => {
    let now = processing;
    for (let takeUps = 1; takeUps <= 2; takeUps++) {
      for (let sessions = 1; sessions < SESSIONS_MAX; sessions++) {
        now = follow(550, {}, now);
        expect(now.status).toBe('SENDING');
        now = sent(sending(inSession(now), timing), 'EE', timing);
      }
      now = follow(550, {}, now);
      expect(now).toMatchObject({ status: 'FAILED', errorCode: 'KSEF_SESSIONS' });
      now = sent(sending(inSession(takenUpAgain(now, start)), timing), 'EE', timing);
    }
  });
  test('a session that ends at once counts as broken: after a pause comes another, and at most 20', () => {
    const past = new Date(start.getTime() - 1_000);
    const openedLate = (from: Progress): Progress =>
      opened(opening(from), { referenceNumber: 'SO', validUntil: past, key }, timing);
    let now: Progress = queued(start);
    for (let sessions = 1; sessions < SESSIONS_MAX; sessions++) {
      now = openedLate(now);
      expect([now.status, stepOf(now, start).kind]).toEqual(['SENDING', 'OPEN']);
      expect(waitOf(now)).toBeGreaterThan(0);
    }
    now = openedLate(now);
    expect(now).toMatchObject({ status: 'FAILED', errorCode: 'KSEF_SESSIONS' });
    expect(stepOf(now, start).kind).toBe('CLOSE');
  });
  test('sessions of earlier take-ups are kept up to a number, and as long as they are open', () => {
    let now = processing;
    const [first] = now.sessions;
    for (let takeUps = 1; takeUps <= SESSIONS_KEPT_MAX; takeUps++) {
      const ended = follow(450, {}, now);
      const last = ended.sessions.at(-1);
      const shut = takeUps === 1 || last === undefined ? ended : closed(ended, last, timing);
      now = sent(sending(inSession(takenUpAgain(shut, start), `SO-${takeUps + 1}`), timing), 'EE', timing);
    }
    expect(now.sessions.length).toBe(SESSIONS_KEPT_MAX + 1);
    const again = takenUpAgain(follow(450, {}, now), start);
    expect(again.sessions.length).toBeLessThanOrEqual(SESSIONS_KEPT_MAX + 1);
    expect(again.sessions[0]?.referenceNumber).toBe(first?.referenceNumber);
  });
  test('an error message has at most 1,000 characters', () => {
    const long = followed(
      processing,
      { ...answer(450), status: { code: 450, description: 'x'.repeat(2_000), details: [] } },
      timing,
    );
    expect(progressOf(long).errorMessage).toHaveLength(1_000);
  });
});

describe('a duplicate (440)', () => {
  const submission = { ...processing, document: { hash: 'our hash' } };
  const duplicateOf = (originalSessionReferenceNumber: string): InvoiceAnswer =>
    answer(440, { originalKsefNumber: 'N-0', originalSessionReferenceNumber });
  test.each(['SO-1', 'SO-9'])('is compared before anything is decided, whatever session is named (%s)', (session) => {
    expect(followed(processing, duplicateOf(session), timing)).toBe('COMPARE');
  });
  test('is a success where the registered document is the same file, confirmed in a session of ours', () => {
    const entry = { sessionReferenceNumber: 'SO-1', invoiceReferenceNumber: 'EE-0' };
    const ours = resolvedDuplicate(submission, duplicateOf('SO-1'), { invoiceHash: 'our hash', entry }, timing);
    expect(ours).toMatchObject({ status: 'ACCEPTED', ksefNumber: 'N-0' });
    expect(ours.sessions.map(({ invoiceReferenceNumber }) => invoiceReferenceNumber)).toEqual(['EE-0']);
    const again = sent(sending(inSession(takenUpAgain(processing, start), 'SO-2'), timing), 'EE-2', timing);
    const earlier = { ...again, document: submission.document };
    const found = resolvedDuplicate(earlier, duplicateOf('SO-1'), { invoiceHash: 'our hash', entry }, timing);
    expect(found.sessions.map(({ invoiceReferenceNumber }) => invoiceReferenceNumber)).toEqual(['EE-0', undefined]);
  });
  test('is a success without a confirmation where the same file came in another session', () => {
    const entry = { sessionReferenceNumber: 'SO-9', invoiceReferenceNumber: 'EE-9' };
    for (const original of [{ invoiceHash: 'our hash', entry }, { invoiceHash: 'our hash' }]) {
      const same = resolvedDuplicate(submission, duplicateOf('SO-9'), original, timing);
      expect(same).toMatchObject({ status: 'ACCEPTED', ksefNumber: 'N-0' });
      expect(same.sessions.map(({ invoiceReferenceNumber }) => invoiceReferenceNumber)).toEqual([undefined]);
    }
  });
  test.each(['SO-1', 'SO-9'])('is REJECTED where the registered document is another file (session %s)', (session) => {
    const entry = { sessionReferenceNumber: session, invoiceReferenceNumber: 'EE-0' };
    const original = { invoiceHash: 'another hash', entry };
    const refusedOne = resolvedDuplicate(submission, duplicateOf(session), original, timing);
    expect(refusedOne).toMatchObject({ status: 'REJECTED', errorCode: 'KSEF_440', ksefNumber: undefined });
    expect(refusedOne.errorMessage).toMatch(/N-0.* different file.* new number/);
  });
  test('that names many words is cut, and never what to do', () => {
    const { status, ...rest } = duplicateOf('SO-1');
    const long = { ...rest, status: { ...status, description: 'x'.repeat(2_000) } };
    const { errorMessage } = resolvedDuplicate(submission, long, undefined, timing);
    expect(errorMessage).toHaveLength(1_000);
    expect(errorMessage).toMatch(
      / The registered document has the KSeF number N-0\..* not known whether the registered document is the same file.* already registered\.$/,
    );
  });
  test('waits for the end of an outage, and after 20 answers in a row that cannot be read it is REJECTED', () => {
    let now = submission;
    const next = (kind: RefusalKind, part?: Partial<RefusalFacts>): Progress => {
      const after = unread(now, refusal(kind, part), timing, () =>
        resolvedDuplicate(now, duplicateOf('SO-9'), undefined, timing),
      );
      now = { ...after, document: submission.document };
      return after;
    };
    for (let failures = 1; failures < LIST_FAILURES_MAX; failures++) next('TRANSIENT', { code: 'KSEF_ANSWER' });
    expect(now.status).toBe('PROCESSING');
    for (let failures = 1; failures <= UNSENT_FAILURES_MAX + 1; failures++) next('TRANSIENT');
    next('TRANSIENT', { code: 'KSEF_LIMIT' });
    next('TRANSIENT', { httpStatus: 429 });
    next('PERMANENT', { code: 'KSEF_AUTH_450', concerns: 'CONNECTION' });
    expect(now.status).toBe('PROCESSING');
    for (const status of [500, 503, 408]) next('TRANSIENT', { httpStatus: status });
    next('TRANSIENT', { httpStatus: 400, isOfLogin: true });
    next('BLOCKED', { httpStatus: 403 });
    expect(now.status).toBe('PROCESSING');
    const end = next('TRANSIENT', { code: 'KSEF_ANSWER' });
    expect(end).toMatchObject({ status: 'REJECTED', errorCode: 'KSEF_440', ksefNumber: undefined });
    expect(end.errorMessage).toContain('not known whether the registered document is the same file');
  });
});

test.each([400, 404, 499])(
  'a duplicate whose lists are refused with status %i, which says nothing, is REJECTED after 20 refusals in a row',
  (httpStatus) => {
    let now: Progress = processing;
    const next = (): Progress =>
      unread(now, refusal('TRANSIENT', { httpStatus }), timing, () => follow(450, {}, processing));
    for (let failures = 1; failures < LIST_FAILURES_MAX; failures++) now = next();
    expect(now.status).toBe('PROCESSING');
    expect(next().status).toBe('REJECTED');
  },
);

describe('a send without an answer', () => {
  const send = stepOf(inSession(queued(start)), start);
  test('is looked for when its deadline has passed, then after 5 s and 30 s, then sent in the same session', () => {
    const unknown = refused(sendBegun, send, refusal('UNKNOWN'), at(4_000));
    expect(waitOf(unknown)).toBe(30_000);
    expect(stepOf(unknown, start).kind).toBe('LOOK');
    const second = notFound(unknown, undefined, timing);
    expect(waitOf(second)).toBe(5_000);
    const third = notFound(second, undefined, timing);
    expect(waitOf(third)).toBe(30_000);
    const again = notFound(third, 100, timing);
    expect(stepOf(again, start)).toMatchObject({ kind: 'SEND', session: { referenceNumber: 'SO-1' } });
  });
  test.each([170, 200, 415, 440, 445, undefined])('goes on in a new session when its session is at %p', (code) => {
    const third = notFound(notFound(sendBegun, undefined, timing), undefined, timing);
    expect(stepOf(notFound(third, code, timing), start).kind).toBe('OPEN');
  });
  test('that the session refuses goes on in a new session', () => {
    expect(stepOf(refused(sendBegun, send, refusal('SESSION'), timing), start).kind).toBe('OPEN');
  });
  test('that was throttled waits at least as long as KSeF says, and is not looked for', () => {
    const throttled = refused(sendBegun, send, refusal('TRANSIENT', { retryAfterMs: 90_000 }), timing);
    expect(waitOf(throttled)).toBe(90_000);
    expect(stepOf(throttled, start).kind).toBe('SEND');
  });
  test.each([
    ['that KSeF throttled', refusal('TRANSIENT', { code: 'KSEF_HTTP_429', httpStatus: 429 })],
    ['that our own limits put off', refusal('TRANSIENT', { code: 'KSEF_LIMIT' })],
    ['that could not be connected', refusal('TRANSIENT', { code: 'KSEF_UNREACHABLE' })],
    ['that the session refused', refusal('SESSION')],
  ])('%s does not count as one that may have reached KSeF', (_, one) => {
    expect([wasSent(sendBegun), wasSent(refused(sendBegun, send, one, timing))]).toEqual([true, false]);
    // An earlier KSeF session in which the document may have arrived remains one.
    const earlier = notFound(notFound(notFound(sendBegun, 100, timing), 100, timing), 100, timing);
    const again = sending(earlier, timing);
    expect([stepOf(earlier, start).kind, wasSent(refused(again, send, one, timing))]).toEqual(['SEND', true]);
  });
  test('that is repeated after a 401 is one send, whose time is that of the last request', () => {
    const again = sending(sendBegun, at(9_000));
    expect(again.sessions[0]).toMatchObject({ sends: 1, sentAt: at(9_000).now });
    expect(wasSent(refused(again, send, refusal('TRANSIENT'), timing))).toBe(false);
  });
  test('that did not begin changes nothing of its session', () => {
    const open = inSession(queued(start));
    expect(refused(open, stepOf(open, start), refusal('TRANSIENT'), timing).sessions).toEqual(open.sessions);
  });
  test('of an earlier take-up does not count for the next one', () => {
    expect(wasSent(takenUpAgain(follow(450), start))).toBe(false);
  });
});

describe('a look for what may have arrived', () => {
  const look = stepOf(sendBegun, start);
  test.each([
    ['what cannot be read', { code: 'KSEF_ANSWER' }],
    ['a refusal that it does not declare', { httpStatus: 400 }],
  ])('that KSeF answers with %s goes on in a new session after 20 of them in a row', (_, answered) => {
    let now: Progress = sendBegun;
    for (let failures = 1; failures < LIST_FAILURES_MAX; failures++) {
      now = refused(now, look, refusal('TRANSIENT', answered), timing);
    }
    expect(stepOf(now, start).kind).toBe('LOOK');
    const again = refused(now, look, refusal('TRANSIENT', answered), timing);
    expect([stepOf(again, start).kind, again.status]).toEqual(['OPEN', 'SENDING']);
    expect(again.listFailures).toBeUndefined();
  });
  test('that KSeF does not answer is repeated without an end', () => {
    let now: Progress = sendBegun;
    for (let failures = 1; failures <= UNSENT_FAILURES_MAX + 1; failures++) {
      now = refused(now, look, refusal('TRANSIENT', { code: 'KSEF_TIMEOUT' }), timing);
    }
    expect(stepOf(now, start).kind).toBe('LOOK');
  });
});

describe('what was sent, with a connection that KSeF refuses', () => {
  const refusedConnection = refusal('PERMANENT', { code: 'KSEF_HTTP_403', concerns: 'CONNECTION' });
  test('is followed on', () => {
    for (const progress of [sendBegun, processing]) {
      const step = stepOf(progress, start);
      const waits = refused(progress, step, refusedConnection, timing);
      expect([waits.status, stepOf(waits, start).kind]).toEqual([progress.status, step.kind]);
      expect(waitOf(waits)).toBeGreaterThan(0);
    }
  });
  test('has its session closed with the next token, while that is open', () => {
    const end = follow(450);
    const step = stepOf(end, start);
    const waits = refused(end, step, refusedConnection, timing);
    expect(stepOf(waits, start).kind).toBe('CLOSE');
    const over = refused(end, step, refusedConnection, { ...timing, now: validUntil });
    expect(stepOf(over, start).kind).toBe('NOTHING');
  });
  test('fails where the refusal concerns its own session or invoice alone, which is not closed any more then', () => {
    const refusedReference = refusal('PERMANENT', { code: 'KSEF_HTTP_403', concerns: 'REFERENCE' });
    const failedOne = refused(processing, stepOf(processing, start), refusedReference, timing);
    expect(failedOne).toMatchObject({ status: 'FAILED', errorCode: 'KSEF_HTTP_403' });
    expect(stepOf(refused(failedOne, stepOf(failedOne, start), refusedReference, timing), start).kind).toBe('NOTHING');
  });
});

describe('a refused call', () => {
  test('before anything was sent is repeated 2,000 times in a row, then the submission is FAILED', () => {
    let now: Progress = queued(start);
    const next = (part?: Partial<RefusalFacts>): Progress =>
      refused(now, { kind: 'OPEN' }, refusal('TRANSIENT', part), timing);
    for (let failures = 1; failures <= UNSENT_FAILURES_MAX; failures++) now = next({ code: 'KSEF_TIMEOUT' });
    expect(now.completedAt).toBeUndefined();
    expect(next({ code: 'KSEF_TIMEOUT' })).toMatchObject({
      status: 'FAILED',
      errorCode: 'KSEF_TIMEOUT',
      errorMessage: expect.stringContaining('2000 times in a row'),
    });
    // The queue of submissions may be so long that the call limits need more than five days for it.
    expect(next({ code: 'KSEF_LIMIT', retryAfterMs: 60_000 }).completedAt).toBeUndefined();
  });
  test('for its limits is no failure', () => {
    const limited = refused(queued(start), { kind: 'OPEN' }, refusal('TRANSIENT', { httpStatus: 429 }), timing);
    expect(limited.failures).toBe(0);
  });
  test('that will be refused again ends the submission, and its session is closed', () => {
    const end = refused(
      sendBegun,
      stepOf(inSession(queued(start)), start),
      refusal('PERMANENT', { code: 'KSEF_HTTP_403' }),
      timing,
    );
    expect(end).toMatchObject({ status: 'FAILED', errorCode: 'KSEF_HTTP_403', completedAt: start });
    expect(stepOf(end, start).kind).toBe('CLOSE');
  });
  test('of the gateway is repeated after 30 minutes', () => {
    expect(waitOf(refused(queued(start), { kind: 'OPEN' }, refusal('BLOCKED'), timing))).toBe(1_800_000);
  });
  test('that failed for the moment is repeated after a growing wait of at most 5 minutes', () => {
    const waits = [1, 2, 3, 9, 100].map((failures) => backoffMs(failures, 1));
    expect(waits).toEqual([1_000, 2_000, 4_000, 256_000, 300_000]);
    expect(backoffMs(1, 0)).toBe(500);
  });
  test('that our own limits put off is due when they allow it, and not at once', () => {
    const limited = (retryAfterMs: number) => refusal('TRANSIENT', { code: 'KSEF_LIMIT', retryAfterMs });
    expect(putOffUntil(limited(60_000), timing)).toEqual(at(60_000).now);
    expect(putOffUntil(limited(1), timing)).toEqual(at(1_000).now);
  });
  test('waits are multiplied, except what KSeF says', () => {
    const fast = { ...timing, waitFactor: 0.001 };
    expect(waitOf(refused(queued(start), { kind: 'OPEN' }, refusal('BLOCKED'), fast))).toBe(1_800);
    expect(waitOf(refused(queued(start), { kind: 'OPEN' }, refusal('TRANSIENT', { retryAfterMs: 7_000 }), fast))).toBe(
      7_000,
    );
  });
  test('of the confirmation never changes that an invoice is registered, and is given up after 7 days', () => {
    const done = follow(200, { ksefNumber: 'N' });
    const days = (number: number): Timing => at(number * 24 * 3_600_000);
    expect(confirmationLater(done, undefined, days(6.9))).toMatchObject({
      status: 'ACCEPTED',
      ksefNumber: 'N',
      dueAt: expect.any(Date),
    });
    expect(confirmationLater(done, undefined, days(7.1))).toMatchObject({
      status: 'ACCEPTED',
      ksefNumber: 'N',
      dueAt: undefined,
    });
  });
  test('of closing is repeated until the session ends by itself', () => {
    const end = follow(450);
    const step = stepOf(end, start);
    const again = refused(end, step, refusal('TRANSIENT'), timing);
    expect(stepOf(again, start).kind).toBe('CLOSE');
    const over = refused(end, step, refusal('TRANSIENT'), { ...timing, now: validUntil });
    expect(over).toMatchObject({ status: 'REJECTED', dueAt: undefined });
  });
});

describe('what is given up', () => {
  const error = { code: 'CONNECTION_DISABLED', message: 'The KSeF connection was disabled.' };
  test('is what was not sent', () => {
    expect(givenUp(queued(start), error, timing)).toMatchObject({
      status: 'FAILED',
      errorCode: 'CONNECTION_DISABLED',
      dueAt: undefined,
    });
    const open = givenUp(inSession(queued(start)), error, timing);
    expect(open.status).toBe('FAILED');
    expect(stepOf(open, start).kind).toBe('CLOSE');
  });
  test('is never what may have arrived', () => {
    expect(givenUp(sendBegun, error, timing)).toBe(sendBegun);
    expect(givenUp(processing, error, timing)).toBe(processing);
  });
  test('says that nothing was sent where nothing ever was, and warns where it had been', () => {
    const messageOf = (progress: Progress) => givenUp(progress, error, timing).errorMessage;
    expect(messageOf(queued(start))).toMatch(/ The invoice was not sent\.$/);
    expect(messageOf(inSession(queued(start)))).toMatch(/ The invoice was not sent\.$/);
    const refusedRead = refused(processing, stepOf(processing, start), refusal('PERMANENT'), timing);
    expect(refusedRead.status).toBe('FAILED');
    const again = { ...refusedRead, ...takenUpAgain(refusedRead, start) };
    const inNext = follow(550);
    expect(stepOf(inNext, start).kind).toBe('OPEN');
    for (const before of [again, inNext]) {
      expect(messageOf(before)).toMatch(/had been sent before.*Do not issue the invoice in another way/);
      expect(messageOf(before)).not.toMatch(/was not sent/);
    }
  });
});

test('a document of another seller has a warning, and one of the own NIP has none', () => {
  expect(warningsOf({ sellerNip: '5265877635' }, '5265877635')).toEqual([]);
  expect(warningsOf({ sellerNip: '5265877635' }, '1111111111')).toEqual(['OTHER_SELLER']);
});

test('a submission has one id for each connection and invoice', () => {
  const [connection, invoice] = ['3d1f3c0e-70e3-4b57-9d4e-8f2f1c6a5b20', '0e6ac3c8-9f4f-4f5c-8a57-1f6d2c8c1f11'];
  expect(submissionId(connection, invoice)).toBe(submissionId(connection, invoice));
  expect(submissionId(invoice, connection)).not.toBe(submissionId(connection, invoice));
});

test('looks are 1, 1, 2, 3, 5, 8, 13 s apart, then 30 s up to 10 min, 5 min up to 24 h, then an hour', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map((polls) => pollAfterMs(polls, 0) / 1_000)).toEqual([1, 1, 2, 3, 5, 8, 13]);
  expect(pollAfterMs(7, 599_999)).toBe(30_000);
  expect(pollAfterMs(7, 600_000)).toBe(300_000);
  expect(pollAfterMs(7, 86_399_999)).toBe(300_000);
  expect(pollAfterMs(7, 86_400_000)).toBe(3_600_000);
});

test('another look is no change that people see, and each new state is one', () => {
  expect(isShownAlike(processing, follow(150))).toBe(true);
  expect(isShownAlike(processing, { ...processing, failures: 3, dueAt: undefined, listFailures: 1 })).toBe(true);
  const done = follow(200, { ksefNumber: 'N' });
  expect(isShownAlike(processing, done)).toBe(false);
  expect(isShownAlike(done, confirmed(done, 'EU-1'))).toBe(false);
  expect(isShownAlike(queued(start), inSession(queued(start)))).toBe(false);
});

test('a submission is neither accepted without a number nor refused without a reason', () => {
  // @ts-expect-error -- the number is missing
  const unnumbered: Progress = { ...queued(start), status: 'ACCEPTED', completedAt: start };
  // @ts-expect-error -- code and message are missing
  const unexplained: Progress = { ...queued(start), status: 'REJECTED', completedAt: start };
  expect(() => confirmed(queued(start), 'UPO-1')).toThrow('QUEUED has no confirmation');
  expect([unnumbered.ksefNumber, unexplained.errorCode]).toEqual([undefined, undefined]);
});

const refusedWith = (progress: Progress, errorCode: string): Progress => {
  if (progress.status !== 'REJECTED' && progress.status !== 'FAILED') throw new TypeError(progress.status);
  return { ...progress, errorCode };
};

test('each state has a sentence that says what happens next', () => {
  const states = [
    queued(start),
    inSession(queued(start)),
    sendBegun,
    processing,
    follow(200, { ksefNumber: 'N' }),
    follow(450),
    follow(405, {}, { ...processing, restarts: { session: 2, key: 0 } }),
  ];
  const sentences = states.map(nextStep);
  expect(new Set(sentences).size).toBe(sentences.length);
  const failedWith = (errorCode: string): string => nextStep(refusedWith(follow(600), errorCode));
  for (const code of ['CONNECTION_DISABLED', 'CANCELED', 'DECISION_CHANGED', 'DOCUMENT_CHANGED']) {
    expect(failedWith(code)).not.toBe(nextStep(follow(600)));
  }
  for (const code of ['KSEF_HTTP_401', 'KSEF_HTTP_403', 'KSEF_AUTH_450', 'KSEF_TOKEN_TOO_LONG']) {
    // The document may have been sent before access was refused.
    expect(failedWith(code)).toMatch(
      /test the connection.*submit the invoice again.*do not issue the invoice in another way/,
    );
    // Recommending another KSeF token costs work, so the message must name a proof first.
    expect(failedWith(code)).toMatch(
      /If the reason is the token, the certificate or their permissions, .* must save a token or certificate /,
    );
  }
  expect(nextStep(follow(450))).not.toContain('new number');
  expect(nextStep(refusedWith(follow(450), 'KSEF_440'))).toMatch(/errorMessage.* new number/);
});

test('while nobody knows whether KSeF has an invoice, its next step says so, and warns of issuing it in another way', () => {
  expect(sendBegun.status).toBe('SENDING');
  expect(nextStep(sendBegun)).toMatch(
    /it is not known yet whether KSeF received it.*Do not issue the invoice in another way/,
  );
  expect(nextStep(inSession(queued(start)))).toMatch(/^The invoice is being sent/);
});

test('who waits for a token or a certificate is told that an administrator must act', () => {
  for (const waiting of [queued(start), inSession(queued(start))]) {
    expect(nextStep(waiting)).toMatch(/while the connection is CONNECTED; otherwise an administrator must/);
  }
  expect(nextStep(processing)).toMatch(
    /if the connection status changes to ERROR, an administrator must save a new token or certificate/i,
  );
});

test('jobs pause shorter with a small factor, at least 50 ms, and never longer', () => {
  expect([1, 0.2, 0.05, 0, 1_000_000].map((factor) => pauseOfJob(1_000, factor))).toEqual([1_000, 200, 50, 50, 1_000]);
});
