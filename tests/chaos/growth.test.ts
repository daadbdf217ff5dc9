import { expect, test } from 'vitest';
import { growthOf, sampleOf } from './growth.js';

test('tells memory and descriptors at the begin, at the end and at most, and how often a process was started', () => {
  const samples = [100, 102, 101, 150, 103, 104, 105, 110, 111, 112].map((residentMb, round) => ({
    round,
    process: 'webhooks-1',
    pid: round < 4 ? 1 : 2,
    residentMb,
    descriptors: 40 + round,
  }));
  const other = { round: 0, process: 'scan-1', pid: 3, residentMb: 90, descriptors: 30 };
  expect(growthOf([...samples, other])).toEqual([
    {
      process: 'webhooks-1',
      starts: 2,
      residentMb: { first: 102, last: 112, most: 150 },
      descriptors: { first: 41, last: 49, most: 49 },
    },
    {
      process: 'scan-1',
      starts: 1,
      residentMb: { first: 90, last: 90, most: 90 },
      descriptors: { first: 30, last: 30, most: 30 },
    },
  ]);
});

test('has no figures of a process that does not run', async () => {
  expect(await sampleOf(undefined)).toBeUndefined();
  expect(await sampleOf(2 ** 22 + 1)).toBeUndefined();
});
