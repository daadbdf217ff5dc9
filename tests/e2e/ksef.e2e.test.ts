import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { fa3, hashOf, startKsef } from './ksef-actions.js';
import type { Ksef } from './ksef-actions.js';
import { startRunningSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';
import type { Page } from './shapes.js';
import { ubl, uploadXml } from './uploading.js';

interface Submission {
  readonly id: string;
  readonly companyId: string;
  readonly connectionId: string;
  readonly invoiceId: string;
  readonly status: string;
  readonly ksefNumber: string | null;
  readonly upoReferenceNumber: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly submittedAt: string | null;
  readonly completedAt: string | null;
  readonly nextStep: string;
  readonly verificationUrl: string | null;
}

/** An organization of the tests that is connected to KSeF. */
interface Filer {
  readonly tenant: Tenant;
  readonly key: string;
  readonly nip: string;
  readonly token: string;
  readonly connectionId: string;
}

const ENDED = ['ACCEPTED', 'REJECTED', 'FAILED'];
const ENDS_MS_MAX = 60_000;

let running: RunningSystem;
let ksef: Ksef;
let numbers = 0;

beforeAll(async () => {
  ksef = await startKsef({ revokedSeals: 'demo' });
  running = await startRunningSystem({ ...ksef.env, KSEF_WAIT_FACTOR: '0.05', KSEF_REQUEST_SECONDS: '5' });
}, 120_000);
afterAll(async () => {
  await running.stop();
  await ksef.stop();
});

const nextNumber = (): string => `FV/2026/${String(++numbers).padStart(4, '0')}`;

async function newFiler(environment: 'test' | 'demo' = 'test'): Promise<Filer> {
  const tenant = await running.newTenant();
  const key = tenant.keys.admin;
  const { nip, token } = await ksef.newCompany(environment);
  const saved = await running.request<{ id: string }>('POST /ksef-connections', {
    key,
    body: { environment: environment.toUpperCase(), context_nip: nip, ksef_token: token },
  });
  expect(saved.status).toBe(201);
  const connectionId = saved.body.id;
  const tested = await running.request(`POST /ksef-connections/${connectionId}/test`, { key });
  expect(tested.body).toEqual({ status: 'CONNECTED', testedAt: expect.any(String) });
  return { tenant, key, nip, token, connectionId };
}

/**
 * Uploads the file of an invoice and waits for the decision on the invoice.
 * @returns the id of the invoice
 */
async function decided(key: string, xml: string): Promise<{ readonly id: string; readonly decision: string }> {
  const upload = await uploadXml(running, key, xml);
  const { body } = await running.request<{ id: string; decision: string }>('POST /invoices/from-upload', {
    key,
    body: { upload_id: upload },
  });
  return body;
}

function submit({ key, connectionId }: Filer, invoiceId: string): Promise<Answer<Submission>> {
  return running.request('POST /ksef-connections/' + connectionId + '/submissions', {
    key,
    body: { invoice_id: invoiceId },
  });
}

function read({ key, connectionId }: Filer, submissionId: string): Promise<Answer<Submission>> {
  return running.request(`GET /ksef-connections/${connectionId}/submissions/${submissionId}`, { key });
}

async function ended(filer: Filer, submissionId: string): Promise<Submission> {
  let last: Submission | undefined;
  await eventually(
    async () => {
      last = (await read(filer, submissionId)).body;
      expect(ENDED).toContain(last.status);
    },
    { timeoutMs: ENDS_MS_MAX },
  );
  return last as Submission;
}

async function allClosed({ nip }: Filer): Promise<void> {
  await eventually(async () => expect((await ksef.counters(nip)).sessions.open).toBe(0), { timeoutMs: ENDS_MS_MAX });
}

async function isRegisteredOnce(fault: { readonly operation: string }): Promise<void> {
  const filer = await newFiler();
  const xml = fa3({ nip: filer.nip, number: nextNumber() });
  const invoice = await decided(filer.key, xml);
  expect(invoice.decision).toBe('PASS');
  const { id } = invoice;
  await ksef.fault({ context: filer.nip, ...fault });
  const asked = await submit(filer, id);
  expect([asked.status, asked.body]).toEqual([202, expect.objectContaining({ status: 'QUEUED' })]);
  const submission = await ended(filer, asked.body.id);
  expect(submission).toMatchObject({ status: 'ACCEPTED', errorCode: null, ksefNumber: expect.any(String) });
  const { registered } = await ksef.counters(filer.nip);
  expect(registered.map(({ invoiceHash }) => invoiceHash)).toEqual([hashOf(xml)]);
  // If the opening of a session got no response, the service does not know the session, which ends by itself.
  if (fault.operation !== 'S1') await allClosed(filer);
}

describe('an invoice that is submitted to KSeF', () => {
  test('is registered byte for byte as it was uploaded, once, with its number, confirmation and link', async () => {
    const filer = await newFiler();
    const xml = fa3({ nip: filer.nip, number: nextNumber() });
    const invoice = await decided(filer.key, xml);
    expect(invoice.decision).toBe('PASS');

    const first = await submit(filer, invoice.id);
    expect(first.status).toBe(202);
    const path = `/v1/ksef-connections/${filer.connectionId}/submissions/${first.body.id}`;
    expect(first.headers.get('location')).toBe(path);
    expect(first.body).toMatchObject({
      status: 'QUEUED',
      warnings: [],
      connectionId: filer.connectionId,
      invoiceId: invoice.id,
    });

    const again = await submit(filer, invoice.id);
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);

    const submission = await ended(filer, first.body.id);
    expect(submission).toMatchObject({ status: 'ACCEPTED', errorCode: null, errorMessage: null });
    const { registered, sends, plaintextTokens } = await ksef.counters(filer.nip);
    expect(registered).toMatchObject([{ ksefNumber: submission.ksefNumber, invoiceHash: hashOf(xml) }]);
    expect(sends).toEqual({ [hashOf(xml)]: 1 });
    expect(plaintextTokens).toBe(0);
    expect(submission.verificationUrl).toContain(
      `/${filer.nip}/15-02-2026/${hashOf(xml).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`,
    );
    await allClosed(filer);

    await eventually(async () =>
      expect((await read(filer, submission.id)).body.upoReferenceNumber).toEqual(expect.any(String)),
    );
    const upo = await running.request(`GET ${path.slice('/v1'.length)}/upo`, { key: filer.key });
    expect([upo.status, upo.headers.get('content-type')]).toEqual([200, expect.stringContaining('application/xml')]);
    expect(upo.headers.get('content-disposition')).toBe(`attachment; filename="UPO_${submission.ksefNumber}.xml"`);
    expect(upo.text).toContain(submission.ksefNumber);
    const attempts = await running.request<Page<{ steps: readonly { name: string }[] }>>(
      `GET ${path.slice('/v1'.length)}/attempts`,
      { key: filer.key },
    );
    expect(attempts.body.items.flatMap(({ steps }) => steps.map(({ name }) => name))).toEqual(
      expect.arrayContaining(['open', 'send', 'status', 'close', 'confirmation']),
    );
    const list = await running.request<Page<Submission>>(`GET ${path.slice('/v1'.length).replace(/\/[^/]+$/, '')}`, {
      key: filer.key,
    });
    expect(list.body.items.map(({ id }) => id)).toEqual([submission.id]);
  }, 120_000);

  test('stays without a confirmation while the only one bears a revoked seal, which is fetched again', async () => {
    const filer = await newFiler('demo');
    const invoice = await decided(filer.key, fa3({ nip: filer.nip, number: nextNumber() }));
    const submission = await ended(filer, (await submit(filer, invoice.id)).body.id);
    expect(submission.status).toBe('ACCEPTED');
    interface Logged {
      readonly items: readonly { readonly operation: string | null }[];
    }
    await eventually(
      async () => {
        const { items } = await ksef.control<Logged>(`GET requests?context=${filer.nip}`, undefined, 'demo');
        expect(items.filter(({ operation }) => operation === 'S7').length).toBeGreaterThan(1);
      },
      { timeoutMs: ENDS_MS_MAX },
    );
    const path = `/ksef-connections/${filer.connectionId}/submissions/${submission.id}`;
    expect((await read(filer, submission.id)).body.upoReferenceNumber).toBeNull();
    expect((await running.request(`GET ${path}/upo`, { key: filer.key })).status).not.toBe(200);
  }, 120_000);

  test('is refused with its reason, before anything is stored or called', async () => {
    const filer = await newFiler();
    const before = await ksef.control<{ items: readonly object[] }>(`GET requests?context=${filer.nip}`);
    const wrong = await decided(filer.key, fa3({ nip: filer.nip, number: nextNumber(), gross: '9930.00' }));
    expect(wrong.decision).not.toBe('PASS');
    const other = await decided(filer.key, ubl(nextNumber()));
    for (const invoiceId of [wrong.id, other.id]) {
      const refused = await running.request<ErrorBody>(`POST /ksef-connections/${filer.connectionId}/submissions`, {
        key: filer.key,
        body: { invoice_id: invoiceId },
      });
      expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
    }
    const unknown = await submit(filer, randomUUID());
    expect(unknown.status).toBe(404);
    const list = await running.request<Page<Submission>>(`GET /ksef-connections/${filer.connectionId}/submissions`, {
      key: filer.key,
    });
    expect(list.body.items).toEqual([]);
    expect(await ksef.control(`GET requests?context=${filer.nip}`)).toEqual(before);
  }, 60_000);

  describe('in spite of a fault', () => {
    const faults = [
      ['the answer to sending is lost', { operation: 'S2', kind: 'LOSE_ANSWER' }],
      ['sending ends in 504 although it arrived', { operation: 'S2', kind: 'STATUS', status: 504, processed: true }],
      ['the answer to opening is lost', { operation: 'S1', kind: 'LOSE_ANSWER' }],
      ['the access token ends early', { operation: 'S2', kind: 'UNAUTHORIZED' }],
      ['sending is throttled', { operation: 'S2', kind: 'THROTTLE', retryAfter: 1 }],
      ['the key cannot be decrypted', { operation: 'S1', kind: 'SESSION_STATUS', code: 415 }],
      ['the document was decrypted wrongly', { operation: 'S2', kind: 'INVOICE_STATUS', code: 435 }],
      ['processing was canceled', { operation: 'S2', kind: 'INVOICE_STATUS', code: 550 }],
      ['closing ends in 500', { operation: 'S5', kind: 'STATUS', status: 500 }],
    ] as const;
    /**
     * Each fault has a separate organization and context. All faults run at the same time, because they mostly wait.
     */
    const runs = new Map<string, Promise<void>>();
    beforeAll(() => {
      for (const [name, fault] of faults) {
        const run = isRegisteredOnce(fault);
        // The test of this fault awaits the promise. The handler avoids an unhandled rejection until then.
        run.catch(() => {});
        runs.set(name, run);
      }
    });

    test.each(faults.map(([name]) => name))(
      'is registered once where %s',
      async (name) => {
        expect(runs.has(name)).toBe(true);
        await runs.get(name);
      },
      180_000,
    );
  });

  test('that KSeF refuses is REJECTED with the text of KSeF and can be submitted again, once', async () => {
    const filer = await newFiler();
    const xml = fa3({ nip: filer.nip, number: nextNumber() });
    const { id } = await decided(filer.key, xml);
    await ksef.fault({
      context: filer.nip,
      operation: 'S2',
      kind: 'INVOICE_STATUS',
      code: 410,
      description: 'Nieprawidłowy zakres uprawnień',
    });
    const { body } = await submit(filer, id);
    const refused = await ended(filer, body.id);
    expect(refused).toMatchObject({ status: 'REJECTED', errorCode: 'KSEF_410', ksefNumber: null });
    expect(refused.errorMessage).toContain('Nieprawidłowy zakres uprawnień');
    await allClosed(filer);

    const again = await Promise.all([submit(filer, id), submit(filer, id), submit(filer, id)]);
    expect(again.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 202]);
    expect(await ended(filer, body.id)).toMatchObject({ status: 'ACCEPTED', errorCode: null });
    expect((await ksef.counters(filer.nip)).registered).toHaveLength(1);
  }, 120_000);

  test('whose number other software registered with another file is REJECTED, and never has that number of KSeF', async () => {
    const filer = await newFiler();
    const number = nextNumber();
    const { id } = await decided(filer.key, fa3({ nip: filer.nip, number }));
    const { ksefNumber } = await ksef.control<{ ksefNumber: string }>('POST invoices', {
      context: filer.nip,
      sellerNip: filer.nip,
      number,
    });
    const refused = await ended(filer, (await submit(filer, id)).body.id);
    expect(refused).toMatchObject({ status: 'REJECTED', errorCode: 'KSEF_440', ksefNumber: null });
    expect(refused.errorMessage).toContain(ksefNumber);
    expect(refused.errorMessage).toMatch(/different file\. Compare the two files in KSeF/);
    expect(refused.nextStep).toMatch(/must give it a new number/);
    await allClosed(filer);
  }, 120_000);

  test('that lacks a permission only when it is sent makes its connection refuse others, and goes on with the next test', async () => {
    const filer = await newFiler();
    const { id } = await decided(filer.key, fa3({ nip: filer.nip, number: nextNumber() }));
    const path = `/ksef-connections/${filer.connectionId}`;
    const connectionOf = async () =>
      (await running.request<{ status: string; warnings: readonly object[] }>(`GET ${path}`, { key: filer.key })).body;
    const connected = { status: 'CONNECTED', warnings: [] };
    const refusal = { context: filer.nip, operation: 'S2', kind: 'PROBLEM', status: 403 };
    await ksef.fault({ ...refusal, reasonCode: 'missing-permissions' });
    const { body } = await submit(filer, id);
    expect(await ended(filer, body.id)).toMatchObject({ status: 'FAILED', errorCode: 'KSEF_HTTP_403' });
    // The KSeF token still has the permission to view invoices, so that an inbox could continue.
    const warnings = [{ code: 'INVOICE_WRITE_MISSING' }];
    await eventually(async () => expect(await connectionOf()).toMatchObject({ status: 'CONNECTED', warnings }));
    expect((await submit(filer, id)).status).toBe(409);
    // The request that ends the login gets an empty response, but the KSeF connection test succeeds nevertheless.
    await ksef.fault({ context: filer.nip, operation: 'A7', kind: 'STATUS', status: 403, body: '' });
    await running.request(`POST ${path}/test`, { key: filer.key });
    expect(await connectionOf()).toMatchObject(connected);
    await ksef.fault({ ...refusal, operation: 'S1', reasonCode: 'insufficient-resource-access' });
    await submit(filer, id);
    expect(await ended(filer, body.id)).toMatchObject({ status: 'FAILED', errorCode: 'KSEF_HTTP_403' });
    expect(await connectionOf()).toMatchObject(connected);
    await submit(filer, id);
    expect(await ended(filer, body.id)).toMatchObject({ status: 'ACCEPTED', errorCode: null });
  }, 120_000);

  test('of another organization looks like one that does not exist', async () => {
    const filer = await newFiler();
    const { id } = await decided(filer.key, fa3({ nip: filer.nip, number: nextNumber() }));
    const { body } = await submit(filer, id);
    const key = running.other.keys.owner;
    const paths = ['', '/submissions', `/submissions/${body.id}`, `/submissions/${body.id}/upo`];
    for (const path of [...paths, `/submissions/${body.id}/attempts`]) {
      const foreign = await running.request(`GET /ksef-connections/${filer.connectionId}${path}`, { key });
      const missing = await running.request(`GET /ksef-connections/${randomUUID()}${path}`, { key });
      expect([path, foreign.status, missing.status]).toEqual([path, 404, 404]);
    }
    const foreign = await newFiler();
    expect((await submit(foreign, id)).status).toBe(404);
    expect((await read(foreign, body.id)).status).toBe(404);
    expect((await ended(filer, body.id)).status).toBe('ACCEPTED');
  }, 120_000);

  test('that was sent is followed to its end through a connection that was disabled; no other NIP is taken before, and nothing else is sent', async () => {
    const filer = await newFiler();
    const { id } = await decided(filer.key, fa3({ nip: filer.nip, number: nextNumber() }));
    const { id: later } = await decided(filer.key, fa3({ nip: filer.nip, number: nextNumber() }));
    await ksef.fault({ context: filer.nip, operation: 'S2', kind: 'INVOICE_STATUS', code: 150 });
    const { body } = await submit(filer, id);
    await eventually(async () => expect((await read(filer, body.id)).body.status).toBe('PROCESSING'), {
      timeoutMs: ENDS_MS_MAX,
    });
    const path = `/ksef-connections/${filer.connectionId}`;
    const { nip: context_nip, token: ksef_token } = await ksef.newCompany();
    const connectAnother = () =>
      running.request<ErrorBody>('POST /ksef-connections', {
        key: filer.key,
        body: { environment: 'TEST', context_nip, ksef_token },
      });
    const refused = await connectAnother();
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(refused.body.error.message).toContain('Change `context_nip` after they have finished');
    expect((await running.request(`DELETE ${path}`, { key: filer.key })).status).toBe(204);
    expect((await running.request(`DELETE ${path}`, { key: filer.key })).status).toBe(204);
    expect((await submit(filer, later)).status).toBe(409);
    expect((await running.request(`POST ${path}/test`, { key: filer.key })).status).toBe(409);
    await ksef.mend();
    expect(await ended(filer, body.id)).toMatchObject({ status: 'ACCEPTED', errorCode: null });
    await allClosed(filer);
    const taken = await connectAnother();
    expect([taken.status, taken.body]).toEqual([
      200,
      expect.objectContaining({ id: filer.connectionId, status: 'PENDING' }),
    ]);
  }, 120_000);
});

