import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Authentication, ConnectionStatus, Environment } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import type {
  Connection,
  ListConnectionsRequest,
  SaveConnectionRequest,
} from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { InboxRole, InboxRunStatus, InboxRunTrigger } from '@invoicecontrol/contracts/ksef/v1/inbox_service';
import type { InboxRun, UpdateInboxRequest } from '@invoicecontrol/contracts/ksef/v1/inbox_service';
import { SubmissionStatus } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import type {
  ListAllSubmissionsRequest,
  ListSubmissionsRequest,
  Submission,
} from '@invoicecontrol/contracts/ksef/v1/submission_service';
import { DomainError, invalidField, notFound } from '@invoicecontrol/errors';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const ID = '0198a000-0000-7000-8000-00000000e001';
const OTHER = '0198a000-0000-7000-8000-00000000e002';
const REFUSED = '0198a000-0000-7000-8000-00000000e003';
const UNKNOWN = '0198a000-0000-7000-8000-00000000e004';
const at = new Date('2026-03-14T09:30:00.000Z');
const owner = keyNamed('owner');
const unpaid = keyNamed('unpaid');
const submitting = keyNamed('submitting');
const reading = keyNamed('reading');
const analyst = keyNamed('analyst');
const token = 'a-token-of-nobody-at-all';

const connection: Connection = {
  connectionId: ID,
  companyId: ID,
  companyName: 'Norton',
  environment: Environment.DEMO,
  contextNipMasked: '******7635',
  status: ConnectionStatus.PENDING,
  lastTestedTime: undefined,
  lastErrorMessage: undefined,
  createdTime: at,
  authentication: Authentication.TOKEN,
  certificateExpiryTime: undefined,
  warnings: [{ code: 'sig-001', message: 'The signature is of an old form.', time: at }],
  inbox: undefined,
};
const submission: Submission = {
  submissionId: OTHER,
  companyId: ID,
  connectionId: ID,
  invoiceId: ID,
  status: SubmissionStatus.QUEUED,
  sessionReferenceNumber: undefined,
  invoiceReferenceNumber: undefined,
  ksefNumber: undefined,
  upoReferenceNumber: undefined,
  errorCode: undefined,
  errorMessage: undefined,
  submittedTime: undefined,
  completedTime: undefined,
  createdTime: at,
  updatedTime: at,
  nextStep: 'It is sent within a minute.',
  verificationUrl: undefined,
  warnings: [{ code: 'OTHER_SELLER', message: 'The document names a different seller.' }],
};
const shown = {
  id: OTHER,
  companyId: ID,
  connectionId: ID,
  invoiceId: ID,
  status: 'QUEUED',
  sessionReferenceNumber: null,
  invoiceReferenceNumber: null,
  ksefNumber: null,
  upoReferenceNumber: null,
  errorCode: null,
  errorMessage: null,
  submittedAt: null,
  completedAt: null,
  createdAt: '2026-03-14T09:30:00.000Z',
  updatedAt: '2026-03-14T09:30:00.000Z',
  nextStep: 'It is sent within a minute.',
  verificationUrl: null,
  warnings: [{ code: 'OTHER_SELLER', message: 'The document names a different seller.' }],
};

const run: InboxRun = {
  runId: OTHER,
  role: InboxRole.SUBJECT2,
  trigger: InboxRunTrigger.MANUAL,
  status: InboxRunStatus.PARTIAL,
  fromTime: at,
  throughTime: undefined,
  received: 2,
  repeated: 1,
  refused: [{ ksefNumber: '5265877635-20260314-0A1B2C3D4E5F-7C', reason: 'The hash of the file is wrong.' }],
  errorMessage: 'One part of the package is not available any more.',
  startedTime: at,
  finishedTime: undefined,
};
/** The inbox of a KSeF connection whose inbox was never enabled, as callers see it. */
const noInbox = {
  enabled: false,
  from: null,
  receivedThrough: null,
  lastRunAt: null,
  lastErrorMessage: null,
  invoicesReceived: 0,
  refused: [],
};

