import { describe, expect, test } from 'vitest';
import { BUYER, enabled, newInbox, REFUSALS_KEPT_MAX, REFUSED_MAX, UNCOUNTED_MAX } from './inbox.js';
import type { Inbox, InboxRole, RoleInbox } from './inbox.js';
import {
  begun,
  BUYER_EACH_MS,
  ended,
  EXPORT_MS_MAX,
  exporting,
  exportStarted,
  FAILURES_MAX,
  followed,
  interrupted,
  isUncounted,
  nextNight,
  nextStep,
  receiving,
  PAUSE_MS,
  repaired,
  repairPostponed,
  requested,
  restarted,
  RESTARTS_MAX,
  runOf,
  stepFailed,
  stoppedRuns,
  WINDOW_MS_MAX,
  windowReceived,
} from './inbox-steps.js';
import type { ExportedWindow, InboxChange, InboxTiming } from './inbox-steps.js';
import { waitingRefusals } from './kept-refusals.js';
import type { Reception } from './kept-refusals.js';

const NOW = new Date('2026-11-20T10:00:00Z');
const MARK = '2026-11-20T09:00:00.1234567+00:00';
const HIGH_WATER = '2026-11-20T09:55:00.7654321+00:00';
const key = { sealed: 'sealed', keyId: 'k1' };
const nothing: Reception = { received: 0, repeated: 0, refused: [], stored: new Set() };
const at = (ms: number, waitFactor = 1): InboxTiming => ({ now: new Date(NOW.getTime() + ms), waitFactor, random: 1 });
const timing = at(0);

const connection = {
  id: '4f9d0d64-0000-5000-8000-000000000000',
  organizationId: 'org',
  companyId: 'company',
  environment: 'TEST',
  contextNip: '5265877635',
} as const;
const settings = { from: '2026-02-01', contextNip: connection.contextNip };
const fresh = enabled(newInbox(connection, settings.from, NOW), settings, NOW);

const roleOf = ({ roles }: Inbox, name: InboxRole = BUYER): RoleInbox => {
  const role = roles.find((one) => one.role === name);
  if (role === undefined) throw new Error('no role');
  return role;
};
const withRole = (inbox: Inbox, change: Partial<RoleInbox>, name: InboxRole = BUYER): Inbox => ({
  ...inbox,
  roles: inbox.roles.map((role) => (role.role === name ? { ...role, ...change } : role)),
});
/** A KSeF inbox during the day, after earlier runs. */
const byDay = withRole(fresh, { mark: MARK, nightAt: new Date('2026-11-21T02:00:00Z') });

const begin = (inbox: Inbox, name: InboxRole = BUYER): Inbox => begun(inbox, roleOf(inbox, name), 'run', timing);
const exported = (inbox: Inbox): Inbox => {
  const asked = exporting(inbox, roleOf(inbox), key, timing);
  return exportStarted(asked, roleOf(asked), 'reference', timing);
};
const running = exported(begin(byDay));
const receive = (inbox: Inbox, window: Partial<ExportedWindow>, counts = nothing): InboxChange =>
  windowReceived(inbox, roleOf(inbox), { isTruncated: false, ...window }, counts, timing);
const status = (inbox: Inbox, code: number, when = timing) =>
  followed(inbox, roleOf(inbox), { code, said: 'Opis' }, when);
const changeOf = (change: InboxChange | 'RECEIVE'): InboxChange => {
  if (change === 'RECEIVE') throw new Error('a package');
  return change;
};

