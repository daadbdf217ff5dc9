import { afterEach, expect, test, vi } from 'vitest';
import { createLogger } from './logger.js';
import { boundedRefusals, RECORDS_A_MINUTE_MAX } from './refused-calls.js';
import type { RefusedCall } from './refused-calls.js';

const refusedBy = (caller: string, part: Partial<RefusedCall> = {}): RefusedCall => ({
  organizationId: '0198a000-0000-7000-8000-000000000001',
  caller,
  rpc: 'x/Y',
  reason: 'not_listed',
  requestId: 'r',
  ...part,
});

function recording() {
  const recorded: RefusedCall[] = [];
  const lines: string[] = [];
  const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
  const note = boundedRefusals(async (refused) => {
    recorded.push(refused);
  }, logger);
  return { recorded, note, lines };
}

afterEach(() => {
  vi.useRealTimers();
});

/** Returns the id of an organization, different for each number. */
const organization = (number: number): string => `0198a000-0000-7000-8000-${String(number).padStart(12, '0')}`;

test('a refused call is recorded once a minute for its organization, caller, rpc and reason', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000_000_020_000 });
  const { recorded, note } = recording();
  for (let times = 0; times < 3; times += 1) note(refusedBy('webhooks'));
  note(refusedBy('webhooks', { reason: 'grant_missing' }));
  note(refusedBy('webhooks', { organizationId: organization(2) }));
  expect(recorded.map(({ reason, organizationId }) => `${reason} ${organizationId}`)).toEqual([
    `not_listed ${organization(1)}`,
    `grant_missing ${organization(1)}`,
    `not_listed ${organization(2)}`,
  ]);
});

test(`a process records ${RECORDS_A_MINUTE_MAX} refusals of a caller for one reason in a minute, logs that there were more, and goes on in the next minute`, () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000_000_020_000 });
  const { recorded, note, lines } = recording();
  const noteMany = (): void => {
    for (let count = 0; count <= RECORDS_A_MINUTE_MAX + 1; count += 1)
      note(refusedBy('gateway', { organizationId: organization(count), reason: 'grant_missing' }));
  };
  noteMany();
  expect(recorded).toHaveLength(RECORDS_A_MINUTE_MAX);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ organizationId: organization(RECORDS_A_MINUTE_MAX), reason: 'grant_missing' }),
  ]);
  vi.advanceTimersByTime(70_000);
  noteMany();
  expect(recorded).toHaveLength(2 * RECORDS_A_MINUTE_MAX);
});

test('many refusals for a harmless reason, or of another caller, hide no serious one', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000_000_020_000 });
  const { recorded, note } = recording();
  for (let count = 0; count < 10 * RECORDS_A_MINUTE_MAX; count += 1)
    note(refusedBy('gateway', { organizationId: organization(count), reason: 'grant_missing' }));
  note(refusedBy('gateway', { reason: 'grant_foreign' }));
  note(refusedBy('scan', { reason: 'grant_missing' }));
  expect(recorded.slice(-2).map(({ caller, reason }) => `${caller} ${reason}`)).toEqual([
    'gateway grant_foreign',
    'scan grant_missing',
  ]);
});

test('a record has at most 128 characters of a request id', () => {
  const { recorded, note } = recording();
  note(refusedBy('webhooks', { requestId: 'r'.repeat(129) }));
  expect(recorded.map(({ requestId }) => requestId.length)).toEqual([128]);
});
