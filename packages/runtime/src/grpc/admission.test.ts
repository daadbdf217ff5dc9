import { describe, expect, test } from 'vitest';
import { AuditServiceDefinition } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { createLogger } from '../logger.js';
import { admission, CALLS_MAX, ORGANIZATION_CALLS_MAX, REQUEST_BYTES_MAX, STREAMS_MAX } from './admission.js';
import { LARGE_MESSAGE_BYTES_MAX } from './message-size.js';
import { toGrpc } from './service-definition.js';

const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'warn', destination: { write: (line) => lines.push(line) } });
const refusal = { kind: 'unavailable', retryAfterSeconds: 2 };

/** Begins work that ends when the returned function is called. */
function begin(
  gate: ReturnType<typeof admission>,
  call: { isStream: boolean; request?: unknown },
): () => Promise<void> {
  let end = (): void => {};
  const done = gate.during(call, () => new Promise<void>((resolve) => (end = resolve)));
  return () => {
    end();
    return done;
  };
}

describe.each([
  { what: 'calls', isStream: false, max: CALLS_MAX },
  { what: 'streams', isStream: true, max: STREAMS_MAX },
])('a process that works on many $what', ({ isStream, max }) => {
  test(`admits ${max}, refuses the next one, and admits another as soon as one has ended`, async () => {
    const gate = admission('test', logger);
    const running = Array.from({ length: max }, () => begin(gate, { isStream }));
    let hasBegun = false;
    const next = async (): Promise<void> => void (hasBegun = true);
    await expect(gate.during({ isStream }, next)).rejects.toMatchObject(refusal);
    expect(hasBegun).toBe(false);
    await gate.during({ isStream: !isStream }, next);
    expect(hasBegun).toBe(true);

    await running.pop()?.();
    await gate.during({ isStream }, next);
    await Promise.all(running.map((end) => end()));
  });
});

test('an organization has 250 calls and streams in progress; its next one is refused, and those of others are not', async () => {
  expect([ORGANIZATION_CALLS_MAX, CALLS_MAX]).toEqual([250, 500]);
  const gate = admission('test', logger);
  const of = (organizationId: string, index = 0) => ({ isStream: index % 2 === 1, request: { organizationId } });
  const running = Array.from({ length: ORGANIZATION_CALLS_MAX }, (_, index) => begin(gate, of('o1', index)));
  await expect(gate.during(of('o1'), async () => 'begun')).rejects.toMatchObject(refusal);
  expect(await gate.during(of('o2'), async () => 'begun')).toBe('begun');
  expect(await gate.during({ isStream: false }, async () => 'begun')).toBe('begun');
  await running.pop()?.();
  expect(await gate.during(of('o1'), async () => 'begun')).toBe('begun');
  await Promise.all(running.map((end) => end()));
});

test('work that fails gives its place back', async () => {
  const gate = admission('test', logger);
  for (let attempts = 0; attempts <= CALLS_MAX; attempts++) {
    await expect(gate.during({ isStream: false }, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  }
});

describe('the bytes of requests in progress', () => {
  const request = (gate: ReturnType<typeof admission>, bytes: number): object => {
    const [method] = Object.values(gate.watchRequests(toGrpc(AuditServiceDefinition)));
    if (method === undefined) throw new Error('the service has no method');
    const encoded = method.requestSerialize({ organizationId: 'o1', pageSize: 1, pageToken: 'x'.repeat(bytes) });
    // The fields around the text are left out of its length, so that the request has exactly the given size.
    const around = encoded.length - bytes;
    const exact = method.requestSerialize({ organizationId: 'o1', pageSize: 1, pageToken: 'x'.repeat(bytes - around) });
    expect(exact.length).toBe(bytes);
    return method.requestDeserialize(exact) as object;
  };

  test('are admitted up to the maximum, one byte more is refused, and they count until the work ends', async () => {
    const gate = admission('test', logger);
    const half = request(gate, REQUEST_BYTES_MAX / 2);
    const ends = [half, half].map((one) => begin(gate, { isStream: false, request: one }));
    const smallest = request(gate, 100);
    const next = { isStream: false, request: smallest };
    await expect(gate.during(next, async () => 'begun')).rejects.toMatchObject(refusal);
    await ends[0]?.();
    expect(await gate.during(next, async () => 'begun')).toBe('begun');
    await ends[1]?.();
  });

  test('leave room for the largest message', () => {
    expect(LARGE_MESSAGE_BYTES_MAX).toBeLessThanOrEqual(REQUEST_BYTES_MAX);
  });
});

test('refusals are logged once a minute with their reason', async () => {
  lines.length = 0;
  const gate = admission('test', logger);
  const running = Array.from({ length: CALLS_MAX }, () => begin(gate, { isStream: false }));
  for (let attempts = 0; attempts < 3; attempts++) {
    await expect(gate.during({ isStream: false }, async () => {})).rejects.toMatchObject(refusal);
  }
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([expect.objectContaining({ reason: 'calls' })]);
  await Promise.all(running.map((end) => end()));
});