describe('a run begins', () => {
  test('where the last one ended, in the text of KSeF', () => {
    expect(roleOf(begin(byDay)).run).toMatchObject({ from: MARK, cursor: MARK, trigger: 'SCHEDULE' });
  });

  test('at midnight in Poland of the first day, when it is the first', () => {
    expect(roleOf(begin(fresh)).run?.from).toBe('2026-01-31T23:00:00.000Z');
  });

  test('48 hours back once a night, and never before the first day', () => {
    const byNight = withRole(byDay, { nightAt: NOW });
    const inbox = begin(byNight);
    expect(roleOf(inbox).run?.from).toBe('2026-11-18T10:00:00.000Z');
    expect(roleOf(inbox).nightAt > NOW).toBe(true);
    const young = { ...byNight, from: '2026-11-20' };
    expect(roleOf(begin(young)).run?.from).toBe('2026-11-19T23:00:00.000Z');
  });

  test('as MANUAL where a person asked for it, and only of roles that do nothing now', () => {
    const asked = requested({ ...withRole(running, { dueAt: at(60_000).now }), requestedAt: NOW }, NOW);
    expect(roleOf(asked)).toEqual(roleOf(withRole(running, { dueAt: at(60_000).now })));
    expect(asked.requestedAt).toBeUndefined();
    expect(roleOf(begin(asked, 'SUBJECT3'), 'SUBJECT3').run?.trigger).toBe('MANUAL');
  });
});

describe('an export', () => {
  test('is asked for after its key is stored', () => {
    const inbox = begin(byDay);
    const step = nextStep({ ...inbox, roles: [roleOf(inbox)] });
    expect(step.kind).toBe('EXPORT');
    const asked = exporting(inbox, step.role, key, timing);
    expect(roleOf(asked).run?.export).toEqual({ key, startedAt: NOW, polls: 0 });
    expect(nextStep({ ...asked, roles: [roleOf(asked)] }).kind).toBe('EXPORT');
    expect(nextStep({ ...running, roles: [roleOf(running)] }).kind).toBe('FOLLOW');
  });

  test('has an end only where the window would be longer than KSeF takes', () => {
    const from = (ms: number): string => new Date(NOW.getTime() - ms).toISOString();
    const endOf = (mark: string) => roleOf(exported(begin(withRole(byDay, { mark })))).run?.export?.to;
    expect(endOf(from(WINDOW_MS_MAX))).toBeUndefined();
    expect(endOf(from(WINDOW_MS_MAX + 1))).toBe(from(1));
  });

  test('is polled while it is in progress, and given up after two hours, for another one of the same window', () => {
    const polled = changeOf(status(running, 100, at(EXPORT_MS_MAX - 1)));
    expect(roleOf(polled.inbox).run?.export).toMatchObject({ referenceNumber: 'reference', polls: 1 });
    const over = changeOf(status(running, 100, at(EXPORT_MS_MAX)));
    expect(roleOf(over.inbox).run).toMatchObject({ cursor: MARK, restarts: 1, export: undefined });
    const fast = changeOf(status(running, 100, at(EXPORT_MS_MAX / 100, 0.01)));
    expect(roleOf(fast.inbox).run?.export).toBeUndefined();
  });

  test.each([210, 415, 500, 550, 599])('with the status %i is followed by another one of the same window', (code) => {
    const { inbox, ended: runs } = changeOf(status(running, code));
    expect([roleOf(inbox).run?.cursor, roleOf(inbox).run?.restarts, runs]).toEqual([MARK, 1, undefined]);
  });

  test('is started again a bounded number of times in one run', () => {
    let inbox = running;
    for (let restarts = 1; restarts <= RESTARTS_MAX; restarts++) {
      inbox = exported(changeOf(status(inbox, 550)).inbox);
      expect(roleOf(inbox).run?.restarts).toBe(restarts);
    }
    const over = restarted(inbox, roleOf(inbox), 'No package.', timing);
    expect(over.ended).toMatchObject([{ status: 'FAILED', errorMessage: 'No package.' }]);
    expect(roleOf(over.inbox)).toMatchObject({ mark: MARK, error: 'No package.', run: undefined });
  });

  test('whose window lies behind the high water mark (420) brings nothing new, and no fault', () => {
    const { inbox, ended: runs, hasNews } = changeOf(status(running, 420));
    expect(runs).toMatchObject([{ status: 'SUCCEEDED', from: MARK, through: MARK, received: 0 }]);
    expect([roleOf(inbox).mark, hasNews]).toEqual([MARK, false]);
  });
});

