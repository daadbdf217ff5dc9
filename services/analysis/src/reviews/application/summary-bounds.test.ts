import { expect, test } from 'vitest';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { findingReader, SUMMARIES_AT_ONCE_MAX, SUMMARIES_WAITING_MAX } from './read-findings.js';

test('4 summaries are computed at once, 50 wait, the next one is refused, and one that has ended makes room', async () => {
  expect([SUMMARIES_AT_ONCE_MAX, SUMMARIES_WAITING_MAX]).toEqual([4, 50]);
  const reads: (() => void)[] = [];
  const reader = findingReader({
    findings: {
      latestChanges: async () => [],
      toSummarize: async () => {
        await new Promise<void>((resolve) => reads.push(resolve));
        return [];
      },
    },
    counted: { exist: async () => false },
    tenants: { factsOf: async () => ({ baseCurrency: 'EUR' }) },
  } as unknown as Parameters<typeof findingReader>[0]);
  const query = { createdFrom: undefined, createdTo: undefined };
  const summary = (): Promise<unknown> => reader.summary('org', query, [], systemContext('test'));

  const running = Array.from({ length: SUMMARIES_AT_ONCE_MAX + SUMMARIES_WAITING_MAX }, summary);
  await eventually(() => expect(reads).toHaveLength(SUMMARIES_AT_ONCE_MAX));
  await expect(summary()).rejects.toMatchObject({ kind: 'unavailable' });
  reads[0]?.();
  await eventually(() => expect(reads).toHaveLength(SUMMARIES_AT_ONCE_MAX + 1));
  running.push(summary());
  for (let ended = 1; ended < running.length; ended += 1) {
    await eventually(() => expect(reads.length).toBeGreaterThan(ended));
    reads[ended]?.();
  }
  await Promise.all(running);
});
