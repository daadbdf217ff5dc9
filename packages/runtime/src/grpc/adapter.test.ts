import { afterEach, expect, test } from '@jest/globals';
import { AuditServiceDefinition } from '@invoicecontrol/contracts/organization/v1/audit_service';
import type { ListAuditEventsResponse } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/organization/v1/operator_service';
import { DomainError, notFound } from '@invoicecontrol/errors';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { createLogger } from '../logger.js';
import type { RequestContext } from '../request-context.js';
import { client, openChannel } from './client.js';
import type { Channel } from './client.js';
import { bind, startGrpcServer } from './server.js';
import type { GrpcServer } from './server.js';

/** A bound for what must not hang; nothing that is right comes near it, however slow the machine is. */
const TIMEOUT_MS = 60_000;
const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
const context: RequestContext = {
  requestId: 'req-1',
  actor: { type: 'API_KEY', id: 'key-1' },
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ip: '192.0.2.7',
  operatorToken: 'operator',
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
    logger,
    hasReflection,
    bindings: [bind(AuditServiceDefinition, { listAuditEvents })],
  });
  const channel = openChannel(server.address);
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
  expect(heard).toEqual([request, context]);
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
    logger,
    operatorToken: 'operator',
    bindings: [
      bind(OperatorServiceDefinition, {
        createOrganization: refuse,
        undeleteOrganization: refuse,
        setPlan: refuse,
        createKey: refuse,
        createMember: refuse,
      }),
    ],
  });
  const channel = openChannel(server.address);
  opened.push({ server, channel });
  const operator = client(OperatorServiceDefinition, channel);
  const creation = operator.createOrganization(
    { name: 'n', ownerEmail: 'o@n.example', plan: '', baseCurrency: '' },
    { context },
  );
  await expect(creation).rejects.toMatchObject({ kind: 'unavailable' });
  expect(calls).toBe(1);
});

test('a service named OperatorService is refused to everybody but the operator, without a word in its code', async () => {
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
  };
  const serve = async (operatorToken: string | undefined) => {
    const bindings = [bind(OperatorServiceDefinition, implementation)];
    const server = await startGrpcServer({ host: '127.0.0.1', port: 0, logger, operatorToken, bindings });
    const channel = openChannel(server.address);
    opened.push({ server, channel });
    return client(OperatorServiceDefinition, channel);
  };
  const guarded = await serve('operator');
  const { operatorToken: _, ...anonymous } = context;
  for (const refused of [anonymous, { ...context, operatorToken: '' }, { ...context, operatorToken: 'other' }]) {
    const call = guarded.createMember({ organizationId: 'o1', email: 'e', name: 'n', role: 'r' }, { context: refused });
    await expect(call).rejects.toMatchObject({ kind: 'unauthenticated' });
  }
  const closed = await serve(undefined);
  await expect(closed.undeleteOrganization({ organizationId: 'o1' }, { context })).rejects.toMatchObject({
    kind: 'unauthenticated',
  });
  expect(heard).toEqual([]);
  await expect(guarded.undeleteOrganization({ organizationId: 'o1' }, { context })).rejects.toMatchObject({
    kind: 'not_found',
  });
  expect(heard).toEqual([{ ...anonymous, actor: { type: 'OPERATOR', id: 'key-1' } }]);
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

test('a message over the limit is refused as a fault of ours, not as a rate limit', async () => {
  const { audit } = await serveAudit(async () => ({ auditEvents: [], nextPageToken: 'x'.repeat(4 * 1024 * 1024 + 1) }));
  await expect(audit.listAuditEvents(request, { context })).rejects.toMatchObject({ kind: 'internal' });
});

test('reflection starts from the contracts on disk', async () => {
  const { audit } = await serveAudit(async () => nothing, true);
  expect(await audit.listAuditEvents(request, { context })).toEqual(nothing);
});