describe('a window that was received whole', () => {
  test('moves the mark to the high water mark, and ends the run', () => {
    const counts = { received: 2, repeated: 1 };
    const { inbox, ended: runs, hasNews } = receive(running, { highWaterMark: HIGH_WATER }, { ...nothing, ...counts });
    expect(roleOf(inbox).mark).toBe(HIGH_WATER);
    expect(runs).toMatchObject([{ status: 'SUCCEEDED', from: MARK, through: HIGH_WATER, ...counts, refused: [] }]);
    expect([inbox.invoicesReceived, hasNews]).toEqual([2, true]);
  });

  test('leads to the next one at once where the package was truncated', () => {
    const lastStoredAt = '2026-11-20T09:30:00.1234567+00:00';
    const { inbox, ended: runs } = receive(running, { isTruncated: true, lastStoredAt, highWaterMark: HIGH_WATER });
    expect(runs).toBeUndefined();
    expect(roleOf(inbox)).toMatchObject({ mark: lastStoredAt, dueAt: NOW, run: { cursor: lastStoredAt } });
    const last = receive(exported(inbox), { highWaterMark: HIGH_WATER });
    expect(last.ended).toMatchObject([{ from: MARK, through: HIGH_WATER }]);
  });

  test('that was truncated at its own beginning ends the run with the date, unless it brought something new', () => {
    const stuck = { isTruncated: true, lastStoredAt: MARK, highWaterMark: HIGH_WATER };
    const over = receive(running, stuck);
    expect(over.ended).toMatchObject([{ status: 'FAILED', errorMessage: expect.stringContaining(MARK) }]);
    const news = receive(running, stuck, { ...nothing, received: 1 });
    expect([news.ended, roleOf(news.inbox).run?.cursor]).toEqual([undefined, MARK]);
    expect(receive(exported(news.inbox), stuck).ended).toMatchObject([{ status: 'PARTIAL', received: 1 }]);
  });

  test('that repeated the last 48 hours never moves the mark back', () => {
    const night = exported(begin(withRole(byDay, { nightAt: NOW })));
    const { inbox, hasNews } = receive(night, { highWaterMark: '2026-11-19T00:00:00Z' });
    expect([roleOf(inbox).mark, hasNews]).toEqual([MARK, false]);
  });

  test('and that had an end of its own leads to the next one', () => {
    const old = exported(begin(withRole(byDay, { mark: '2026-03-01T00:00:00Z' })));
    const to = roleOf(old).run?.export?.to;
    const { inbox, ended: runs } = receive(old, { highWaterMark: to });
    expect([runs, roleOf(inbox).run?.cursor]).toEqual([undefined, to]);
    expect(receive(old, {}).ended).toBeUndefined();
    expect(receive(old, { highWaterMark: '2026-03-01T00:00:00Z' }).ended).toHaveLength(1);
  });

  test('never moves the mark behind its own end, nor into the future, whatever mark KSeF states', () => {
    const old = exported(begin(withRole(byDay, { mark: '2026-03-01T00:00:00Z' })));
    const to = roleOf(old).run?.export?.to;
    expect(roleOf(receive(old, { highWaterMark: HIGH_WATER }).inbox).mark).toBe(to);
    const future = at(60_000).now.toISOString();
    expect(receive(running, { highWaterMark: future }).ended).toMatchObject([{ through: NOW.toISOString() }]);
  });

  test('keeps as many refused invoices as a run names', () => {
    const refused = (length: number) =>
      Array.from({ length }, (_, index) => ({ ksefNumber: String(index), reason: 'r' }));
    const keep = (length: number) => receive(running, {}, { ...nothing, refused: refused(length) }).ended?.[0]?.refused;
    expect([keep(REFUSED_MAX)?.length, keep(REFUSED_MAX + 1)?.length]).toEqual([REFUSED_MAX, REFUSED_MAX]);
  });
});

