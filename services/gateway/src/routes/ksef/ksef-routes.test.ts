import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Authentication, ConnectionStatus, Environment } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import type {
  Connection,
  ListConnectionsRequest,
  SaveConnectionRequest,
} from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { SubmissionStatus } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import type { ListSubmissionsRequest, Submission } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import { DomainError, notFound } from '@invoicecontrol/errors';
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
  warnings: [],
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
  warnings: [{ code: 'OTHER_SELLER', message: 'The document names another seller.' }],
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
  warnings: [{ code: 'OTHER_SELLER', message: 'The document names another seller.' }],
};

let gateway: RunningGateway;
const saved: SaveConnectionRequest[] = [];
const connectionLists: ListConnectionsRequest[] = [];
const submissionLists: ListSubmissionsRequest[] = [];
/** True while calls create a new record. */
let isNew = true;
let underWay = 0;
let underWayMax = 0;
beforeAll(async () => {
  const keys = new Map([
    [owner, principal({})],
    [unpaid, principal({ hasActiveSubscription: false, apiKeyId: 'unpaid' })],
    [submitting, principal({ scopes: ['ksef:submit'], apiKeyId: 'submitting' })],
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
        if (connectionId !== ID) throw notFound('KSeF connection');
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
    [{ private_key_password: 'x' }, 'certificate', 'Required with `private_key`.'],
    [{ certificate: 'x' }, 'private_key', 'Required with `certificate`.'],
    [{ private_key: 'x' }, 'certificate', 'Required with `private_key`.'],
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
    [{ certificate: 'x', private_key: 'x\u200b' }, 'private_key', 'Must have ASCII characters'],
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
