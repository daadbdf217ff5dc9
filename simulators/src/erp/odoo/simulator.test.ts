import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Row } from '../call.js';
import { startErpSimulators } from '../simulators.js';
import type { ErpSimulators } from '../simulators.js';
import { call } from '../testing.js';
import type { TestAnswer } from '../testing.js';

let simulators: ErpSimulators;
let control: string;
let base: string;
beforeAll(async () => {
  simulators = await startErpSimulators();
  control = `${simulators.urls.odoo}/control`;
  base = `${simulators.urls.odoo}/acme`;
});
beforeEach(async () => set({}));
afterAll(async () => simulators.stop());

const set = async (settings: object): Promise<void> => {
  expect((await call(`PUT ${control}/tenants/acme`, { apiKey: 'key', ...settings })).status).toBe(200);
};
const put = async (entity: string, records: readonly Row[], remove: readonly number[] = []): Promise<TestAnswer> =>
  call(`POST ${control}/tenants/acme/records`, { entity, records, remove });
const json2 = async (of: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<TestAnswer> =>
  call(`POST ${base}/json/2/${of}`, body, { authorization: 'bearer key', ...headers });
const search = async (model: string, domain: unknown, more: object = {}): Promise<readonly unknown[]> => {
  const { json } = await json2(`${model}/search_read`, { domain, fields: ['id'], ...more });
  return (json as unknown as readonly Row[]).map(({ id }) => id);
};
const rpc = async (service: string, method: string, args: readonly unknown[]): Promise<Row> => {
  const body = { jsonrpc: '2.0', method: 'call', id: 7, params: { service, method, args } };
  const { status, json } = await call(`POST ${base}/jsonrpc`, body);
  expect([status, json?.['id']]).toEqual([200, 7]);
  return json ?? {};
};

describe('JSON-2', () => {
  test('asks for the API key as a bearer token', async () => {
    expect((await json2('res.users/context_get', {})).json).toEqual({ lang: 'en_US', tz: 'Europe/Brussels', uid: 2 });
    const wrong = await json2('res.users/context_get', {}, { authorization: 'bearer other' });
    expect(wrong.status).toBe(401);
    expect(wrong.json).toMatchObject({
      name: 'werkzeug.exceptions.Unauthorized',
      message: 'Invalid apikey',
      arguments: ['Invalid apikey'],
      context: {},
      debug: expect.stringContaining('Traceback'),
    });
    await call(`POST ${control}/tenants/acme/expire`, { what: 'SECRET' });
    expect((await json2('res.users/context_get', {})).status).toBe(401);
  });

  test('refuses records without rights, unknown names and wrong arguments in its own words', async () => {
    const errors = [
      ['res.planet/search_read', {}, 404, 'NotFound'],
      ['res.partner/unlink_all', {}, 404, 'NotFound'],
      ['res.partner/search_read', { nonsense: 1 }, 422, 'UnprocessableEntity'],
      ['res.partner/search_read', { ids: [1] }, 422, 'UnprocessableEntity'],
      ['res.partner/search_read', { fields: ['nonsense'] }, 500, 'ValueError'],
      ['res.partner/search_read', { domain: [['nonsense', '=', 1]] }, 500, 'ValueError'],
      ['res.partner/search_read', { domain: [['name', '~', 1]] }, 500, 'ValueError'],
      ['res.partner/search_read', { order: 'nonsense' }, 500, 'ValueError'],
      ['res.partner/read', { ids: [99] }, 404, 'NotFound'],
      ['account.move/search_count', { context: { allowed_company_ids: [8] } }, 403, 'AccessError'],
    ] as const;
    for (const [of, body, status, name] of errors) {
      const answer = await json2(of, body);
      expect([of, body, answer.status]).toEqual([of, body, status]);
      expect(answer.json?.['name']).toMatch(new RegExp(`\\.${name}$`));
    }
    await call(`POST ${control}/tenants/acme/expire`, { what: 'RIGHTS' });
    expect((await json2('res.partner/search_count', {})).status).toBe(403);
  });

  test('answers HTML where no database is selected, and where it does not exist before version 19', async () => {
    await set({ databases: ['one', 'two'] });
    const none = await json2('res.users/context_get', {});
    expect([none.status, none.json]).toEqual([404, undefined]);
    expect(none.text).toContain('No database is selected');
    expect((await json2('res.users/context_get', {}, { 'x-odoo-database': 'two' })).status).toBe(200);
    expect((await json2('res.users/context_get', {}, { 'x-odoo-database': 'three' })).status).toBe(404);
    expect((await call(`POST ${base}/web/database/list`, { id: 3 })).json).toMatchObject({ result: ['one', 'two'] });
    await set({ version: '18.0' });
    expect((await json2('res.users/context_get', {})).status).toBe(404);
    expect((await call(`GET ${base}/web/version`)).status).toBe(404);
  });

  test('tells its version from 19 on', async () => {
    const { json } = await call(`GET ${base}/web/version`);
    expect(json).toEqual({ version_info: [19, 0, 0, 'final', 0, ''], version: '19.0' });
  });
});

describe('records', () => {
  test('are read with empty fields as false, and relations as id and label', async () => {
    const partner = { id: 14, name: 'Azure Interior', country_id: [233, 'United States'] };
    await put('res.partner', [partner]);
    await put('account.move', [{ id: 51, partner_id: 14, amount_total: 121.5 }]);
    expect((await json2('account.move/read', { ids: [51] })).json).toMatchObject([
      {
        id: 51,
        ref: false,
        move_type: 'in_invoice',
        partner_id: [14, 'Azure Interior'],
        commercial_partner_id: [14, 'Azure Interior'],
        currency_id: [126, 'EUR'],
        company_id: [1, 'My Company'],
        amount_total: 121.5,
        amount_residual: 121.5,
      },
    ]);
    expect((await json2('res.country/read', { ids: [233], fields: ['code'] })).json).toEqual([{ id: 233, code: 'US' }]);
  });

  test.each<[unknown, readonly number[]]>([
    [[], [1, 2, 3]],
    [[['supplier_rank', '>', 0]], [1, 3]],
    [[['name', '=', 'Alpha']], [1]],
    [[['name', 'in', ['Alpha', 'Beta']]], [1, 2]],
    [[['name', 'not in', ['Alpha', 'Beta']]], [3]],
    [
      ['|', ['name', '=', 'Alpha'], ['id', '>', 2]],
      [1, 3],
    ],
    [
      ['!', ['name', 'ilike', 'alp']],
      [2, 3],
    ],
    [[['country_id', '=', 20]], [2]],
    [[['vat', '=', false]], [1, 3]],
    [['&', ['id', '>=', 2], ['id', '<=', 2]], [2]],
  ])('are found by %j', async (domain, expected) => {
    await put('res.partner', [
      { id: 1, name: 'Alpha', supplier_rank: 2 },
      { id: 2, name: 'Beta', country_id: [20, 'Belgium'], vat: 'BE0477472701' },
      { id: 3, name: 'Gamma', supplier_rank: 1 },
    ]);
    expect(await search('res.partner', domain)).toEqual(expected);
    expect((await json2('res.partner/search_count', { domain })).json).toBe(expected.length);
  });

  test('that are archived are left out unless the context asks for them', async () => {
    await put('res.partner', [{ id: 1 }, { id: 2, active: false }]);
    expect(await search('res.partner', [])).toEqual([1]);
    expect(await search('res.partner', [], { context: { active_test: false } })).toEqual([1, 2]);
    expect(await search('res.partner', [['active', '=', false]])).toEqual([2]);
  });

  test('were written within the second that their stamp shows, so that equality misses them', async () => {
    await put('res.partner', [{ id: 1, write_date: '2026-02-01 09:15:22' }]);
    const of = (operator: string, value: string): unknown => [['write_date', operator, value]];
    expect(await search('res.partner', of('=', '2026-02-01 09:15:22'))).toEqual([]);
    expect(await search('res.partner', of('>=', '2026-02-01 09:15:22'))).toEqual([1]);
    expect(await search('res.partner', of('<', '2026-02-01 09:15:22'))).toEqual([]);
    expect(await search('res.partner', of('<', '2026-02-01 09:15:23'))).toEqual([1]);
  });

  test('are refused with an invalid stamp', async () => {
    expect((await put('res.partner', [{ id: 1, write_date: 'yesterday' }])).status).toBe(400);
    expect((await put('res.partner', [{ id: 1, write_date: 5 }])).status).toBe(400);
    expect(await search('res.partner', [])).toEqual([]);
  });

  test('are paged by id, by order and by offset', async () => {
    await put(
      'res.partner',
      [5, 3, 1, 4, 2].map((id) => ({ id, name: `V${9 - id}` })),
    );
    expect(await search('res.partner', [['id', '>', 2]], { order: 'id asc', limit: 2 })).toEqual([3, 4]);
    expect(await search('res.partner', [], { order: 'name desc', limit: 2, offset: 1 })).toEqual([2, 3]);
    await put('res.partner', [], [3]);
    expect(await search('res.partner', [])).toEqual([1, 2, 4, 5]);
  });

  test('of bank accounts have other names from version 20 on, which fields_get tells', async () => {
    const account = { id: 7, acc_number: 'BE71 0961 2345 6769', partner_id: 14 };
    await put('res.partner.bank', [account]);
    const [old] = (await json2('res.partner.bank/read', { ids: [7] })).json as unknown as readonly Row[];
    expect(old).toMatchObject({ sanitized_acc_number: 'BE71096123456769', acc_type: 'iban' });
    await set({ version: '20.0' });
    await put('res.partner.bank', [account]);
    const [row] = (await json2('res.partner.bank/read', { ids: [7] })).json as unknown as readonly Row[];
    expect(row).toMatchObject({ account_number: 'BE71 0961 2345 6769', sanitized_account_number: 'BE71096123456769' });
    expect(row).not.toHaveProperty('acc_number');
    const { json } = await json2('res.partner.bank/fields_get', { attributes: ['type'] });
    expect(json).toMatchObject({ account_number: { type: 'char' } });
    expect(json).not.toHaveProperty('bank_bic');
  });
});

describe('JSON-RPC', () => {
  test('asks for database, login and key, and answers faults with status 200', async () => {
    await set({ version: '18.0', login: 'admin@acme.example' });
    expect(await rpc('common', 'version', [])).toMatchObject({ result: { server_version: '18.0' } });
    const uid = (await rpc('common', 'authenticate', ['main', 'admin@acme.example', 'key', {}]))['result'];
    expect(uid).toBe(2);
    expect(await rpc('common', 'authenticate', ['main', 'other', 'key', {}])).toMatchObject({ result: false });
    await put('res.partner', [{ id: 1, name: 'Alpha' }]);
    const args = (key: string, model = 'res.partner'): readonly unknown[] => [
      'main',
      uid,
      key,
      model,
      'search_read',
      [[['id', '>', 0]]],
      { fields: ['name'], limit: 5 },
    ];
    expect(await rpc('object', 'execute_kw', args('key'))).toMatchObject({ result: [{ id: 1, name: 'Alpha' }] });
    const read = ['main', uid, 'key', 'res.partner', 'read', [[1]], { fields: ['name'] }];
    expect(await rpc('object', 'execute_kw', read)).toMatchObject({ result: [{ id: 1, name: 'Alpha' }] });
    expect(await rpc('object', 'execute_kw', args('wrong'))).toMatchObject({
      error: { code: 200, message: 'Odoo Server Error', data: { name: 'odoo.exceptions.AccessDenied' } },
    });
    expect(await rpc('object', 'execute_kw', args('key', 'res.planet'))).toHaveProperty('error');
    expect(await rpc('common', 'authenticate', ['other', 'admin@acme.example', 'key', {}])).toHaveProperty('error');
  });
});