describe('refused invoices', () => {
  const refused = (length: number) =>
    Array.from({ length }, (_, index) => ({ ksefNumber: `${index}`, reason: 'No file.' }));
  const refuse = (inbox: Inbox, length: number): InboxChange =>
    receive(inbox, { highWaterMark: HIGH_WATER }, { ...nothing, refused: refused(length) });
  const NUMBER = '5265877635-20250626-010080DD2B5E-26';
  const kept = {
    ksefNumber: NUMBER,
    reason: 'No file.',
    role: BUYER,
    firstAttemptAt: NOW,
    lastAttemptAt: NOW,
  };
  const withKept: Inbox = { ...byDay, refused: [kept] };
  const byNight = withRole(withKept, { nightAt: NOW });

  test('make a run PARTIAL with a message, move the mark, and delay no run', () => {
    const { inbox, ended: runs } = refuse(running, 1);
    expect(runs).toMatchObject([
      {
        status: 'PARTIAL',
        through: HIGH_WATER,
        refused: refused(1),
        errorMessage: expect.stringMatching(/^1 invoice/),
      },
    ]);
    expect(roleOf(inbox)).toMatchObject({ mark: HIGH_WATER, isPaused: false, dueAt: at(BUYER_EACH_MS).now });
    expect(inbox.refused).toMatchObject([{ ksefNumber: '0', role: BUYER }]);
    const next = receive(exported(begin(inbox)), { highWaterMark: HIGH_WATER });
    expect([next.ended?.[0]?.status, roleOf(next.inbox).error, next.inbox.refused.length]).toEqual([
      'SUCCEEDED',
      undefined,
      1,
    ]);
    const third = begin(byDay, 'SUBJECT3');
    const late = { ...third, refused: [{ ...kept, ksefNumber: '0' }] };
    const role = roleOf(late, 'SUBJECT3');
    const over = ended(late, { ...role, run: { ...runOf(role), refused: refused(1) } }, undefined, timing);
    expect([over.ended?.[0]?.status, roleOf(over.inbox, 'SUBJECT3').dueAt]).toEqual([
      'PARTIAL',
      nextNight(third, timing),
    ]);
  });

  test('beyond the limit of an inbox hold the mark, and the inbox waits for a person', () => {
    const most = refuse(running, REFUSALS_KEPT_MAX);
    expect(roleOf(most.inbox)).toMatchObject({ mark: HIGH_WATER, isPaused: false });
    const over = refuse(running, REFUSALS_KEPT_MAX + 1);
    expect(over.ended).toMatchObject([
      { status: 'PARTIAL', errorMessage: expect.stringContaining('no invoice is lost') },
    ]);
    expect(roleOf(over.inbox)).toMatchObject({ mark: MARK, isPaused: true, dueAt: at(PAUSE_MS).now });
    expect(over.inbox.refused).toHaveLength(REFUSALS_KEPT_MAX);
  });

  test('that were dismissed long ago are kept until the mark passes their window', () => {
    const dismissed = Array.from({ length: REFUSALS_KEPT_MAX }, (_, index) => ({
      ...kept,
      ksefNumber: `${index}`,
      closedAt: new Date('2026-11-01T00:00:00Z'),
    }));
    const late = { ...running, refused: dismissed };
    const held = refuse(late, 2 * REFUSALS_KEPT_MAX + 1);
    expect(roleOf(held.inbox).mark).toBe(MARK);
    expect(held.inbox.refused).toHaveLength(2 * REFUSALS_KEPT_MAX);
    // KSeF has not moved its high water mark, so the next inbox run may deliver the invoices of the time window again.
    expect(receive(late, { highWaterMark: MARK }).inbox.refused).toEqual(dismissed);
    const passed = refuse(late, 2 * REFUSALS_KEPT_MAX);
    expect(roleOf(passed.inbox).mark).toBe(HIGH_WATER);
    expect(passed.inbox.refused.map(({ closedAt }) => closedAt)).toEqual(
      Array.from({ length: REFUSALS_KEPT_MAX }, () => undefined),
    );
  });

  test('are requested again at night and when a person requests runs, before the export', () => {
    expect(runOf(roleOf(begin(withKept))).again).toBeUndefined();
    expect(runOf(roleOf(begin(requested(withKept, NOW)))).again).toEqual([NUMBER]);
    const night = begin(byNight);
    expect(runOf(roleOf(night)).again).toEqual([NUMBER]);
    expect(nextStep({ ...night, roles: [roleOf(night)] }).kind).toBe('REPAIR');
    expect(roleOf(repairPostponed(night, roleOf(night), 5_000, timing).inbox)).toMatchObject({
      dueAt: at(5_000).now,
      run: { again: [NUMBER] },
    });
  });

  test('that are stored then are no longer kept, and count as received', () => {
    const night = begin(byNight);
    const stored = { ...nothing, received: 1, stored: new Set([NUMBER]) };
    const { inbox } = repaired(night, roleOf(night), stored, false, timing);
    expect([waitingRefusals(inbox), inbox.invoicesReceived, runOf(roleOf(inbox)).received]).toEqual([[], 1, 1]);
    expect(nextStep({ ...inbox, roles: [roleOf(inbox)] }).kind).toBe('EXPORT');
    expect(receive(exported(inbox), { highWaterMark: HIGH_WATER }).ended).toMatchObject([{ status: 'SUCCEEDED' }]);
  });

  test('that are not stored then stay, with the time of the attempt, and the run is PARTIAL', () => {
    const night = begin(byNight);
    const again = { ...nothing, refused: [{ ksefNumber: NUMBER, reason: 'Still no file.' }] };
    const { inbox } = repaired(night, roleOf(night), again, true, at(1_000));
    expect(inbox.refused).toEqual([{ ...kept, reason: 'Still no file.', lastAttemptAt: at(1_000).now }]);
    const over = receive(exported(inbox), { highWaterMark: HIGH_WATER });
    expect(over.ended).toMatchObject([{ status: 'PARTIAL', errorMessage: expect.stringContaining(NUMBER) }]);
  });
});

