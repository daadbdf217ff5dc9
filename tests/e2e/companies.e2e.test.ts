import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { useSharedSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';
import { plainInvoice, UNKNOWN_ID } from './shapes.js';
import type { AcceptedAnalysis, Company, Page, StoredInvoice } from './shapes.js';

let running: RunningSystem;
beforeAll(async () => {
  running = await useSharedSystem();
});
afterAll(() => running.stop());

/** Returns the calls that the administrator of one tenant makes. */
function companiesOf({ keys: { admin: key } }: Tenant) {
  return {
    list: async () => (await running.request<Page<Company>>('GET /companies', { key })).body.items,
    create: (body: unknown) => running.request<Company & ErrorBody>('POST /companies', { key, body }),
    read: (id: string) => running.request<Company>(`GET /companies/${id}`, { key }),
    change: (id: string, body: unknown) =>
      running.request<Company & ErrorBody>(`PATCH /companies/${id}`, { key, body }),
    remove: (id: string) => running.request<ErrorBody>(`DELETE /companies/${id}`, { key }),
  };
}

/** Posts an invoice and returns the company to which the invoice was assigned. */
async function companyOfInvoice({ keys }: Tenant, invoice: Readonly<Record<string, unknown>>): Promise<string> {
  const { body } = await running.request<AcceptedAnalysis>('POST /invoices', { key: keys.owner, body: invoice });
  return (await running.request<StoredInvoice>(`GET /invoices/${body.id}`, { key: keys.owner })).body.companyId;
}

const conflict = { status: 409, body: { error: { code: 'CONFLICT' } } };

describe('a company', () => {
  test('exists from the start, as the default', async () => {
    const [only, ...others] = await companiesOf(running.tenant).list();
    expect(others).toEqual([]);
    expect(only).toMatchObject({ id: running.tenant.companyId, isDefault: true, taxId: null, country: null });
  });

  test('is created, read, listed, changed and removed', async () => {
    const tenant = await running.newTenant();
    const companies = companiesOf(tenant);
    const created = await companies.create({ name: ' Zweigwerk ', tax_id: 'DE136695976', country: 'DE' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.any(String),
      name: 'Zweigwerk',
      taxId: 'DE136695976',
      country: 'DE',
      isDefault: false,
      createdAt: expect.any(String),
    });
    const { id } = created.body;
    expect(created.headers.get('location')).toBe(`/v1/companies/${id}`);
    expect((await companies.read(id.toUpperCase())).body).toEqual(created.body);
    expect((await companies.list()).map((company) => company.id)).toEqual([id, tenant.companyId]);
    const changed = await companies.change(id, { name: 'Hauptwerk' });
    expect(changed).toMatchObject({ status: 200, body: { ...created.body, name: 'Hauptwerk' } });
    const removed = await companies.remove(id);
    expect({ status: removed.status, text: removed.text }).toEqual({ status: 204, text: '' });
    expect((await companies.read(id)).status).toBe(404);
    expect((await companies.remove(id)).status).toBe(404);
  });

  test.each<[string, unknown, string]>([
    ['nothing', {}, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a number that is not a VAT ID', { name: 'A', tax_id: '!!' }, 'tax_id'],
    ['a country in lower case', { name: 'A', country: 'de' }, 'country'],
    ['a country that does not exist', { name: 'A', country: 'ZZ' }, 'country'],
    ['a default that is not a boolean', { name: 'A', is_default: 'true' }, 'is_default'],
    ['the name of a record', { name: 'A', taxId: 'DE136695976' }, 'taxId'],
  ])('is not created from %s', async (_, body, path) => {
    const companies = companiesOf(running.tenant);
    const answer = await companies.create(body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
    expect(answer.body.error.message.split(': ', 1)).toEqual([path]);
    expect(await companies.list()).toHaveLength(1);
  });

  test('is not changed by an empty request', async () => {
    const answer = await companiesOf(running.tenant).change(running.tenant.companyId, {});
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
  });

  test('has a unique VAT ID, however it is formatted', async () => {
    const companies = companiesOf(await running.newTenant());
    await companies.create({ name: 'First', tax_id: 'DE136695976' });
    for (const tax_id of ['DE136695976', 'de 136 695 976', 'DE-136.695.976']) {
      expect(await companies.create({ name: 'Second', tax_id })).toMatchObject(conflict);
    }
    const second = await companies.create({ name: 'Second', tax_id: 'DE811907980' });
    expect(await companies.change(second.body.id, { tax_id: 'DE136695976' })).toMatchObject(conflict);
    expect((await companies.change(second.body.id, { tax_id: 'DE811907980', name: 'Same' })).status).toBe(200);
  });

  test('is created once when twenty requests with one VAT ID arrive at once', async () => {
    const companies = companiesOf(await running.newTenant());
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => companies.create({ name: 'Race', tax_id: 'PL5260250995' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 201) expect(answer).toMatchObject(conflict);
    expect(await companies.list()).toHaveLength(2);
  });

  test('beyond the plan is refused with 429 USAGE_LIMIT_EXCEEDED, until the plan allows it', async () => {
    const tenant = await running.newTenant('CORE');
    const companies = companiesOf(tenant);
    const exceeded = { status: 429, body: { error: { code: 'USAGE_LIMIT_EXCEEDED' } } };
    expect(await companies.create({ name: 'Second' })).toMatchObject(exceeded);
    await running.setPlan(tenant.organizationId, { additionalLegalEntities: 1 });
    expect((await companies.create({ name: 'Second' })).status).toBe(201);
    expect(await companies.create({ name: 'Third' })).toMatchObject(exceeded);
  });
});

describe('the default company', () => {
  test('is always exactly one: it can move, and can be neither unset nor removed', async () => {
    const tenant = await running.newTenant();
    const companies = companiesOf(tenant);
    const { id } = (await companies.create({ name: 'Second' })).body;
    expect(await companies.change(tenant.companyId, { is_default: false })).toMatchObject(conflict);
    expect(await companies.remove(tenant.companyId)).toMatchObject(conflict);
    expect((await companies.change(id, { is_default: true })).body.isDefault).toBe(true);
    expect((await companies.list()).filter(({ isDefault }) => isDefault).map((company) => company.id)).toEqual([id]);
    const third = await companies.create({ name: 'Third', is_default: true });
    expect(third.body.isDefault).toBe(true);
    expect(await companies.remove(third.body.id)).toMatchObject(conflict);
    expect((await companies.remove(tenant.companyId)).status).toBe(204);
  });

  test('receives invoices that name no company, as soon as it is the default', async () => {
    const tenant = await running.newTenant();
    expect(await companyOfInvoice(tenant, plainInvoice(1))).toBe(tenant.companyId);
    const { id } = (await companiesOf(tenant).create({ name: 'New default', is_default: true })).body;
    await eventually(async () => expect(await companyOfInvoice(tenant, plainInvoice(2))).toBe(id));
  });
});

describe('an invoice', () => {
  test('goes to a company right after its creation', async () => {
    const tenant = await running.newTenant();
    const companies = companiesOf(tenant);
    for (let number = 1; number <= 10; number += 1) {
      await companyOfInvoice(tenant, plainInvoice(number));
      const { id } = (await companies.create({ name: `Company ${number}` })).body;
      expect(await companyOfInvoice(tenant, { ...plainInvoice(number), company_id: id.toUpperCase() })).toBe(id);
    }
  });

  test('goes to the company whose VAT ID its buyer has, unless it names one', async () => {
    const tenant = await running.newTenant();
    const { id } = (await companiesOf(tenant).create({ name: 'Polska', tax_id: 'PL5260250995', country: 'PL' })).body;
    const to = (taxId: string, more = {}) =>
      companyOfInvoice(tenant, { ...plainInvoice(1), buyer: { tax_id: taxId }, ...more });
    for (const taxId of ['PL5260250995', '526-025-09-95', 'pl 526 025 09 95']) expect(await to(taxId)).toBe(id);
    expect(await to('DE811907980')).toBe(tenant.companyId);
    expect(await to('PL5260250995', { company_id: tenant.companyId })).toBe(tenant.companyId);
  });

  test('no longer goes to a company that was removed', async () => {
    const tenant = await running.newTenant();
    const companies = companiesOf(tenant);
    const { id } = (await companies.create({ name: 'Short-lived' })).body;
    await companyOfInvoice(tenant, { ...plainInvoice(1), company_id: id });
    await companies.remove(id);
    const post = (): Promise<Answer<ErrorBody>> =>
      running.request('POST /invoices', { key: tenant.keys.owner, body: { ...plainInvoice(2), company_id: id } });
    await eventually(async () => expect((await post()).status).toBe(400));
    expect((await post()).body.error.message).toMatch(/^company_id: /);
  });

  test('that was sent under a key is replayed after its company was removed', async () => {
    const tenant = await running.newTenant();
    const companies = companiesOf(tenant);
    const { id } = (await companies.create({ name: 'Short-lived' })).body;
    const post = (): Promise<Answer<AcceptedAnalysis>> =>
      running.request('POST /invoices', {
        key: tenant.keys.owner,
        body: { ...plainInvoice(1), company_id: id },
        headers: { 'idempotency-key': 'outlives-its-company' },
      });
    const first = await post();
    await companies.remove(id);
    const unkeyed = { key: tenant.keys.owner, body: { ...plainInvoice(2), company_id: id } };
    await eventually(async () => expect((await running.request('POST /invoices', unkeyed)).status).toBe(400));
    const again = await post();
    expect({ status: again.status, text: again.text }).toEqual({ status: 202, text: first.text });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  test('is refused for an unknown company', async () => {
    const answer = await running.request<ErrorBody>('POST /invoices', {
      key: running.tenant.keys.owner,
      body: { ...plainInvoice(1), company_id: UNKNOWN_ID },
    });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
  });
});
