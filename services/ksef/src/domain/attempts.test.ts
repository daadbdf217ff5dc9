import { expect, test } from 'vitest';
import { ATTEMPT_STEPS_MAX, ATTEMPTS_MAX, isRepeat, noteStep } from './attempts.js';
import type { Attempt, AttemptStep } from './attempts.js';

const at = new Date(0);
const step = (name: AttemptStep['name'], code: number): AttemptStep => ({ name, at, code });

test.each([ATTEMPTS_MAX, ATTEMPTS_MAX + 1])(
  'of %i sessions the newest attempts are kept, as many as the bound',
  (count) => {
    let attempts: readonly Attempt[] = [];
    for (let number = 1; number <= count; number++) attempts = noteStep(attempts, `SO-${number}`, step('open', 201));
    expect(attempts).toHaveLength(ATTEMPTS_MAX);
    expect(attempts.at(-1)?.sessionReferenceNumber).toBe(`SO-${count}`);
  },
);

test.each([ATTEMPT_STEPS_MAX, ATTEMPT_STEPS_MAX + 1])('of %i calls of one session the newest are kept', (count) => {
  let attempts: readonly Attempt[] = [];
  for (let code = 1; code <= count; code++) attempts = noteStep(attempts, 'SO', step('status', code));
  expect(attempts[0]?.steps).toHaveLength(ATTEMPT_STEPS_MAX);
  expect(attempts[0]?.steps.at(-1)?.code).toBe(count);
});

test('failed openings in a row are one attempt, however many: they push out none with a session', () => {
  const opening = (attempts: readonly Attempt[], code: number, ms: number): readonly Attempt[] =>
    noteStep(attempts, undefined, { name: 'open', at: new Date(ms), code });
  let attempts = noteStep([], 'SO-1', step('open', 201));
  for (let ms = 1; ms <= ATTEMPTS_MAX * 2; ms++) attempts = opening(attempts, 503, ms);
  attempts = opening(attempts, 429, 500);
  expect(attempts.map(({ sessionReferenceNumber }) => sessionReferenceNumber)).toEqual(['SO-1', undefined]);
  expect(attempts[1]).toEqual({
    sessionReferenceNumber: undefined,
    startedAt: new Date(1),
    steps: [
      { name: 'open', at: new Date(ATTEMPTS_MAX * 2), code: 503 },
      { name: 'open', at: new Date(500), code: 429 },
    ],
  });
  // After a KSeF session was opened in between, a failed opening belongs to another attempt.
  attempts = noteStep(attempts, 'SO-2', step('open', 201));
  expect(isRepeat(attempts, undefined, step('open', 429))).toBe(false);
  attempts = opening(attempts, 503, 600);
  expect(attempts).toHaveLength(4);
});

test('the same answer to the same question is noted once, each send by itself', () => {
  let attempts: readonly Attempt[] = [];
  const repeats: boolean[] = [];
  for (const one of [step('status', 150), step('status', 150), step('send', 202), step('send', 202)]) {
    repeats.push(isRepeat(attempts, 'SO', one));
    attempts = noteStep(attempts, 'SO', one);
  }
  expect(repeats).toEqual([false, true, false, false]);
  expect(attempts[0]?.steps.map(({ name }) => name)).toEqual(['status', 'send', 'send']);
});
