// Suppliers with their accounts, and verifications of accounts by two people, over REST.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { useSharedSystem } from './running-system.js';
import type { ErrorBody, RunningSystem } from './running-system.js';
import { UNKNOWN_ID } from './shapes.js';
import type { AcceptedAnalysis, Page } from './shapes.js';
import { ubl, uploadXml } from './uploading.js';

interface Verification {
  readonly id: string;
  readonly contact: string | null;
  readonly by: string;
  readonly at: string;
  readonly confirmation: { readonly by: string; readonly at: string } | null;
}

interface Supplier {
  readonly id: string;
  readonly name: string;
  readonly invoiceCount: number;
  readonly accounts: readonly {
    readonly id: string;
    readonly masked: string;
    readonly verifications: Verification[];
  }[];
}

const BILLED_PHONE = '+49 40 7777777';
const call = {
  method: 'CALL_BACK',
  contact_source: 'VENDOR_MASTER',
  contact: '+49 40 1234567',
  note: 'Spoke with Ms Berg.',
};

let running: RunningSystem;
let tenant: Tenant;
let supplier: Supplier;
let verifications: string;

beforeAll(async () => {
  running = await useSharedSystem();
  ({ tenant } = running);
  supplier = await newSupplier(tenant, 'Nordlicht Energie GmbH');
  verifications = `/suppliers/${supplier.id}/accounts/${supplier.accounts[0]?.id}/verifications`;
});
afterAll(() => running.stop());

/** Posts an invoice with an account and uploads one that states a phone number, and waits until both are counted. */
async function newSupplier({ keys: { owner: key } }: Tenant, name: string): Promise<Supplier> {
  const { request } = running;
  await request<AcceptedAnalysis>('POST /invoices', {
    key,
    body: {
      supplier: { name, tax_id: 'DE136695976', bank_account: { iban: 'DE89370400440532013000' } },
      invoice_number: '=HYPERLINK("https://evil.example")',
      issue_date: '2026-03-05',
      currency: 'EUR',
      net_amount: '1000.00',
      tax_amount: '190.00',
      gross_amount: '1190.00',
    },
  });
  const xml = ubl('RE-2026-0777').replace(
    '</cac:Party></cac:AccountingSupplierParty>',
    `<cac:Contact><cbc:Telephone>040 777 77 77</cbc:Telephone></cac:Contact></cac:Party></cac:AccountingSupplierParty>`,
  );
  await request('POST /invoices/from-upload', { key, body: { upload_id: await uploadXml(running, key, xml) } });
  return eventually(async () => {
    const { body } = await request<Page<Supplier>>('GET /suppliers?q=nordlicht', { key });
    const found = body.items.find((one) => one.invoiceCount === 2);
    expect(found).toBeDefined();
    return (await request<Supplier>(`GET /suppliers/${found?.id}`, { key })).body;
  });
}

const verify = (body: object, key = tenant.keys.analyst) =>
  running.request<Verification & ErrorBody>(`POST ${verifications}`, { key, body });
const confirm = (id: string, key: string) =>
  running.request<Verification & ErrorBody>(`POST ${verifications}/${id}/confirm`, { key });
const accountChanges = (query: string, key = tenant.keys.viewer) =>
  running.request(`GET /account-changes?${query}`, { key });

describe('suppliers', () => {
  test('are found by the beginning of their name and by their tax id, with masked accounts', async () => {
    const find = async (q: string) =>
      (await running.request<Page<Supplier>>(`GET /suppliers?q=${encodeURIComponent(q)}`, { key: tenant.keys.viewer }))
        .body.items;
    for (const q of ['NORDLICHT', 'nordlicht en', 'DE136695976', 'Nordlicht Energie GmbH'])
      expect((await find(q)).map(({ id }) => id)).toEqual([supplier.id]);
    for (const q of ['energie', '...', 'DE999999999']) expect(await find(q)).toEqual([]);
    expect(supplier).toMatchObject({ name: 'Nordlicht Energie GmbH', taxIds: ['DE136695976'], status: 'KNOWN' });
    expect(supplier.accounts).toMatchObject([
      { scheme: 'IBAN', country: 'DE', trust: 'SEEN', invoiceCount: 1, sharedWith: 0, verifications: [] },
    ]);
    expect(JSON.stringify(supplier)).not.toContain('0532013000');
    expect(supplier.accounts[0]?.masked).toMatch(/^DE89\*+3000$/);
  });

  test('are paged by name, each once', async () => {
    const key = tenant.keys.owner;
    for (const name of ['Alpha', 'Beta', 'Gamma']) {
      const body = {
        supplier: { name: `Paged ${name}` },
        invoice_number: name,
        issue_date: '2026-03-05',
        currency: 'EUR',
        gross_amount: '10.00',
      };
      await running.request('POST /invoices', { key, body });
    }
    await eventually(async () => {
      const names: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const page = await running.request<Page<Supplier>>(`GET /suppliers?q=paged&limit=2${after}`, { key });
        names.push(...page.body.items.map(({ name }) => name));
        cursor = page.body.nextCursor;
      }
      expect(names).toEqual(['Paged Alpha', 'Paged Beta', 'Paged Gamma']);
    });
    const foreign = await running.request<Page<Supplier>>('GET /suppliers?q=paged', { key: running.other.keys.owner });
    expect(foreign.body.items).toEqual([]);
  });
});

