import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AuditServiceDefinition } from '@invoicecontrol/contracts/organization/v1/audit_service';
import type { ListAuditEventsResponse } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/organization/v1/operator_service';
import { DomainError, notFound } from '@invoicecontrol/errors';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { openTestChannel, testIdentity } from '../testing/test-identities.js';
import { createLogger } from '../logger.js';
import type { RequestContext } from '../request-context.js';
import type { SilenceWatch } from '../silence-watch.js';
import { CALLS_MAX } from './admission.js';
import { client, DEADLINE_MARGIN_MS, KEEPALIVE } from './client.js';
import type { Channel } from './client.js';
import { bind, startGrpcServer } from './server.js';
import type { GrpcServer } from './server.js';

/** Timeout for calls that must not hang. Correct calls take far less time, even on a slow machine. */
const TIMEOUT_MS = 60_000;
const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
const context: RequestContext = {
  requestId: 'req-1',
  actor: { type: 'API_KEY', id: 'key-1' },
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ip: '192.0.2.7',
};
const request = {
  organizationId: 'o1',
  pageSize: 5,
  pageToken: '',
  createdFromTime: new Date(0),
  createdToTime: undefined,
};
const nothing: ListAuditEventsResponse = { auditEvents: [], nextPageToken: '' };

const opened: { server?: GrpcServer; channel?: Channel }[] = [];
afterEach(async () => {
  for (const { server, channel } of opened.splice(0)) {
    channel?.close();
    await server?.stop(1_000);
  }
});

async function serveAudit(
  listAuditEvents: (asked: unknown, caller: RequestContext) => Promise<ListAuditEventsResponse>,
  hasReflection = false,
) {
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('organization'),
    logger,
    hasReflection,
    bindings: [bind(AuditServiceDefinition, { listAuditEvents })],
  });
  const channel = openTestChannel('organization', server.address);
  opened.push({ server, channel });
  return { server, channel, audit: client(AuditServiceDefinition, channel) };
}

test('a request and its context arrive as they were sent, dates included', async () => {
  let heard: unknown;
  const { audit } = await serveAudit(async (...args) => {
    heard = args;
    return nothing;
  });
  expect(await audit.listAuditEvents(request, { context })).toEqual(nothing);
  expect(heard).toEqual([
    request,
    {
      ...context,
      principal: expect.objectContaining({ organizationId: 'o1', actorId: 'key-1' }),
      grant: expect.any(Buffer),
      deadline: expect.any(Number),
      signal: expect.any(AbortSignal),
    },
  ]);
});

describe('the deadline of a caller', () => {
  const contextOfService = async (timeoutMs: number, deadline?: number): Promise<RequestContext> => {
    let heard: RequestContext | undefined;
    const { audit } = await serveAudit(async (_, caller) => {
      heard = caller;
      return nothing;
    });
    await audit.listAuditEvents(request, { context: { ...context, deadline }, timeoutMs });
    return heard ?? context;
  };

  test('arrives with the call', async () => {
    const sentAt = Date.now();
    const { deadline = 0 } = await contextOfService(TIMEOUT_MS);
    expect(deadline - sentAt).toBeGreaterThan(TIMEOUT_MS - 1_000);
    // The receiver measures from the arrival of the call, so the network time is added.
    expect(deadline).toBeLessThanOrEqual(Date.now() + TIMEOUT_MS);
  });

  test('ends the calls that serve it earlier than their own timeout, with time left to answer', async () => {
    const callersDeadline = Date.now() + 20_000;
    const { deadline = 0 } = await contextOfService(TIMEOUT_MS, callersDeadline);
    // The deadline of the nested call is earlier by this margin, however long the network took.
    expect(deadline).toBeLessThanOrEqual(Date.now() + 20_000 - DEADLINE_MARGIN_MS);
    expect(deadline).toBeLessThan(callersDeadline + TIMEOUT_MS / 2);
  });

  test('that has passed begins nothing', async () => {
    let calls = 0;
    const { audit } = await serveAudit(async () => {
      calls++;
      return nothing;
    });
    const late = audit.listAuditEvents(request, { context: { ...context, deadline: Date.now() } });
    await expect(late).rejects.toMatchObject({ kind: 'deadline' });
    expect(calls).toBe(0);
  });
});

test.each([
  ['ends the call', { timeoutMs: TIMEOUT_MS, cancels: true }],
  ['has a deadline that passes', { timeoutMs: 200, cancels: false }],
])('work is told that nobody waits for it any more when its caller %s', async (_, { timeoutMs, cancels }) => {
  let heard: AbortSignal | undefined;
  const { audit, server } = await serveAudit((_asked, { signal }) => {
    heard = signal;
    return new Promise(() => {});
  });
  const ending = new AbortController();
  const answer = audit.listAuditEvents(request, { context, timeoutMs, signal: ending.signal }).catch(() => 'ended');
  await eventually(() => expect(heard).toBeDefined());
  expect(cancels && heard?.aborted).toBe(false);
  if (cancels) ending.abort();
  expect(await answer).toBe('ended');
  await eventually(() => expect(heard?.aborted).toBe(true));
  await server.stop(10);
});