describe('a package that was interrupted', () => {
  const stored = (ms: number): Date => at(ms).now;
  const broken = { ...nothing, received: 2, repeated: 1, lastStoredAt: stored(5) };
  const { inbox } = interrupted(running, roleOf(running), broken, timing);

  test('counts what it passed on, and the repeated window does not count it again', () => {
    expect([inbox.invoicesReceived, runOf(roleOf(inbox))]).toMatchObject([2, { received: 2, repeated: 0 }]);
    const again = { ...nothing, received: 1, repeated: 3, lastStoredAt: stored(9) };
    const over = receive(inbox, { highWaterMark: HIGH_WATER }, again);
    expect(over.ended).toMatchObject([{ status: 'SUCCEEDED', received: 3, repeated: 1 }]);
    expect(over.inbox.invoicesReceived).toBe(3);
  });

  test('makes its run PARTIAL if the run ends then', () => {
    expect(ended(inbox, roleOf(inbox), { message: 'x' }, timing).ended).toMatchObject([
      { status: 'PARTIAL', received: 2 },
    ]);
  });

  test('leaves later documents uncounted, in every role', () => {
    expect(inbox.roles.map(({ since }) => since)).toEqual([stored(6), stored(6), stored(6)]);
    const older = { ...nothing, repeated: 1, lastStoredAt: stored(1) };
    expect(roleOf(receive(inbox, {}, older).inbox).since).toEqual(stored(6));
  });
});