describe('a hostile request about submissions', () => {
  let filer: Filer;
  /** A submission that KSeF registered, with its confirmation. */
  let registered: Submission;
  /** A submission that was sent to KSeF and has no result. */
  let sent: Submission;
  const below = (path: string, id: string = filer.connectionId): string => `/ksef-connections/${id}${path}`;
  const ask = <Body = ErrorBody>(target: string, body?: unknown, key = filer.key): Promise<Answer<Body>> =>
    running.request<Body>(target, { key, ...(body === undefined ? {} : { body }) });
  const asPass = async (): Promise<string> => {
    const invoice = await decided(filer.key, fa3({ nip: filer.nip, number: nextNumber() }));
    expect(invoice.decision).toBe('PASS');
    return invoice.id;
  };
  const listed = async (): Promise<readonly string[]> =>
    (await ask<Page<Submission>>(`GET ${below('/submissions')}`)).body.items.map(({ id }) => id).toSorted();

  beforeAll(async () => {
    filer = await newFiler();
    const { id } = (await submit(filer, await asPass())).body;
    await eventually(
      async () => {
        registered = (await read(filer, id)).body;
        if (registered.upoReferenceNumber === null) throw new Error('not confirmed yet');
      },
      { timeoutMs: ENDS_MS_MAX },
    );
    await ksef.fault({ context: filer.nip, operation: 'S2', kind: 'INVOICE_STATUS', code: 150 });
    const { body } = await submit(filer, await asPass());
    await eventually(
      async () => {
        sent = (await read(filer, body.id)).body;
        if (sent.status !== 'PROCESSING') throw new Error(`not sent yet: ${sent.status}`);
      },
      { timeoutMs: ENDS_MS_MAX },
    );
  }, 120_000);

  test('in another organization, or below another connection, gets the same bytes as for a missing one', async () => {
    const { owner } = running.other.keys;
    const invoice_id = await asPass();
    const ids = [invoice_id];
    const twin = await newFiler();
    const targets: readonly (readonly [string, string, object?])[] = [
      ['GET', ''],
      ['POST', '/test'],
      ['DELETE', ''],
      ['GET', '/submissions'],
      ['POST', '/submissions', { invoice_id }],
      ['POST', '/submissions/bulk', { invoice_ids: ids }],
      ...[registered, sent].flatMap(({ id }): readonly (readonly [string, string, object?])[] => [
        ['GET', `/submissions/${id}`],
        ['GET', `/submissions/${id}/attempts`],
        ['GET', `/submissions/${id}/upo`],
        ['POST', `/submissions/${id}/cancel`],
      ]),
    ];
    for (const [method, path, body] of targets) {
      const options = { key: owner, requestId: 'the-same', ...(body === undefined ? {} : { body }) };
      const foreign = await running.request(`${method} ${below(path)}`, options);
      const missing = await running.request(`${method} ${below(path, randomUUID())}`, options);
      expect([method, path, foreign.status, foreign.text]).toEqual([method, path, 404, missing.text]);
      if (path.startsWith('/submissions/') && path !== '/submissions/bulk') {
        const elsewhere = await running.request(`${method} ${below(path, twin.connectionId)}`, {
          ...options,
          key: twin.key,
        });
        expect([method, path, elsewhere.status, elsewhere.text]).toEqual([method, path, 404, missing.text]);
      }
    }
    expect((await ask<{ status: string }>(`GET ${below('')}`)).body.status).toBe('CONNECTED');
    expect(await listed()).toEqual([registered.id, sent.id].toSorted());
  }, 60_000);

  test('to cancel a sent submission is 409, and changes nothing', async () => {
    for (const submission of [registered, sent]) {
      const answer = await ask(`POST ${below(`/submissions/${submission.id}/cancel`)}`);
      expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT']);
      expect(answer.body.error.message).toContain(submission.status);
      expect((await read(filer, submission.id)).body).toEqual(submission);
    }
  });

  test('in a bulk request is refused whole, and nothing of it is stored', async () => {
    const before = await listed();
    const [good, id] = [await asPass(), randomUUID()];
    const lists = [[], 'x', null, [null], [7], [[id]], ['\u0000'], [`${id}\u0000`], ['a'.repeat(100_000)], { 0: id }];
    const many = Array.from({ length: 101 }, () => randomUUID());
    for (const invoice_ids of [
      ...lists.map((list) => (Array.isArray(list) && list.length > 0 ? [good, ...list] : list)),
      many,
    ]) {
      const answer = await ask(`POST ${below('/submissions/bulk')}`, { invoice_ids });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST']);
    }
    for (const body of [{}, { invoice_ids: [good], invoice_id: good }, [good]]) {
      expect((await ask(`POST ${below('/submissions/bulk')}`, body)).status).toBe(400);
    }
    for (const invoice_id of [null, 7, '', '\u0000', `${good}\u0000`, [good], 'a'.repeat(100_000)]) {
      expect((await ask(`POST ${below('/submissions')}`, { invoice_id })).status).toBe(400);
    }
    expect(await listed()).toEqual(before);
  }, 60_000);

  test('a hundred times in one bulk request is one submission, registered once', async () => {
    const invoice = await asPass();
    const own = await newFiler();
    const xml = fa3({ nip: own.nip, number: nextNumber() });
    const { id } = await decided(own.key, xml);
    interface Item {
      readonly status: number;
      readonly submission: Submission | null;
    }
    const invoice_ids = Array.from({ length: 98 }, (_, index) => (index % 2 === 0 ? id : id.toUpperCase()));
    const answer = await ask<Page<Item>>(
      `POST /ksef-connections/${own.connectionId}/submissions/bulk`,
      // One invoice belongs to another organization, and one does not exist.
      { invoice_ids: [...invoice_ids, invoice, randomUUID()] },
      own.key,
    );
    expect(answer.status).toBe(200);
    const { items } = answer.body;
    expect(items.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(items.filter(({ status }) => status === 200)).toHaveLength(97);
    expect(items.slice(98)).toMatchObject([
      { status: 404, submission: null },
      { status: 404, submission: null },
    ]);
    const [submission, ...others] = new Set(items.flatMap((item) => item.submission?.id ?? []));
    expect(others).toEqual([]);
    expect(await ended(own, String(submission))).toMatchObject({ status: 'ACCEPTED' });
    const { registered: documents, sends } = await ksef.counters(own.nip);
    expect([documents.map(({ invoiceHash }) => invoiceHash), sends]).toEqual([[hashOf(xml)], { [hashOf(xml)]: 1 }]);
  }, 120_000);

  test('with filters and cursors of another list is 400, with malformed ids 404', async () => {
    const page = await ask<Page<Submission>>(`GET ${below('/submissions?limit=1')}`);
    const cursor = String(page.body.nextCursor);
    const own = await ask<Page<Submission>>(`GET ${below(`/submissions?limit=1&cursor=${cursor}`)}`);
    const seen = [...page.body.items, ...own.body.items].map(({ id }) => id);
    expect([own.status, seen.toSorted()]).toEqual([200, await listed()]);
    const queries = [
      `cursor=${cursor}&status=ACCEPTED`,
      `cursor=${cursor}&invoice_id=${sent.invoiceId}`,
      `cursor=${cursor.slice(0, -2)}`,
      'cursor=',
      'status=accepted',
      'status=',
      'invoice_id=%00',
      'invoice_id=x',
      'limit=101',
      'limit=0',
      'order=asc',
      'status=ACCEPTED&status=FAILED',
    ];
    for (const query of queries) {
      expect([query, (await ask(`GET ${below(`/submissions?${query}`)}`)).status]).toEqual([query, 400]);
    }
    const over = async (query: string, key = filer.key) =>
      (await ask<Page<Submission>>(`GET /ksef-submissions?${query}`, undefined, key)).body.items.map(({ id }) => id);
    expect((await over('limit=100')).toSorted()).toEqual(await listed());
    expect(await over(`invoice_id=${sent.invoiceId}`)).toEqual([sent.id]);
    expect(await over(`invoice_id=${sent.invoiceId}&status=ACCEPTED`)).toEqual([]);
    expect(await over(`company_id=${sent.companyId}&status=PROCESSING`)).toEqual([sent.id]);
    expect(await over(`company_id=${randomUUID()}`)).toEqual([]);
    const foreign = await newFiler();
    expect(await over(`invoice_id=${sent.invoiceId}`, foreign.key)).toEqual([]);
    const elsewhere = await ask(
      `GET ${below(`/submissions?cursor=${cursor}`, foreign.connectionId)}`,
      undefined,
      foreign.key,
    );
    expect(elsewhere.status).toBe(400);
    for (const id of ['%00', 'x', '..%2f..', `${sent.id}%00`, 'a'.repeat(2_000)]) {
      for (const part of ['', '/upo', '/attempts']) {
        expect([id, part, (await ask(`GET ${below(`/submissions/${id}${part}`)}`)).status]).toEqual([id, part, 404]);
      }
    }
    const filtered = await ask<Page<Submission>>(
      `GET ${below(`/submissions?status=PROCESSING&invoice_id=${sent.invoiceId}`)}`,
    );
    expect(filtered.body).toEqual({ items: [sent] });
  }, 60_000);

  test('gets a confirmation that no cache keeps and no browser shows, and none for an unconfirmed invoice', async () => {
    const target = below(`/submissions/${registered.id}/upo`);
    const upo = await ask(`GET ${target}`);
    const head = await ask(`HEAD ${target}`);
    for (const { status, headers } of [upo, head]) {
      expect([status, headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
        200,
        'private, no-store',
        'nosniff',
      ]);
      expect(headers.get('content-length')).toBe(String(Buffer.byteLength(upo.text)));
      expect(headers.get('content-disposition')).toBe(`attachment; filename="UPO_${registered.ksefNumber}.xml"`);
    }
    expect(head.text).toBe('');
    expect((await ask(`GET ${below(`/submissions/${sent.id}/upo`)}`)).status).toBe(404);
  });
});