describe('while a store is silent', () => {
  let isSilent = false;
  const waiting = new Set<() => void>();
  const silence: SilenceWatch = {
    isSilent: () => isSilent,
    whenSilent(tell) {
      waiting.add(tell);
      return () => waiting.delete(tell);
    },
  };
  const fallSilent = (): void => {
    isSilent = true;
    for (const tell of waiting) tell();
    waiting.clear();
  };
  const unavailable = { kind: 'unavailable', publicMessage: 'Part of the service is unavailable right now.' };
  beforeEach(() => {
    isSilent = false;
  });

  async function serveSilent(
    listAuditEvents: (asked: unknown, caller: RequestContext) => Promise<ListAuditEventsResponse>,
  ) {
    const server = await startGrpcServer({
      host: '127.0.0.1',
      port: 0,
      identity: testIdentity('organization'),
      logger,
      silence,
      bindings: [bind(AuditServiceDefinition, { listAuditEvents })],
    });
    const channel = openTestChannel('organization', server.address);
    opened.push({ server, channel });
    return client(AuditServiceDefinition, channel);
  }

  test('a call that has begun is refused at once; its work may go on, and hears that nobody waits for it', async () => {
    lines.length = 0;
    let calls = 0;
    let fail: ((error: Error) => void) | undefined;
    let heard: AbortSignal | undefined;
    const audit = await serveSilent((_, { signal }) => {
      calls++;
      heard = signal;
      return new Promise((_, reject) => (fail = reject));
    });
    const answer = audit.listAuditEvents(request, { context, timeoutMs: TIMEOUT_MS }).catch((error: unknown) => error);
    await eventually(() => expect(fail).toBeDefined());
    fallSilent();
    expect(await answer).toMatchObject(unavailable);
    expect([calls, heard?.aborted]).toEqual([1, true]);
    fail?.(new Error('late fault'));
    await eventually(() => expect(lines.join('')).toContain('late fault'));
  });

  test('a new call is refused without being begun, and taken again afterwards', async () => {
    let calls = 0;
    const audit = await serveSilent(async () => {
      calls++;
      return nothing;
    });
    fallSilent();
    await expect(audit.listAuditEvents(request, { context })).rejects.toMatchObject(unavailable);
    expect(calls).toBe(0);
    isSilent = false;
    expect(await audit.listAuditEvents(request, { context })).toEqual(nothing);
    expect(waiting.size).toBe(0);
  });
});

test('a refusal arrives with its kind and sentence, and is not logged as an error', async () => {
  lines.length = 0;
  const { audit } = await serveAudit(() => Promise.reject(notFound('organization')));
  await expect(audit.listAuditEvents(request, { context })).rejects.toMatchObject({
    kind: 'not_found',
    publicMessage: 'No such organization.',
  });
  expect(lines).toEqual([]);
});

test('a bug arrives as a fixed sentence; the log names its cause and the request', async () => {
  lines.length = 0;
  const { audit } = await serveAudit(() => {
    throw new Error('secret detail');
  });
  const failed = audit.listAuditEvents(request, { context });
  await expect(failed).rejects.toMatchObject({ kind: 'internal' });
  await expect(failed).rejects.not.toThrow(/secret detail/);
  expect(lines.join('')).toContain('secret detail');
  expect(lines.join('')).toContain('req-1');
});

test('an rpc without an answer ends at its deadline', async () => {
  const { audit, server } = await serveAudit(() => new Promise(() => {}));
  await expect(audit.listAuditEvents(request, { context, timeoutMs: 50 })).rejects.toMatchObject({ kind: 'deadline' });
  await server.stop(10);
});

test('a call to an unreachable service is retried once when the contract allows repeats', async () => {
  let calls = 0;
  const { audit } = await serveAudit(() => {
    calls++;
    return calls === 1 ? Promise.reject(new DomainError('unavailable', 'Not now.')) : Promise.resolve(nothing);
  });
  expect(await audit.listAuditEvents(request, { context })).toEqual(nothing);
  expect(calls).toBe(2);
});