describe('a package whose process was killed before its documents were counted', () => {
  const stored = (ms: number): Date => at(ms).now;
  const THIRD = 'SUBJECT3';
  const killed = receiving(running, roleOf(running), at(10)).inbox;
  /** The KSeF inbox when another role passes a package on, after the process of the buyer was killed. */
  const other = (() => {
    const first = begun(killed, roleOf(killed, THIRD), 'other', at(20));
    const asked = exporting(first, roleOf(first, THIRD), key, at(20));
    const polled = exportStarted(asked, roleOf(asked, THIRD), 'reference', at(20));
    return receiving(polled, roleOf(polled, THIRD), at(100)).inbox;
  })();
  const uncountedOf = (inbox: Inbox, name: InboxRole, times: readonly number[]): readonly number[] =>
    times.filter((ms) => isUncounted(inbox, roleOf(inbox, name), stored(ms)));

  test('leaves its documents to its role, and other roles count only their own', () => {
    expect(uncountedOf(other, BUYER, [50, 99])).toEqual([50, 99]);
    expect(uncountedOf(other, THIRD, [50, 99, 150])).toEqual([150]);
  });

  test('has its documents counted by the role that repeats it, after other roles have counted later ones', () => {
    const third = { ...nothing, received: 1, repeated: 1, lastStoredAt: stored(150) };
    const counted = windowReceived(other, roleOf(other, THIRD), { isTruncated: false }, third, at(200)).inbox;
    expect(uncountedOf(counted, BUYER, [50, 60, 150, 151])).toEqual([50, 60, 151]);
    const again = receiving(counted, roleOf(counted), at(300)).inbox;
    const first = { ...nothing, received: 1, lastStoredAt: stored(50) };
    const broken = interrupted(again, roleOf(again), first, at(310)).inbox;
    // The last document may have been stored without its analysis.
    expect(uncountedOf(broken, BUYER, [50, 60, 150, 305])).toEqual([60, 305]);
    const last = receiving(broken, roleOf(broken), at(400)).inbox;
    const whole = receive(last, { highWaterMark: HIGH_WATER }, { ...nothing, received: 2, lastStoredAt: stored(410) });
    expect(uncountedOf(whole.inbox, BUYER, [50, 60, 150, 410])).toEqual([]);
    expect(roleOf(whole.inbox).uncounted).toBeUndefined();
  });

  test.each([UNCOUNTED_MAX, UNCOUNTED_MAX + 1])('is one of the last ten of its role (%i)', (length) => {
    let inbox = running;
    for (let times = 0; times < length; times++) {
      inbox = receiving(inbox, roleOf(inbox), at(10 * times)).inbox;
      const once = inbox;
      // A package of the same role that follows an interrupted package belongs to the period of that package.
      expect(receiving(inbox, roleOf(inbox), at(10 * times + 1)).inbox).toEqual(once);
      inbox = receiving(inbox, roleOf(inbox, THIRD), at(10 * times + 5)).inbox;
    }
    expect(roleOf(inbox).uncounted).toHaveLength(UNCOUNTED_MAX);
  });
});

describe('a step that fails', () => {
  const fail = (inbox: Inbox, part: { isAboutLimits?: boolean; retryAfterMs?: number } = {}) =>
    stepFailed(inbox, roleOf(inbox), { message: 'KSeF is unavailable.', isAboutLimits: false, ...part }, timing);

  test('is repeated after a growing pause, and too many in a row end the run', () => {
    let inbox = running;
    for (let failures = 1; failures <= FAILURES_MAX; failures++) {
      ({ inbox } = fail(inbox));
      expect(roleOf(inbox).run?.failures).toBe(failures);
    }
    const over = fail(inbox);
    expect(over.ended).toMatchObject([{ status: 'FAILED', errorMessage: 'KSeF is unavailable.' }]);
    expect(over.inbox.lastRunAt).toEqual(NOW);
  });

  test('because of the limits of KSeF waits as long as KSeF asks, and counts as no failure', () => {
    const { inbox } = fail(running, { isAboutLimits: true, retryAfterMs: 7_000 });
    expect([roleOf(inbox).run?.failures, roleOf(inbox).dueAt]).toEqual([0, at(7_000).now]);
  });
});

