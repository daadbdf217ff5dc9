// Reads lists as CSV from the running product, as a spreadsheet or a script would.
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { useSharedSystem } from './running-system.js';
import type { Answer, RunningSystem } from './running-system.js';
import { plainInvoice } from './shapes.js';

const CSV = { accept: 'text/csv' };
type Row = Readonly<Record<string, string>>;

let running: RunningSystem;
let tenant: Tenant;
beforeAll(async () => {
  running = await useSharedSystem();
  tenant = await running.newTenant();
  const names = ['=HYPERLINK("http://192.0.2.1")', '+44 Courier Ltd', '-Minus GmbH', '@home "Büro", Ltd', 'Zoë & Søn'];
  for (const [index, name] of names.entries()) {
    const body = { ...plainInvoice(index), supplier: { name } };
    await running.clientOf(tenant.keys.owner).post('/invoices', { body });
  }
});
afterAll(() => running.stop());

const readCsv = (
  path: string,
  key = tenant.keys.owner,
  headers: Record<string, string> = CSV,
): Promise<Answer<string>> => running.request<string>(`GET ${path}`, { key, headers });
const rowsOf = ({ text }: Answer<string>): Row[] => parse(text, { columns: true, record_delimiter: '\r\n' });

test('a page of invoices is CSV in UTF-8, with the values of JSON and without a cell that is a formula', async () => {
  const answer = await readCsv('/invoices');
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
    200,
    'text/csv; charset=utf-8; header=present',
    'attachment; filename=invoices.csv',
  ]);
  expect([answer.headers.get('link'), answer.headers.get('vary')]).toEqual([null, 'Accept']);
  const json = await running.request<{
    items: { id: string; decision: string; riskScore: number; createdAt: string }[];
  }>('GET /invoices', { key: tenant.keys.owner });
  const rows = rowsOf(answer);
  expect(rows.map(({ id, decision, risk_score, created_at }) => ({ id, decision, risk_score, created_at }))).toEqual(
    json.body.items.map(({ id, decision, riskScore, createdAt }) => ({
      id,
      decision,
      risk_score: String(riskScore),
      created_at: createdAt,
    })),
  );
  expect(rows.map(({ supplier_name }) => supplier_name)).toEqual([
    'Zoë & Søn',
    '\'@home "Büro", Ltd',
    "'-Minus GmbH",
    "'+44 Courier Ltd",
    '\'=HYPERLINK("http://192.0.2.1")',
  ]);
});

test.each(['/invoices', '/findings'])(
  'the pages of %s in CSV follow the header Link to the end, each item once',
  async (list) => {
    const { body } = await running.request<{ items: { id: string }[] }>(`GET ${list}?limit=100`, {
      key: tenant.keys.owner,
    });
    const ids: (string | undefined)[] = [];
    const sizes: number[] = [];
    for (let path: string | undefined = `${list}?limit=2`; path !== undefined;) {
      const answer: Answer<string> = await readCsv(path);
      const rows = rowsOf(answer);
      sizes.push(rows.length);
      ids.push(...rows.map(({ id }) => id));
      path = /^<\/v1(\/[^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(ids).toEqual(body.items.map(({ id }) => id));
    expect(Math.max(...sizes)).toBe(2);
    expect(sizes.length).toBeGreaterThan(2);
  },
);

test('filters apply, and the link keeps them', async () => {
  const answer = await readCsv('/findings?severity=INFO&limit=1');
  expect(rowsOf(answer).map(({ severity }) => severity)).toEqual(['INFO']);
  expect(answer.headers.get('link')).toMatch(/^<\/v1\/findings\?severity=INFO&limit=1&cursor=[\w-]+>; rel="next"$/);
});

test('an organization sees only its own rows, and the header alone if it has none', async () => {
  const other = await running.newTenant();
  const answer = await readCsv('/invoices', other.keys.owner);
  expect(answer.text.split('\r\n')).toEqual([expect.stringMatching(/^id,decision,risk_score,/), '']);
});

test.each([
  [undefined, 'application/json; charset=utf-8'],
  ['*/*', 'application/json; charset=utf-8'],
  ['application/json, text/csv', 'application/json; charset=utf-8'],
  ['text/csv;q=0.5, application/json', 'application/json; charset=utf-8'],
  ['text/csv, application/json;q=0.5', 'text/csv; charset=utf-8; header=present'],
  ['text/csv; charset=utf-8', 'text/csv; charset=utf-8; header=present'],
  ['text/csv; charset=utf-8; header=present', 'text/csv; charset=utf-8; header=present'],
  ['text/csv;q=0.5, application/json; charset=utf-8', 'application/json; charset=utf-8'],
  ['text/*', 'text/csv; charset=utf-8; header=present'],
])('with Accept: %s the list is %s', async (accept, type) => {
  const answer = await readCsv('/invoices', tenant.keys.owner, accept === undefined ? {} : { accept });
  expect(answer.headers.get('content-type')).toBe(type);
});

test('a refusal is JSON also for callers who ask for CSV', async () => {
  const answer = await running.request<{ error: { code: string } }>('GET /invoices?limit=101', {
    key: tenant.keys.owner,
    headers: CSV,
  });
  expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST']);
});
