import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useSharedSystem } from './running-system.js';
import type { Answer, ErrorBody, RequestOptions, RunningSystem } from './running-system.js';
import { fullInvoice, plainInvoice, UNKNOWN_ID } from './shapes.js';
import type { AcceptedAnalysis, LatestAnalysis, Page, StoredInvoice } from './shapes.js';

let running: RunningSystem;
beforeAll(async () => {
  running = await useSharedSystem();
});
afterAll(() => running.stop());

type PostOptions = RequestOptions & { idempotencyKey?: string };

function post<Body = AcceptedAnalysis>(
  key: string,
  body: unknown,
  { idempotencyKey, ...options }: PostOptions = {},
): Promise<Answer<Body>> {
  return running.request<Body>('POST /invoices', {
    key,
    body,
    ...options,
    headers: { ...options.headers, ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }) },
  });
}

async function invoicesOf(key: string, query = ''): Promise<readonly StoredInvoice[]> {
  return (await running.request<Page<StoredInvoice>>(`GET /invoices${query}`, { key })).body.items;
}

/** Creates a tenant without invoices and returns its owner's API key. */
async function freshKey(plan?: string): Promise<string> {
  return (await running.newTenant(plan)).keys.owner;
}

describe('POST /invoices', () => {
  test('accepts a full invoice and answers with its analysis, to the letter', async () => {
    const answer = await post(await freshKey(), fullInvoice);
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      status: 'ANALYZING',
      decision: 'PASS',
      risk_score: expect.any(Number),
      findings: expect.any(Array),
      versions: { riskEngine: expect.stringMatching(/\S/), policy: expect.stringMatching(/\S/) },
    });
    expect(answer.headers.has('idempotency-replayed')).toBe(false);
  });

  test('responds with six fields per finding and amounts as strings', async () => {
    const key = await freshKey();
    await post(key, fullInvoice);
    const { body } = await post(key, fullInvoice);
    expect(body).toMatchObject({ decision: 'BLOCK', status: 'ANALYZING' });
    expect(body.risk_score).toBeGreaterThan(0);
    expect(body.findings.find(({ type }) => type === 'DUPLICATE_INVOICE')).toEqual({
      type: 'DUPLICATE_INVOICE',
      severity: 'CRITICAL',
      summary: expect.stringMatching(/\S/),
      recommendedAction: expect.stringContaining('Do not pay'),
      confidence: expect.any(Number),
      evidence: expect.objectContaining({
        key: expect.any(String),
        rule: expect.any(String),
        explanation: expect.any(Array),
      }),
    });
  });

  test('accepts the smallest invoice, and a key of any role with the scope', async () => {
    const { tenant } = running;
    for (const [index, key] of [tenant.keys.analyst, tenant.keys.admin, tenant.keys.owner].entries()) {
      expect((await post(key, plainInvoice(9_100 + index))).status).toBe(202);
    }
  });

  test('stores what was sent, the currency in upper case and text trimmed, and shows it again', async () => {
    const { keys, companyId } = await running.newTenant();
    const sent = { ...fullInvoice, currency: 'eur', invoice_number: '  RE-2026-0118  ', company_id: companyId };
    const { body: accepted } = await post(keys.owner, sent);
    const { body } = await running.request(`GET /invoices/${accepted.id}`, { key: keys.owner });
    expect(body).toEqual({
      id: accepted.id,
      companyId,
      source: 'API',
      status: 'ANALYZED',
      invoice: { ...sent, currency: 'EUR', invoice_number: 'RE-2026-0118' },
      decision: accepted.decision,
      riskScore: accepted.risk_score,
      analysisId: expect.any(String),
      documentId: null,
      scanId: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test('takes a GB IBAN together with its own sort code and account number for one account', async () => {
    const account = { iban: 'GB29 NWBK 6016 1331 9268 19', sort_code: '60-16-13', account_number: '31926819' };
    const invoice = { ...fullInvoice, currency: 'GBP', supplier: { ...fullInvoice.supplier, bank_account: account } };
    expect((await post(await freshKey(), invoice)).status).toBe(202);
  });

  test('refuses without a key with 401', async () => {
    const answer = await running.request<ErrorBody>('POST /invoices', { body: fullInvoice });
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
  });

  test('refuses a key without the scope with 403', async () => {
    const answer = await post<ErrorBody>(running.tenant.keys.viewer, fullInvoice);
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
  });

  test('refuses a wrong invoice with 400, naming the first fault, how many there are, and each of them', async () => {
    const answer = await post<ErrorBody>(running.tenant.keys.owner, {
      ...fullInvoice,
      currency: 'XXX',
      issue_date: '2026-02-30',
      extra: 1,
    });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
    expect(answer.body.error.message).toMatch(/^issue_date: .*\(1 of 3 faults\)$/);
    expect(answer.body.error.details?.map(({ path }) => path)).toEqual(['issue_date', 'extra', 'currency']);
  });

  test('refuses a company of another organization exactly like one that does not exist', async () => {
    const { tenant, other } = running;
    const requestId = 'same-company';
    const [foreign, unknown] = await Promise.all(
      [other.companyId, UNKNOWN_ID].map((company_id) =>
        post<ErrorBody>(tenant.keys.owner, { ...fullInvoice, company_id }, { requestId }),
      ),
    );
    expect(foreign?.status).toBe(400);
    expect(foreign?.body.error.message).toMatch(/^company_id: /);
    expect(foreign?.text).toBe(unknown?.text);
  });
});

describe('an Idempotency-Key', () => {
  test('sent fifty times at once makes one invoice: one 202, the others its replay or 409', async () => {
    const key = await freshKey('FREE');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        post<AcceptedAnalysis | ErrorBody>(key, fullInvoice, { idempotencyKey: 'fifty' }),
      ),
    );
    const accepted = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(accepted.filter(({ headers }) => headers.get('idempotency-replayed') !== 'true')).toHaveLength(1);
    expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
    for (const { status, body, headers } of refused) {
      expect({ status, body }).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
      expect(headers.get('retry-after')).toBe('1');
    }
    expect(await invoicesOf(key)).toHaveLength(1);
  });

  test('repeated with the same body gives the first answer again, to the byte', async () => {
    const key = await freshKey();
    const first = await post(key, fullInvoice, { idempotencyKey: 'replay' });
    const second = await post(key, fullInvoice, { idempotencyKey: '"replay"' });
    expect(second.status).toBe(202);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await invoicesOf(key)).toHaveLength(1);
  });

  test('takes a body with its fields in another order and other blanks for the same body', async () => {
    const key = await freshKey();
    const first = await post(key, fullInvoice, { idempotencyKey: 'reordered' });
    const reordered = Object.fromEntries(Object.entries(fullInvoice).toReversed());
    const second = await post(key, undefined, {
      idempotencyKey: 'reordered',
      bytes: JSON.stringify(reordered, null, 4),
    });
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  test('with another body is refused with 409 and stores nothing', async () => {
    const key = await freshKey();
    await post(key, fullInvoice, { idempotencyKey: 'other-body' });
    const refused = await post<ErrorBody>(key, plainInvoice(1), { idempotencyKey: 'other-body' });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect(refused.headers.has('retry-after')).toBe(false);
    expect(await invoicesOf(key)).toHaveLength(1);
  });

  test('belongs to the organization: another organization may use the same key, another API key of the same organization replays', async () => {
    const [one, two] = [await running.newTenant(), await running.newTenant()];
    const first = await post(one.keys.owner, fullInvoice, { idempotencyKey: 'ours' });
    const foreign = await post(two.keys.owner, fullInvoice, { idempotencyKey: 'ours' });
    const own = await post(one.keys.analyst, fullInvoice, { idempotencyKey: 'ours' });
    expect(foreign.headers.has('idempotency-replayed')).toBe(false);
    expect(foreign.body.id).not.toBe(first.body.id);
    expect(own.text).toBe(first.text);
  });

  test('stays usable after a refused body: the corrected one is executed', async () => {
    const key = await freshKey();
    const refused = await post<ErrorBody>(
      key,
      { ...fullInvoice, gross_amount: '1e3' },
      { idempotencyKey: 'corrected' },
    );
    expect(refused.status).toBe(400);
    const unknownCompany = { ...fullInvoice, company_id: UNKNOWN_ID };
    expect((await post<ErrorBody>(key, unknownCompany, { idempotencyKey: 'corrected' })).status).toBe(400);
    const corrected = await post(key, fullInvoice, { idempotencyKey: 'corrected' });
    expect(corrected.status).toBe(202);
    expect(corrected.headers.has('idempotency-replayed')).toBe(false);
  });

  test('replays when the plan has no analyses left, and counts once', async () => {
    const key = await freshKey('FREE');
    const first = await post(key, fullInvoice, { idempotencyKey: 'quota' });
    for (let number = 2; number <= 25; number += 1) {
      expect((await post(key, plainInvoice(number))).status).toBe(202);
    }
    const exceeded = await post<ErrorBody>(key, plainInvoice(26));
    expect(exceeded).toMatchObject({ status: 429, body: { error: { code: 'USAGE_LIMIT_EXCEEDED' } } });
    expect((await post(key, fullInvoice, { idempotencyKey: 'quota' })).text).toBe(first.text);
  });

  test.each([
    ['is longer than 255 characters', 'k'.repeat(256)],
    ['is empty', ''],
    ['is a list', 'one, two'],
    ['is a bare comma', ','],
    ['has a blank', 'one two'],
    ['is not ASCII', 'schl\u00fcssel'],
    ['is half a string', '"one'],
  ])('that %s is refused with 400', async (_, idempotencyKey) => {
    const key = running.other.keys.owner;
    const refused = await post<ErrorBody>(key, fullInvoice, { idempotencyKey });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
    expect(refused.body.error.message).toMatch(/^Idempotency-Key: /);
  });

  test('is refused with 400 when sent in two headers', async () => {
    const body = JSON.stringify(fullInvoice);
    const answer = await running.raw<ErrorBody>(
      'POST /invoices',
      [
        'POST /v1/invoices HTTP/1.1',
        'Host: localhost',
        'Connection: close',
        `Authorization: Bearer ${running.other.keys.owner}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Idempotency-Key: one',
        'Idempotency-Key: one',
        '',
        body,
      ].join('\r\n'),
    );
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(/^Idempotency-Key: /);
  });

  test('is accepted with 255 characters, and its invoice can be read at once', async () => {
    const { owner } = running.other.keys;
    const { body } = await post(owner, fullInvoice, { idempotencyKey: 'k'.repeat(255) });
    expect((await running.request(`GET /invoices/${body.id}/analysis/latest`, { key: owner })).status).toBe(200);
  });
});

describe('equal invoices posted at once', () => {
  test('are reported exactly once per pair, in twenty pairs', async () => {
    const key = await freshKey();
    const bodies = Array.from({ length: 20 }, (_, index) => ({
      ...fullInvoice,
      invoice_number: `PAIR-${index * 1000 + 17}`,
      net_amount: undefined,
      tax_amount: undefined,
      gross_amount: `${(index + 1) * 31}.57`,
      purchase_order_ref: undefined,
    }));
    const pairs = await Promise.all(bodies.map((body) => Promise.all([post(key, body), post(key, body)])));
    for (const pair of pairs) {
      const latest = await Promise.all(
        pair.map(({ body }) => running.request<LatestAnalysis>(`GET /invoices/${body.id}/analysis/latest`, { key })),
      );
      const reports = latest.map(({ body }) => body.findings.filter(({ type }) => type === 'DUPLICATE_INVOICE'));
      expect(reports.map(({ length }) => length)).toEqual(expect.arrayContaining([0, 1]));
      const [original, duplicate] = reports[0]?.length === 0 ? pair : pair.toReversed();
      expect(reports.flat()[0]).toMatchObject({
        invoiceId: duplicate?.body.id,
        relatedInvoiceIds: [original?.body.id],
      });
    }
  });
});

describe('GET /invoices/{invoiceId}/analysis/latest', () => {
  test('answers with the full records of the findings that the acceptance summarised', async () => {
    const { keys, companyId } = await running.newTenant();
    const original = await post(keys.owner, fullInvoice);
    const copy = await post(keys.owner, fullInvoice);
    const { status, body } = await running.request<LatestAnalysis>(`GET /invoices/${copy.body.id}/analysis/latest`, {
      key: keys.owner,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      decision: copy.body.decision,
      risk_score: copy.body.risk_score,
      versions: copy.body.versions,
      findings: copy.body.findings.map((summary) => expect.objectContaining(summary)),
    });
    const isDuplicate = ({ type }: { type: string }) => type === 'DUPLICATE_INVOICE';
    expect(body.findings.find(isDuplicate)).toEqual({
      ...copy.body.findings.find(isDuplicate),
      id: expect.any(String),
      invoiceId: copy.body.id,
      invoiceNumber: fullInvoice.invoice_number,
      supplierId: expect.any(String),
      supplierName: fullInvoice.supplier.name,
      scanId: null,
      relatedInvoiceIds: [original.body.id],
      amountAtRisk: fullInvoice.gross_amount,
      amountAtRiskCurrency: fullInvoice.currency,
      disposition: 'OPEN',
      companyId,
      assigneeUserId: null,
      createdAt: expect.any(String),
      family: 'DUP',
      updatedAt: expect.any(String),
    });
  });

  test('has an ETag, and gets a 304 without a body for a caller that has that version', async () => {
    const key = await freshKey();
    const { body } = await post(key, fullInvoice);
    const target = `GET /invoices/${body.id}/analysis/latest`;
    const full = await running.request(target, { key });
    const etag = full.headers.get('etag') ?? '';
    expect(etag).toMatch(new RegExp(`^"${body.id}-[\\w-]+"$`));
    for (const known of [etag, `W/${etag}`, `"another", ${etag}`]) {
      const answer = await running.request(target, { key, headers: { 'if-none-match': known } });
      expect({ status: answer.status, text: answer.text, etag: answer.headers.get('etag') }).toEqual({
        status: 304,
        text: '',
        etag,
      });
    }
    const anyVersion = await running.request(target, { key, headers: { 'if-none-match': '*' } });
    expect([anyVersion.status, anyVersion.text]).toEqual([304, '']);
    const changed = await running.request(target, { key, headers: { 'if-none-match': '"another"' } });
    expect(changed.text).toBe(full.text);
  });

  test('answers HEAD like GET, without the body', async () => {
    const key = await freshKey();
    const { body } = await post(key, fullInvoice);
    const path = `/invoices/${body.id}/analysis/latest`;
    const [head, get] = [await running.request(`HEAD ${path}`, { key }), await running.request(`GET ${path}`, { key })];
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['etag', 'content-length', 'content-type']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  });

  test('refuses without a key with 401', async () => {
    const answer = await running.request(`GET /invoices/${UNKNOWN_ID}/analysis/latest`);
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
  });
});

describe.each(['/invoices/{id}', '/invoices/{id}/analysis/latest'])('GET %s', (template) => {
  const read = (id: string) =>
    running.request(`GET ${template.replace('{id}', id)}`, { key: running.tenant.keys.owner, requestId: 'one-id' });

  test('refuses an unknown id, an invoice of another organization and a malformed id alike, to the byte', async () => {
    const { body } = await post(running.other.keys.owner, fullInvoice);
    const answers = [await read(UNKNOWN_ID), await read(body.id), await read('nonsense'), await read('%00')];
    expect(answers[0]).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const headers = answers.map((answer) => [...answer.headers.keys()].toSorted().join());
    expect(new Set(headers).size).toBe(1);
  });

  test('takes the id in any case', async () => {
    const { body } = await post(running.tenant.keys.owner, plainInvoice(77));
    expect((await read(body.id.toUpperCase())).status).toBe(200);
  });
});

describe('GET /invoices', () => {
  test('lists newest first, every invoice once over all pages, and none of other organizations', async () => {
    const key = await freshKey();
    const ids: string[] = [];
    for (let number = 1; number <= 5; number += 1) ids.unshift((await post(key, plainInvoice(number))).body.id);
    const seen: string[] = [];
    let cursor: string | null = '';
    do {
      const query: string = cursor === '' ? '?limit=2' : `?limit=2&cursor=${encodeURIComponent(cursor)}`;
      const { body }: Answer<Page<StoredInvoice>> = await running.request(`GET /invoices${query}`, { key });
      expect(body.items.length).toBeLessThanOrEqual(2);
      seen.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(ids);
    expect(await invoicesOf(await freshKey())).toEqual([]);
  });

  test('filters by company, source, decision and time', async () => {
    const { keys, companyId } = await running.newTenant();
    await post(keys.owner, fullInvoice);
    const { body: copy } = await post(keys.owner, fullInvoice);
    const idsOf = async (query: string) => (await invoicesOf(keys.owner, query)).map(({ id }) => id);
    expect(await idsOf('?decision=BLOCK')).toEqual([copy.id]);
    expect(await idsOf('?decision=PASS&source=API')).toHaveLength(1);
    expect(await idsOf(`?company_id=${companyId.toUpperCase()}`)).toHaveLength(2);
    expect(await idsOf(`?company_id=${UNKNOWN_ID}`)).toEqual([]);
    expect(await idsOf('?source=ERP')).toEqual([]);
    const { body } = await running.request<StoredInvoice>(`GET /invoices/${copy.id}`, { key: keys.owner });
    expect(await idsOf(`?created_from=${body.createdAt}`)).toEqual([copy.id]);
    expect(await idsOf(`?created_to=${body.createdAt}`)).toHaveLength(1);
    expect(await idsOf('?created_to=2020-01-01')).toEqual([]);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['cursor=nonsense', 'cursor'],
    ['cursor=', 'cursor'],
    ['company_id=nonsense', 'company_id'],
    ['source=FAX', 'source'],
    ['decision=pass', 'decision'],
    ['created_from=yesterday', 'created_from'],
    ['created_to=2026-02-30', 'created_to'],
    ['created_from=2026-01-01T25:00:00Z', 'created_from'],
    ['colour=red', 'colour'],
    ['__proto__=1', '__proto__'],
  ])('refuses ?%s with 400, naming %s', async (query, name) => {
    const answer = await running.request<ErrorBody>(`GET /invoices?${query}`, { key: running.tenant.keys.owner });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
    expect(answer.body.error.message).toMatch(new RegExp(`^${name}: `));
  });
});