describe('after a run', () => {
  const endOf = (
    inbox: Inbox,
    fault?: { message: string; isPaused?: boolean },
    when = timing,
    name: InboxRole = BUYER,
  ) => roleOf(ended(inbox, roleOf(inbox, name), fault, when).inbox, name);

  test('the buyer runs again 15 minutes after it began, other roles by night', () => {
    expect(endOf(running).dueAt).toEqual(at(BUYER_EACH_MS).now);
    expect(endOf(running, undefined, at(BUYER_EACH_MS + 1)).dueAt).toEqual(at(BUYER_EACH_MS + 1).now);
    const third = begin(byDay, 'SUBJECT3');
    expect(endOf(third, undefined, timing, 'SUBJECT3').dueAt).toEqual(nextNight(third, timing));
    expect(endOf(third, { message: 'x' }, timing, 'SUBJECT3').dueAt).toEqual(at(3_600_000).now);
  });

  test('a paused one waits longer, and says so until a run succeeds', () => {
    const paused = endOf(running, { message: 'The plan allows no more.', isPaused: true });
    expect(paused).toMatchObject({ isPaused: true, error: 'The plan allows no more.', dueAt: at(PAUSE_MS).now });
    expect(endOf(exported(begin(withRole(byDay, { ...paused, dueAt: NOW }))))).toMatchObject({ isPaused: false });
  });

  test('that gave up as many exports as it may start, the buyer waits for an hour, and leaves the calls to others', () => {
    const spent = withRole(running, { run: { ...runOf(roleOf(running)), restarts: RESTARTS_MAX } });
    expect(roleOf(restarted(spent, roleOf(spent), 'No package.', timing).inbox).dueAt).toEqual(at(3_600_000).now);
  });

  test('waits follow the wait factor', () => {
    expect(endOf(running, undefined, at(0, 0.01)).dueAt).toEqual(at(BUYER_EACH_MS * 0.01).now);
    expect(nextNight(running, at(0, 0.001)).getTime() - NOW.getTime()).toBeLessThanOrEqual(86_400);
  });

  test('a fault before anything was received is FAILED, behind something PARTIAL', () => {
    const statusOf = (inbox: Inbox, counts = false) =>
      ended(inbox, roleOf(inbox), { message: 'x', ...(counts ? { reception: nothing } : {}) }, timing).ended?.[0]
        ?.status;
    expect([statusOf(running), statusOf(running, true)]).toEqual(['FAILED', 'PARTIAL']);
    const { inbox } = receive(running, { isTruncated: true, lastStoredAt: HIGH_WATER });
    expect(statusOf(inbox)).toBe('PARTIAL');
    expect(stoppedRuns(inbox, 'x', NOW)).toMatchObject([{ status: 'PARTIAL', errorMessage: 'x', finishedAt: NOW }]);
  });
});

test('nights are a day apart, between 01:00 and 04:00 UTC, and differ between inboxes', () => {
  const first = nextNight(fresh, timing);
  expect(first > NOW).toBe(true);
  expect(nextNight(fresh, { now: first, waitFactor: 1 }).getTime() - first.getTime()).toBe(86_400_000);
  for (const id of [fresh.id, '00000000-0', 'ffffffff-0', 'not a number']) {
    const night = nextNight({ id }, timing);
    expect([id, night.getUTCHours() >= 1 && night.getUTCHours() < 4]).toEqual([id, true]);
  }
  expect(nextNight({ id: 'ffffffff-0' }, timing)).not.toEqual(nextNight({ id: '00000000-0' }, timing));
});
