import { expect, test } from '@jest/globals';
import { ATTEMPT_STEPS_MAX, ATTEMPTS_MAX, noteStep } from './attempts.js';
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

test('the same answer to the same question is noted once, each send by itself', () => {
  let attempts: readonly Attempt[] = [];
  for (const one of [step('status', 150), step('status', 150), step('send', 202), step('send', 202)]) {
    attempts = noteStep(attempts, 'SO', one);
  }
  expect(attempts[0]?.steps.map(({ name }) => name)).toEqual(['status', 'send', 'send']);
});
