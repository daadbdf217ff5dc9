import { afterEach, expect, test, vi } from 'vitest';
import { createLogger } from './logger.js';
import { boundedRefusals, RECORDS_A_MINUTE_MAX } from './refused-calls.js';
import type { RefusedCall } from './refused-calls.js';

const logger = createLogger({ service: 'test', level: 'silent' });
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
  const note = boundedRefusals(async (refused) => {
    recorded.push(refused);
  }, logger);
  return { recorded, note };
}

afterEach(() => {
  vi.useRealTimers();
});

test('a refused call is recorded once a minute for its caller, rpc and reason', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000_000_020_000 });
  const { recorded, note } = recording();
  for (let times = 0; times < 3; times += 1) note(refusedBy('webhooks'));
  note(refusedBy('webhooks', { reason: 'grant_missing' }));
  expect(recorded.map(({ reason }) => reason)).toEqual(['not_listed', 'grant_missing']);
});

test(`a process records ${RECORDS_A_MINUTE_MAX} refused calls in a minute and no more, and goes on in the next minute`, () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000_000_020_000 });
  const { recorded, note } = recording();
  for (let count = 0; count <= RECORDS_A_MINUTE_MAX; count += 1) note(refusedBy(`caller-${count}`));
  expect(recorded).toHaveLength(RECORDS_A_MINUTE_MAX);
  vi.setSystemTime(1_000_000_090_000);
  note(refusedBy('another'));
  expect(recorded).toHaveLength(RECORDS_A_MINUTE_MAX + 1);
});

test('a record has at most 128 characters of a request id', () => {
  const { recorded, note } = recording();
  note(refusedBy('webhooks', { requestId: 'r'.repeat(129) }));
  expect(recorded.map(({ requestId }) => requestId.length)).toEqual([128]);
});
