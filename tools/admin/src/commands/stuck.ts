import { askEach } from '../ask-each.js';
import { UsageError } from '../command.js';
import type { Command } from '../command.js';
import { age, counted, ofAnswering } from '../text-output.js';

const UNIT_SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const SECONDS_MAX = 30 * UNIT_SECONDS.d;

export const stuck: Command = {
  name: 'stuck',
  summary:
    'list work that does not progress: events, consumers, dead letters, jobs, scans, analyses, counters, mails, ERP runs, submissions to KSeF, subscriptions without an organization',
  service: 'every',
  options: {
    'older-than': { value: 'AGE', description: 'minimum time without progress: 30s, 10m, 2h or 7d (default 10m)' },
  },
  examples: ['', '--older-than 1h', '--service scan --older-than 2m --json'],
  async run(operator, given) {
    const olderThanSeconds = readAge(given['older-than'] ?? '10m');
    const { answers, failures } = await askEach(operator, (rpc) =>
      rpc.listStuckWork({ olderThanSeconds }, operator.call),
    );
    const items = answers
      .flatMap(({ service, answer }) =>
        answer.items.map(({ sinceTime, ...item }) => ({ service, ...item, since: sinceTime?.toISOString() ?? '' })),
      )
      .toSorted((left, right) => (left.since < right.since ? -1 : 1));
    const hasMore = answers.some(({ answer }) => answer.hasMore);
    const now = new Date();
    return {
      json: { items, hasMore },
      failures,
      sentence:
        items.length === 0
          ? `Nothing is stuck${ofAnswering(failures)}.`
          : `${counted(items.length, 'piece')} of work did not progress for too long.`,
      table: {
        columns: ['SERVICE', 'KIND', 'SINCE', 'WHAT', 'WHY', 'DO'],
        rows: items.map(({ service, kind, since, what, why, resolution }) => [
          service,
          kind,
          age(new Date(since), now),
          what,
          why,
          resolution,
        ]),
      },
      ...(hasMore ? { note: 'There is more stuck work; only the oldest is shown.' } : {}),
    };
  },
};

function readAge(text: string): number {
  const [, digits = '', unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const seconds = unit === undefined ? 0 : Number(digits) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS];
  if (seconds < 1 || seconds > SECONDS_MAX) {
    throw new UsageError('--older-than must be an age from 1s to 30d, such as 30s, 10m, 2h or 7d.');
  }
  return seconds;
}