test('an rpc that changes something is never retried', async () => {
  let calls = 0;
  const refuse = (): Promise<never> => {
    calls++;
    return Promise.reject(new DomainError('unavailable', 'Not now.'));
  };
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('organization'),
    logger,
    bindings: [
      bind(OperatorServiceDefinition, {
        createOrganization: refuse,
        undeleteOrganization: refuse,
        setPlan: refuse,
        createKey: refuse,
        createMember: refuse,
        listOrganizations: refuse,
        purgeOrganizations: refuse,
      }),
    ],
  });
  const channel = openTestChannel('organization', server.address);
  opened.push({ server, channel });
  const operator = client(OperatorServiceDefinition, channel);
  const creation = operator.createOrganization(
    { name: 'n', ownerEmail: 'o@n.example', plan: '', baseCurrency: '' },
    { context },
  );
  await expect(creation).rejects.toMatchObject({ kind: 'unavailable' });
  expect(calls).toBe(1);
});

test('in a service named OperatorService, the actor is the operator, whatever the call says', async () => {
  const heard: RequestContext[] = [];
  const hear = async (_: unknown, caller: RequestContext): Promise<never> => {
    heard.push(caller);
    throw notFound('organization');
  };
  const implementation = {
    createOrganization: hear,
    undeleteOrganization: hear,
    setPlan: hear,
    createKey: hear,
    createMember: hear,
    listOrganizations: hear,
    purgeOrganizations: hear,
  };
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('organization'),
    logger,
    bindings: [bind(OperatorServiceDefinition, implementation)],
  });
  const channel = openTestChannel('organization', server.address);
  opened.push({ server, channel });
  const operator = client(OperatorServiceDefinition, channel);
  await expect(operator.undeleteOrganization({ organizationId: 'o1' }, { context })).rejects.toMatchObject({
    kind: 'not_found',
  });
  expect(heard).toMatchObject([{ ...context, ip: undefined, actor: { type: 'OPERATOR', id: 'key-1' } }]);
});

test('work whose callers have stopped waiting counts as work in progress, and calls beyond the maximum are refused', async () => {
  const releases: (() => void)[] = [];
  const { audit } = await serveAudit(async () => {
    await new Promise<void>((resolve) => releases.push(resolve));
    return nothing;
  });
  const leaving = new AbortController();
  setMaxListeners(CALLS_MAX, leaving.signal);
  const left = Array.from({ length: CALLS_MAX }, (_, index) =>
    audit.listAuditEvents(
      { ...request, organizationId: `o${index}` },
      { context, timeoutMs: TIMEOUT_MS, signal: leaving.signal },
    ),
  );
  await eventually(() => expect(releases).toHaveLength(CALLS_MAX));
  leaving.abort();
  await Promise.allSettled(left);

  const refused = audit.listAuditEvents(request, { context, timeoutMs: TIMEOUT_MS });
  await expect(refused).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 2 });
  releases.pop()?.();
  await eventually(async () => {
    const admitted = audit.listAuditEvents(request, { context, timeoutMs: TIMEOUT_MS });
    await eventually(() => expect(releases).toHaveLength(CALLS_MAX));
    for (const release of releases.splice(0)) release();
    expect(await admitted).toEqual(nothing);
  });
});

test('a call to an address without a server fails as "unavailable" and does not hang', async () => {
  const { audit, server, channel } = await serveAudit(async () => nothing);
  await server.stop(100);
  await expect(audit.listAuditEvents(request, { context, timeoutMs: TIMEOUT_MS })).rejects.toMatchObject({
    kind: 'unavailable',
  });
  channel.close();
});

test('a stopping server lets running calls end', async () => {
  let release: (() => void) | undefined;
  const { audit, server } = await serveAudit(async () => {
    await new Promise<void>((resolve) => (release = resolve));
    return nothing;
  });
  const answer = audit.listAuditEvents(request, { context, timeoutMs: TIMEOUT_MS });
  await eventually(() => expect(release).toBeDefined());
  const stopped = server.stop(TIMEOUT_MS);
  release?.();
  expect(await answer).toEqual(nothing);
  await stopped;
});

test('a stopping server lets a call end that lasts longer than its caller waits between two pings', async () => {
  let isReached = false;
  const { audit, server } = await serveAudit(async () => {
    isReached = true;
    await delay(KEEPALIVE.eachMs + 1_000);
    return nothing;
  });
  const answer = audit.listAuditEvents(request, { context, timeoutMs: TIMEOUT_MS });
  answer.catch(() => {});
  await eventually(() => expect(isReached).toBe(true));
  await server.stop(TIMEOUT_MS);
  expect(await answer).toEqual(nothing);
});

test('a message over the limit is refused as a fault of ours, not as a rate limit', async () => {
  const { audit } = await serveAudit(async () => ({ auditEvents: [], nextPageToken: 'x'.repeat(4 * 1024 * 1024 + 1) }));
  await expect(audit.listAuditEvents(request, { context })).rejects.toMatchObject({ kind: 'internal' });
});

test('reflection starts from the contracts on disk', async () => {
  const { audit } = await serveAudit(async () => nothing, true);
  expect(await audit.listAuditEvents(request, { context })).toEqual(nothing);
});
