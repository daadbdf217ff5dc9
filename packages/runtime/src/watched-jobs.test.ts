import { expect, test } from 'vitest';
import { watchJobs } from './watched-jobs.js';

let now = new Date('2026-03-15T12:00:00Z');
const clock = { now: () => now };
const pass = (seconds: number): void => void (now = new Date(now.getTime() + seconds * 1_000));
const before = () => new Date(now.getTime() - 600_000);

test('a job is stuck when it has not succeeded for so long, with the error of its last run', async () => {
  let fault: Error | undefined;
  const run = async (): Promise<void> => {
    if (fault !== undefined) throw fault;
  };
  const { jobs, findStuck } = watchJobs([{ name: 'sweep', pauseMs: 1_000, run }], 'scan', clock);
  const signal = new AbortController().signal;
  const started = now;
  pass(599);
  expect(await findStuck(before(), now)).toEqual([]);
  pass(1);
  expect(await findStuck(before(), now)).toMatchObject([{ kind: 'job', since: started, why: 'a run does not end' }]);
  fault = new Error('no such table');
  await expect(jobs[0]?.run(signal)).rejects.toThrow(fault);
  expect(await findStuck(before(), now)).toMatchObject([{ what: 'job "sweep" of scan', why: 'no such table' }]);
  fault = undefined;
  await jobs[0]?.run(signal);
  expect(await findStuck(before(), now)).toEqual([]);
});

test('a job that pauses for long is stuck after three pauses, not before', async () => {
  const { findStuck } = watchJobs([{ name: 'rare', pauseMs: 3_600_000, run: async () => {} }], 'scan', clock);
  pass(3 * 3_600 - 1);
  expect(await findStuck(before(), now)).toEqual([]);
  pass(1);
  expect(await findStuck(before(), now)).toHaveLength(1);
});