describe('a verification', () => {
  test('is recorded at the time of the service by the person behind the key, and shows its contact to ADMIN', async () => {
    const before = Date.now();
    const recorded = await verify(call);
    expect(recorded).toMatchObject({
      status: 201,
      body: { method: 'CALL_BACK', contactSource: 'VENDOR_MASTER', contact: null, note: call.note, confirmation: null },
    });
    expect(recorded.body.by).toBe(`USER:${tenant.users.analyst}`);
    expect(Date.parse(recorded.body.at)).toBeGreaterThanOrEqual(before - 1_000);
    const seenBy = async (key: string) =>
      (await running.request<Supplier>(`GET /suppliers/${supplier.id}`, { key })).body.accounts[0]?.verifications.find(
        ({ id }) => id === recorded.body.id,
      );
    expect(await seenBy(tenant.keys.viewer)).toMatchObject({ contact: null });
    expect(await seenBy(tenant.keys.admin)).toMatchObject({ contact: call.contact });
  });

  test('changes neither the trust of the account nor a decision', async () => {
    const key = tenant.keys.owner;
    const read = async () => (await running.request<Supplier>(`GET /suppliers/${supplier.id}`, { key })).body;
    const before = (await read()).accounts.map(({ verifications: _, ...account }) => account);
    const { body } = await verify(call);
    await confirm(body.id, tenant.keys.admin);
    expect((await read()).accounts.map(({ verifications: _, ...account }) => account)).toEqual(before);
  });

  test.each([
    ['the number on an uploaded document', BILLED_PHONE],
    ['the same number in another spelling', '0049 (40) 777-7777'],
    ['a text of an invoice', 'Nordlicht Energie GmbH'],
  ])('is refused for a contact from a bill: %s', async (_, contact) => {
    const { status, body } = await verify({ ...call, contact });
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
    expect(body.error.message).toContain(
      'A contact that was taken from the invoice itself does not prove that the bank account belongs to the supplier. Use a phone number or address from the vendor master, a contract or a public register.',
    );
  });

  test.each([
    ['method', { ...call, method: 'E_MAIL' }],
    ['contact_source', { ...call, contact_source: 'BILL' }],
    ['contact', { ...call, contact: ' ' }],
    ['contact', { ...call, contact: 'x'.repeat(201) }],
    ['contact', { ...call, contact: '+49 40 1234567\u202e' }],
    ['contact', { ...call, contact: { $gt: '' } }],
    ['note', { ...call, note: 'x'.repeat(4_001) }],
    ['at', { ...call, at: '2020-01-01T00:00:00Z' }],
  ])('is refused with the place of the fault: %s', async (path, body) => {
    const answer = await verify(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain(path);
  });

  test('is confirmed by another person, not by a second key of the same one', async () => {
    const { body } = await verify(call);
    const { owner, analyst, admin, viewer } = tenant.keys;
    const second = await running.request<{ key: string }>('POST /api-keys', {
      key: owner,
      body: { name: 'Second key', role: 'ANALYST', user_id: tenant.users.analyst },
    });
    for (const key of [analyst, second.body.key]) {
      expect(await confirm(body.id, key)).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    }
    expect((await confirm(body.id, viewer)).status).toBe(403);
    const confirmed = await confirm(body.id, admin);
    expect(confirmed).toMatchObject({ status: 200, body: { confirmation: { by: `USER:${tenant.users.admin}` } } });
    expect((await confirm(body.id, admin)).body).toEqual(confirmed.body);
    expect((await confirm(body.id, owner)).status).toBe(409);
  });

  test('is confirmed once when two people confirm at the same time', async () => {
    const { body } = await verify(call);
    const answers = await Promise.all([tenant.keys.admin, tenant.keys.owner].map((key) => confirm(body.id, key)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });

  test('of another organization looks like one that does not exist', async () => {
    const { body } = await verify(call);
    const key = running.other.keys.owner;
    const accountId = supplier.accounts[0]?.id ?? '';
    const targets = (supplierId: string, account: string, id: string) => [
      `GET /suppliers/${supplierId}`,
      `POST /suppliers/${supplierId}/accounts/${account}/verifications`,
      `POST /suppliers/${supplierId}/accounts/${account}/verifications/${id}/confirm`,
    ];
    const foreign = targets(supplier.id, accountId, body.id);
    const unknown = targets(UNKNOWN_ID, UNKNOWN_ID, UNKNOWN_ID);
    const malformed = targets('x', 'x', 'x');
    for (const [index, target] of foreign.entries()) {
      const options = { key, requestId: 'whose', ...(index === 1 ? { body: call } : {}) };
      const answers = await Promise.all(
        [target, unknown[index] ?? '', malformed[index] ?? ''].map((one) => running.request(one, options)),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(404);
    }
    // An account or verification of another supplier of the same organization is unknown too.
    expect(
      (await running.request(`POST ${verifications}/${UNKNOWN_ID}/confirm`, { key: tenant.keys.admin })).status,
    ).toBe(404);
  });

  test('is in the audit trail', async () => {
    const { body } = await verify(call);
    await confirm(body.id, tenant.keys.admin);
    await accountChanges('');
    await eventually(async () => {
      const trail = await running.request<Page<{ action: string; target: string }>>('GET /audit-events', {
        key: tenant.keys.admin,
      });
      const actions = trail.body.items
        .filter(({ target }) => target.startsWith('account:'))
        .map(({ action }) => action);
      expect(actions.slice(0, 2)).toEqual(['account.verification_confirmed', 'account.verified']);
      expect(trail.body.items.map(({ action }) => action)).toContain('account.changes_exported');
      expect(JSON.stringify(trail.body)).not.toContain('1234567');
    });
  });
});

describe('the export of account changes', () => {
  test('is a CSV that a spreadsheet shows as text, with contacts and both people', async () => {
    const { body } = await verify({ ...call, note: '@SUM(A1), "quoted"' });
    await confirm(body.id, tenant.keys.admin);
    const { status, headers, text } = await accountChanges('company_id=' + tenant.companyId);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename=account-changes-/);
    const lines = text.split('\r\n');
    const line = lines.find((one) => one.includes('quoted')) ?? '';
    expect(line).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
    expect(line).toContain(`"'@SUM(A1), ""quoted"""`);
    expect(line).toContain(`'+49 40 1234567,`);
    expect(line).toContain(`USER:${tenant.users.analyst}`);
    expect(line).toContain(`USER:${tenant.users.admin}`);
    for (const one of lines) expect(one).not.toMatch(/(?:^|,)"?[=+\-@]/);
  });

  test('is a page without script that shows hostile texts as text', async () => {
    await verify({ ...call, note: '<img src=x onerror=alert(1)>' });
    const { headers, text } = await accountChanges('format=html');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(text).not.toContain('<img');
  });

  test('holds the accounts of the period and of the company alone, and of no other organization', async () => {
    const has = async (query: string, key?: string) => (await accountChanges(query, key)).text.includes(supplier.id);
    expect(await has('')).toBe(true);
    expect(await has('from=2020-01-01&to=2020-12-31')).toBe(false);
    expect(await has(`company_id=${UNKNOWN_ID}`)).toBe(false);
    expect(await has('', running.other.keys.owner)).toBe(false);
  });

  test.each([
    ['from=2026-02-30', 'from'],
    ['from=2026-03-02&to=2026-03-01', 'to'],
    ['format=pdf', 'format'],
    ['company_id=x', 'company_id'],
    ['when=now', 'when'],
  ])('is refused for %s', async (query, path) => {
    const answer = await running.request<ErrorBody>(`GET /account-changes?${query}`, { key: tenant.keys.viewer });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain(path);
  });
});