let gateway: RunningGateway;
const saved: SaveConnectionRequest[] = [];
const connectionLists: ListConnectionsRequest[] = [];
const submissionLists: ListSubmissionsRequest[] = [];
const allSubmissionLists: ListAllSubmissionsRequest[] = [];
const inboxUpdates: UpdateInboxRequest[] = [];
const startedRuns: string[] = [];
const dismissals: string[] = [];
const REFUSED_NUMBER = '5265877635-20260314-0A1B2C3D4E5F-7C';
/** True while the fake KSeF service reports that a call created a new record. */
let isNew = true;
let underWay = 0;
let underWayMax = 0;
beforeAll(async () => {
  const keys = new Map([
    [owner, principal({})],
    [unpaid, principal({ hasActiveSubscription: false, apiKeyId: 'unpaid' })],
    [submitting, principal({ scopes: ['ksef:submit'], apiKeyId: 'submitting' })],
    [reading, principal({ scopes: ['ksef:read'], apiKeyId: 'reading' })],
    [analyst, principal({ role: 'ANALYST', apiKeyId: 'analyst' })],
  ]);
  gateway = await startGateway({
    access: accessFor(keys),
    ksefConnections: {
      async saveConnection(request) {
        saved.push(request);
        return { connection, created: isNew };
      },
      async listConnections(request) {
        connectionLists.push(request);
        return { connections: [connection], nextPageToken: '' };
      },
      async getConnection({ connectionId }) {
        if (connectionId !== ID && connectionId !== REFUSED) throw notFound('KSeF connection');
        return { connection: { ...connection, companyName: undefined } };
      },
      async testConnection({ connectionId }) {
        if (connectionId === ID) return { status: ConnectionStatus.ERROR, testedTime: at };
        throw new DomainError('foreign_failure', 'KSeF did not answer.');
      },
      async disableConnection() {
        return {};
      },
    },
    ksefInbox: {
      async updateInbox(request) {
        const { connectionId, enabled, fromDate } = request;
        if (connectionId === UNKNOWN) throw notFound('KSeF connection');
        if (connectionId === REFUSED) throw new DomainError('wrong_state', 'The inbox of DEMO is enabled.');
        if (fromDate === '2026-01-31') throw invalidField('inbox.from', 'Must be a day from 2026-02-01 to today.');
        inboxUpdates.push(request);
        const inbox = {
          enabled,
          fromDate,
          receivedThroughTime: at,
          lastRunTime: at,
          lastErrorMessage: 'The quota is used up.',
          invoicesReceived: 7,
          refused: [
            {
              ksefNumber: REFUSED_NUMBER,
              role: 'SUBJECT2',
              reason: 'The hash of the file is wrong.',
              firstAttemptTime: at,
              lastAttemptTime: at,
            },
          ],
        };
        return { connection: { ...connection, inbox } };
      },
      async startInboxRuns({ connectionId }) {
        if (connectionId === UNKNOWN) throw notFound('KSeF connection');
        if (connectionId === REFUSED) throw new DomainError('wrong_state', 'The inbox is not enabled.');
        startedRuns.push(connectionId);
        return {};
      },
      async listInboxRuns({ connectionId }) {
        if (connectionId === UNKNOWN) throw notFound('KSeF connection');
        return { runs: [run] };
      },
      async dismissRefusedInvoice({ connectionId, ksefNumber }) {
        if (connectionId === UNKNOWN) throw notFound('KSeF connection');
        if (ksefNumber !== REFUSED_NUMBER) throw notFound('refused invoice');
        dismissals.push(connectionId);
        return {};
      },
    },
    ksefSubmissions: {
      async createSubmission({ invoiceId }) {
        underWay++;
        underWayMax = Math.max(underWayMax, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay--;
        if (invoiceId === UNKNOWN) throw notFound('invoice');
        if (invoiceId === REFUSED) throw new DomainError('wrong_state', 'The current decision is REVIEW.');
        return { submission: { ...submission, invoiceId }, queued: isNew };
      },
      async listSubmissions(request) {
        submissionLists.push(request);
        return { submissions: [submission], nextPageToken: 'more' };
      },
      async listAllSubmissions(request) {
        allSubmissionLists.push(request);
        return { submissions: [submission], nextPageToken: 'more' };
      },
      async getSubmission() {
        return { submission };
      },
      async listAttempts() {
        return {
          attempts: [
            {
              sessionReferenceNumber: undefined,
              startedTime: at,
              steps: [{ name: 'open', time: at, code: undefined }],
            },
          ],
        };
      },
      async cancelSubmission() {
        throw new DomainError('wrong_state', 'It was sent already.');
      },
      async getConfirmation({ submissionId }) {
        if (submissionId === UNKNOWN) throw notFound('confirmation');
        return { xml: Buffer.from('<UPO>ż</UPO>'), ksefNumber: '5265877635-20260314-0A1B2C3D4E5F-7C' };
      },
    },
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  isNew = true;
  saved.length = 0;
  connectionLists.length = 0;
  submissionLists.length = 0;
  allSubmissionLists.length = 0;
  inboxUpdates.length = 0;
  startedRuns.length = 0;
});

const send = async (method: string, path: string, { body, key = owner }: { body?: unknown; key?: string } = {}) => {
  const response = await fetch(`${gateway.origin}/v1/ksef-connections${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
};
const json = ({ text }: { text: string }): unknown => JSON.parse(text);

describe('a connection', () => {
  const body = { environment: 'DEMO', context_nip: '5265877635', ksef_token: token };

  test('is 201 with its place when it is new, and 200 when its token was replaced', async () => {
    const created = await send('POST', '', { body: { ...body, company_id: ID.toUpperCase() } });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`/v1/ksef-connections/${ID}`);
    const record = {
      id: ID,
      companyId: ID,
      companyName: 'Norton',
      environment: 'DEMO',
      contextNipMasked: '******7635',
      status: 'PENDING',
      lastTestedAt: null,
      lastErrorMessage: null,
      createdAt: '2026-03-14T09:30:00.000Z',
      authentication: 'TOKEN',
      certificateExpiresAt: null,
      certificateSubjectMasked: null,
      inbox: noInbox,
      warnings: [{ code: 'sig-001', message: 'The signature is of an old form.', at: '2026-03-14T09:30:00.000Z' }],
    };
    expect(json(created)).toEqual(record);
    expect(saved).toMatchObject([
      { companyId: ID, environment: Environment.DEMO, contextNip: '5265877635', ksefToken: token },
    ]);
    isNew = false;
    const rotated = await send('POST', '', { body });
    expect({ status: rotated.status, location: rotated.headers.get('location'), record: json(rotated) }).toEqual({
      status: 200,
      location: null,
      record,
    });
  });

  test('is stored with a certificate in place of the token, and shows nothing of it but its end and its masked subject', async () => {
    const { ksef_token: _, ...place } = body;
    const pem = '-----BEGIN CERTIFICATE-----\r\nMIIB\n-----END CERTIFICATE-----\n';
    const sent = { ...place, certificate: pem, private_key: 'key of nobody', private_key_password: 'żółw 1' };
    const { status, text } = await send('POST', '', { body: sent });
    expect(status).toBe(201);
    expect(saved).toMatchObject([
      { ksefToken: '', certificate: { certificate: pem, privateKey: 'key of nobody', privateKeyPassword: 'żółw 1' } },
    ]);
    expect(text).not.toMatch(/MIIB|key of nobody|żółw/);
  });

  test.each([
    [{}, 'ksef_token', 'Required.'],
    [{ private_key_password: 'x' }, 'certificate', 'Required if `private_key` is sent.'],
    [{ certificate: 'x' }, 'private_key', 'Required if `certificate` is sent.'],
    [{ private_key: 'x' }, 'certificate', 'Required if `private_key` is sent.'],
    [
      { ksef_token: token, certificate: 'x', private_key: 'x' },
      'ksef_token',
      'Must not be sent together with a certificate',
    ],
    [{ ksef_token: token, private_key_password: 'x' }, 'ksef_token', 'Must not be sent together with a certificate'],
    [{ certificate: 'x'.repeat(8_193), private_key: 'x' }, 'certificate', 'at most 8192 characters'],
    [{ certificate: 'x', private_key: 'x'.repeat(16_385) }, 'private_key', 'at most 16384 characters'],
    [
      { certificate: 'x', private_key: 'x', private_key_password: 'x'.repeat(257) },
      'private_key_password',
      'at most 256',
    ],
    [{ certificate: 'x', private_key: 'x\u200b' }, 'private_key', 'Must contain only ASCII characters'],
    [{ certificate: 'x', private_key: '' }, 'private_key', 'at least 1 character'],
  ])('with %j is refused, and the refusal names the field %s', async (credential, field, sentence) => {
    const { ksef_token: _, ...place } = body;
    const { status, text } = await send('POST', '', { body: { ...place, ...credential } });
    expect(status).toBe(400);
    const { error } = JSON.parse(text) as { error: { details: readonly { path: string; message: string }[] } };
    expect(error.details).toContainEqual({ path: field, message: expect.stringContaining(sentence) });
    expect(saved).toEqual([]);
  });

  test.each([
    { certificate: 'x'.repeat(8_192), private_key: 'x'.repeat(16_384), private_key_password: 'x'.repeat(256) },
  ])('takes as much as it may', async (credential) => {
    const { ksef_token: _, ...place } = body;
    expect((await send('POST', '', { body: { ...place, ...credential } })).status).toBe(201);
  });

  test('needs an active subscription to be stored, and nothing else does', async () => {
    expect((await send('POST', '', { body, key: unpaid })).status).toBe(403);
    expect(saved).toEqual([]);
    expect((await send('GET', `/${ID}`, { key: unpaid })).status).toBe(200);
    expect((await send('DELETE', `/${ID}`, { key: unpaid })).status).toBe(204);
  });

  test.each([
    [{ context_nip: '526587763' }],
    [{ context_nip: '٥٢٦٥٨٧٧٦٣٥' }],
    [{ context_nip: 5_265_877_635 }],
    [{ ksef_token: 'x'.repeat(19) }],
    [{ ksef_token: 'x'.repeat(4_097) }],
    [{ ksef_token: ' '.repeat(30) }],
    [{ ksef_token: '\t'.repeat(30) }],
    [{ ksef_token: '\u200b'.repeat(30) }],
    [{ ksef_token: `\ufeff${'x'.repeat(20)}` }],
    [{ ksef_token: `${'x'.repeat(20)}\n` }],
    [{ environment: 'test' }],
    [{ company_id: 'main' }],
    [{ extra: 1 }],
  ])('is refused with %j, and the owner is not asked', async (part) => {
    const { status, text } = await send('POST', '', { body: { ...body, ...part } });
    expect({ status, code: (JSON.parse(text) as { error: { code: string } }).error.code }).toEqual({
      status: 400,
      code: 'INVALID_REQUEST',
    });
    expect(text).not.toContain(token);
    expect(saved).toEqual([]);
  });

  test('of a removed company has no name', async () => {
    expect(json(await send('GET', `/${ID}`))).not.toHaveProperty('companyName');
  });

  test('is listed by company, environment and status', async () => {
    const { status } = await send('GET', `?company_id=${ID}&environment=TEST&status=DISABLED&limit=7`);
    expect(status).toBe(200);
    expect(connectionLists).toMatchObject([
      { companyId: ID, environment: Environment.TEST, status: ConnectionStatus.DISABLED, pageSize: 7 },
    ]);
    expect((await send('GET', '?status=OK')).status).toBe(400);
  });

  test('is tested: what KSeF says of the token is a result, a KSeF that does not answer is 502', async () => {
    const refused = await send('POST', `/${ID}/test`);
    expect({ status: refused.status, body: json(refused) }).toEqual({
      status: 200,
      body: { status: 'ERROR', testedAt: '2026-03-14T09:30:00.000Z' },
    });
    const failed = await send('POST', `/${OTHER}/test`);
    expect({ status: failed.status, body: json(failed) }).toMatchObject({
      status: 502,
      body: { error: { code: 'PROCESSING_FAILED', message: 'KSeF did not answer.' } },
    });
  });
});

describe('the inbox of a connection', () => {
  const change = (inbox: unknown, options: { id?: string; key?: string } = {}) =>
    send('PATCH', `/${options.id ?? ID}`, {
      body: { inbox },
      ...(options.key === undefined ? {} : { key: options.key }),
    });

  test('is enabled from a day, or from the day that its owner chooses, and is shown with the connection', async () => {
    const enabled = await change({ enabled: true, from: '2026-03-01' });
    expect({ status: enabled.status, body: json(enabled) }).toMatchObject({
      status: 200,
      body: {
        id: ID,
        inbox: {
          enabled: true,
          from: '2026-03-01',
          receivedThrough: '2026-03-14T09:30:00.000Z',
          lastRunAt: '2026-03-14T09:30:00.000Z',
          lastErrorMessage: 'The quota is used up.',
          invoicesReceived: 7,
          refused: [
            {
              ksefNumber: REFUSED_NUMBER,
              role: 'SUBJECT2',
              reason: 'The hash of the file is wrong.',
              firstAttemptAt: '2026-03-14T09:30:00.000Z',
              lastAttemptAt: '2026-03-14T09:30:00.000Z',
            },
          ],
        },
      },
    });
    const disabled = await change({ enabled: false });
    expect(json(disabled)).toMatchObject({ inbox: { enabled: false, from: null } });
    expect(inboxUpdates).toMatchObject([
      { connectionId: ID, enabled: true, fromDate: '2026-03-01' },
      { connectionId: ID, enabled: false, fromDate: undefined },
    ]);
  });

  test('that was never enabled is shown as disabled', async () => {
    expect(json(await send('GET', `/${ID}`))).toMatchObject({ inbox: noInbox });
  });

  test.each([
    [{}, 'inbox', 'Required.'],
    [[], 'body', 'Must be an object.'],
    [{ inbox: null }, 'inbox', 'Must not be null.'],
    [{ inbox: true }, 'inbox', 'Must be an object.'],
    [{ inbox: {} }, 'inbox.enabled', 'Required.'],
    [{ inbox: { enabled: null } }, 'inbox.enabled', 'Must not be null.'],
    [{ inbox: { enabled: 'true' } }, 'inbox.enabled', 'Must be true or false.'],
    [{ inbox: { enabled: 1 } }, 'inbox.enabled', 'Must be true or false.'],
    [{ inbox: { enabled: true, from: 20_260_301 } }, 'inbox.from', 'Must be a string.'],
    [{ inbox: { enabled: true, from: null } }, 'inbox.from', 'Must not be null.'],
    [{ inbox: { enabled: true, from: '' } }, 'inbox.from', 'Must be a real day'],
    [{ inbox: { enabled: true, from: '2026-02-30' } }, 'inbox.from', 'Must be a real day'],
    [{ inbox: { enabled: true, from: '2026-3-1' } }, 'inbox.from', 'Must be a real day'],
    [{ inbox: { enabled: true, from: '2026-03-01T00:00:00Z' } }, 'inbox.from', 'Must be a real day'],
    [{ inbox: { enabled: true, through: '2026-03-01' } }, 'inbox.through', 'This field is not supported.'],
    [{ inbox: { enabled: true }, status: 'CONNECTED' }, 'status', 'This field is not supported.'],
  ])('is not changed by %j, and the refusal names %s', async (body, field, sentence) => {
    const { status, text } = await send('PATCH', `/${ID}`, { body });
    const { error } = JSON.parse(text) as { error: { code: string; details: readonly { path: string }[] } };
    expect({ status, code: error.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
    expect(error.details).toContainEqual({ path: field, message: expect.stringContaining(sentence) });
    expect(inboxUpdates).toEqual([]);
  });

  test('is not changed without a body', async () => {
    expect((await send('PATCH', `/${ID}`)).status).toBe(400);
    expect(inboxUpdates).toEqual([]);
  });

  test('is refused by its owner with the field, with 409 or with 404, and the refusal is passed on', async () => {
    const early = await change({ enabled: true, from: '2026-01-31' });
    expect({ status: early.status, body: json(early) }).toMatchObject({
      status: 400,
      body: { error: { details: [{ path: 'inbox.from', message: 'Must be a day from 2026-02-01 to today.' }] } },
    });
    const second = await change({ enabled: true }, { id: REFUSED });
    expect({ status: second.status, body: json(second) }).toMatchObject({
      status: 409,
      body: { error: { code: 'CONFLICT', message: 'The inbox of DEMO is enabled.' } },
    });
    const messageOf = async (id: string) => {
      const { status, text } = await change({ enabled: true }, { id });
      return [status, (JSON.parse(text) as { error: { message: string } }).error.message];
    };
    expect(await messageOf(UNKNOWN)).toEqual([404, 'No such KSeF connection.']);
    expect(await messageOf('none')).toEqual([404, 'No such KSeF connection.']);
  });

  test('needs no active subscription to be changed', async () => {
    expect((await change({ enabled: false }, { key: unpaid })).status).toBe(200);
  });

  test('is changed and run by an admin with the scope to write, and its runs are read with the scope to read', async () => {
    for (const key of [reading, analyst]) {
      expect((await change({ enabled: true }, { key })).status).toBe(403);
      expect((await send('POST', `/${ID}/inbox/runs`, { key })).status).toBe(403);
    }
    expect([inboxUpdates, startedRuns]).toEqual([[], []]);
    expect((await send('GET', `/${ID}/inbox/runs`, { key: reading })).status).toBe(200);
    expect((await send('GET', `/${ID}/inbox/runs`, { key: analyst })).status).toBe(403);
  });
});

describe('runs of an inbox', () => {
  test('are started with 202, which shows the connection', async () => {
    const started = await send('POST', `/${ID}/inbox/runs`);
    expect([started.status, json(started)]).toEqual([202, json(await send('GET', `/${ID}`))]);
    expect(startedRuns).toEqual([ID]);
  });

  test('are not started for a disabled inbox, and not for an unknown connection', async () => {
    const disabled = await send('POST', `/${REFUSED}/inbox/runs`);
    expect({ status: disabled.status, body: json(disabled) }).toMatchObject({
      status: 409,
      body: { error: { code: 'CONFLICT', message: 'The inbox is not enabled.' } },
    });
    for (const id of [UNKNOWN, 'none']) expect((await send('POST', `/${id}/inbox/runs`)).status).toBe(404);
    expect(startedRuns).toEqual([]);
  });

  test('are listed with every field, also those that are not known yet', async () => {
    const list = await send('GET', `/${ID}/inbox/runs`);
    expect({ status: list.status, body: json(list) }).toEqual({
      status: 200,
      body: {
        items: [
          {
            id: OTHER,
            role: 'SUBJECT2',
            trigger: 'MANUAL',
            status: 'PARTIAL',
            from: '2026-03-14T09:30:00.000Z',
            through: null,
            received: 2,
            repeated: 1,
            refused: [{ ksefNumber: '5265877635-20260314-0A1B2C3D4E5F-7C', reason: 'The hash of the file is wrong.' }],
            errorMessage: 'One part of the package is not available any more.',
            startedAt: '2026-03-14T09:30:00.000Z',
            finishedAt: null,
          },
        ],
      },
    });
    for (const id of [UNKNOWN, 'none']) expect((await send('GET', `/${id}/inbox/runs`)).status).toBe(404);
  });
});

describe('a refused invoice of an inbox', () => {
  test('is dismissed with 204, and with 404 where the inbox keeps none of this number', async () => {
    expect((await send('DELETE', `/${ID}/inbox/refused/${REFUSED_NUMBER}`)).status).toBe(204);
    expect(dismissals).toEqual([ID]);
    const others = [`/${ID}/inbox/refused/1`, `/${ID}/inbox/refused/${'9'.repeat(81)}`];
    for (const path of [...others, `/${UNKNOWN}/inbox/refused/${REFUSED_NUMBER}`, `/none/inbox/refused/1`]) {
      expect([path, (await send('DELETE', path)).status]).toEqual([path, 404]);
    }
    expect(dismissals).toEqual([ID]);
  });
});

describe('a submission', () => {
  test('is 202 with its place when this request queued it, and 200 otherwise', async () => {
    const queued = await send('POST', `/${ID}/submissions`, { body: { invoice_id: ID } });
    expect({ status: queued.status, body: json(queued) }).toEqual({ status: 202, body: shown });
    expect(queued.headers.get('location')).toBe(`/v1/ksef-connections/${ID}/submissions/${OTHER}`);
    isNew = false;
    const again = await send('POST', `/${ID}/submissions`, { body: { invoice_id: ID } });
    expect({ status: again.status, location: again.headers.get('location') }).toEqual({ status: 200, location: null });
  });

  test.each([[{}], [{ invoice_id: 'x' }], [{ invoice_id: null }]])('with %j is 400', async (body) => {
    expect((await send('POST', `/${ID}/submissions`, { body })).status).toBe(400);
  });

  test('needs the scope to submit, which is not the one to read', async () => {
    const body = { invoice_id: ID };
    expect((await send('POST', `/${ID}/submissions`, { body, key: submitting })).status).toBe(202);
    expect((await send('GET', `/${ID}/submissions`, { key: submitting })).status).toBe(403);
  });

  test('is one of the 100 newest without a cursor, and of pages with one', async () => {
    expect(json(await send('GET', `/${ID}/submissions`))).toEqual({ items: [shown] });
    const page = json(await send('GET', `/${ID}/submissions?limit=1`)) as { nextCursor: string };
    expect(page).toEqual({ items: [shown], nextCursor: expect.any(String) });
    const query = `status=FAILED&invoice_id=${ID}&created_from=2026-03-01`;
    expect((await send('GET', `/${ID}/submissions?${query}`)).status).toBe(200);
    expect((await send('GET', `/${ID}/submissions?cursor=${page.nextCursor}`)).status).toBe(200);
    expect((await send('GET', `/${OTHER}/submissions?cursor=${page.nextCursor}`)).status).toBe(400);
    expect(submissionLists).toMatchObject([
      { pageSize: 100, pageToken: '', status: SubmissionStatus.UNSPECIFIED },
      { pageSize: 1 },
      { status: SubmissionStatus.FAILED, invoiceId: ID, createdFromTime: new Date('2026-03-01T00:00:00Z') },
      { pageToken: 'more' },
    ]);
  });

  test('is one of those over all connections, by company, invoice and status', async () => {
    const all = async (query: string) => {
      const response = await fetch(`${gateway.origin}/v1/ksef-submissions?${query}`, {
        headers: { authorization: `Bearer ${owner}` },
      });
      return { status: response.status, body: (await response.json()) as { nextCursor: string } };
    };
    const query = `company_id=${ID}&invoice_id=${OTHER}&status=FAILED&created_from=2026-03-01&limit=1`;
    const first = await all(query);
    expect(first).toEqual({ status: 200, body: { items: [shown], nextCursor: expect.any(String) } });
    expect((await all(`${query}&cursor=${first.body.nextCursor}`)).status).toBe(200);
    expect((await all(`cursor=${first.body.nextCursor}`)).status).toBe(400);
    expect(allSubmissionLists).toMatchObject([
      {
        pageSize: 1,
        pageToken: '',
        companyId: ID,
        invoiceId: OTHER,
        status: SubmissionStatus.FAILED,
        createdFromTime: new Date('2026-03-01T00:00:00Z'),
      },
      { pageToken: 'more' },
    ]);
    for (const wrong of ['status=DONE', 'company_id=x', 'connection_id=x', 'limit=101']) {
      expect([wrong, (await all(wrong)).status]).toEqual([wrong, 400]);
    }
  });

  test('shows its record, its attempts and its confirmation', async () => {
    expect(json(await send('GET', `/${ID}/submissions/${OTHER}`))).toEqual(shown);
    expect(json(await send('GET', `/${ID}/submissions/${OTHER}/attempts`))).toEqual({
      items: [
        {
          sessionReferenceNumber: null,
          startedAt: '2026-03-14T09:30:00.000Z',
          steps: [{ name: 'open', at: '2026-03-14T09:30:00.000Z', code: null }],
        },
      ],
    });
    const confirmation = await send('GET', `/${ID}/submissions/${OTHER}/upo`);
    expect(confirmation.text).toBe('<UPO>ż</UPO>');
    expect(Object.fromEntries(confirmation.headers)).toMatchObject({
      'content-type': 'application/xml',
      'content-length': '13',
      'content-disposition': 'attachment; filename="UPO_5265877635-20260314-0A1B2C3D4E5F-7C.xml"',
    });
  });

  test('that was sent is not taken back', async () => {
    const answer = await send('POST', `/${ID}/submissions/${OTHER}/cancel`);
    expect({ status: answer.status, body: json(answer) }).toMatchObject({
      status: 409,
      body: { error: { code: 'CONFLICT', message: 'It was sent already.' } },
    });
  });
});

describe('submissions of many invoices', () => {
  const bulk = (connectionId: string, invoice_ids: unknown) =>
    send('POST', `/${connectionId}/submissions/bulk`, { body: { invoice_ids } });
  const invoice = (number: number) => `0198a000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

  test('have an answer each, in the order of the request', async () => {
    const answer = await bulk(ID, [REFUSED, ID]);
    expect({ status: answer.status, body: json(answer) }).toEqual({
      status: 200,
      body: {
        items: [
          {
            invoiceId: REFUSED,
            status: 409,
            submission: null,
            error: { code: 'CONFLICT', message: 'The current decision is REVIEW.' },
          },
          { invoiceId: ID, status: 202, submission: shown, error: null },
        ],
      },
    });
  });

  test('are 1 to 100, a few of them at a time', async () => {
    const hundred = Array.from({ length: 100 }, (_, index) => invoice(index));
    underWayMax = 0;
    const answer = await bulk(ID, hundred);
    expect((json(answer) as { items: { invoiceId: string }[] }).items.map(({ invoiceId }) => invoiceId)).toEqual(
      hundred,
    );
    expect(underWayMax).toBeLessThanOrEqual(8);
    expect((await bulk(ID, [...hundred, invoice(100)])).status).toBe(400);
    expect((await bulk(ID, [])).status).toBe(400);
    expect((await bulk(ID, ['x'])).status).toBe(400);
  });

  test('of an unknown invoice alone is 404 in words that do not blame the connection', async () => {
    const answer = await send('POST', `/${ID}/submissions`, { body: { invoice_id: UNKNOWN } });
    expect([answer.status, json(answer)]).toEqual([
      404,
      { error: expect.objectContaining({ message: 'No such KSeF connection or invoice.' }) },
    ]);
  });

  test('without a confirmation yet are not called unknown', async () => {
    const answer = await send('GET', `/${ID}/submissions/${UNKNOWN}/upo`);
    expect([answer.status, json(answer)]).toEqual([
      404,
      { error: expect.objectContaining({ message: 'No such confirmation.' }) },
    ]);
  });

  test('of an unknown connection are 404 together', async () => {
    expect((await bulk(OTHER, [ID])).status).toBe(404);
  });
});
