// Sends invisible characters and line breaks through every endpoint that accepts text. Each endpoint must refuse them
// or remove them before the text is stored and shown.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { Binary } from 'mongodb';
import { PDFDocument } from 'pdf-lib';
import { startKsef } from './ksef-actions.js';
import type { Ksef } from './ksef-actions.js';
import { startRunningSystem } from './running-system.js';
import type { ErrorBody, RunningSystem } from './running-system.js';
import type { AcceptedAnalysis, Page } from './shapes.js';
import { ubl, uploadFile } from './uploading.js';

const API_KEY = 'right-key';
const LONG = 'x'.repeat(3_000);
/**
 * Characters that the XML and JSON of other systems can contain. NUL and half of a surrogate pair are not among them:
 * parsers or checks refuse those two.
 */
const HIDDEN = '\u202e\u2066\u200b\ufeff';
const NASTY = `${HIDDEN}\r\n`;
const FORBIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]|\p{Surrogate}/u;
/** Pattern for forbidden characters in binary data, where only characters of several bytes are reliable evidence. */
const FORBIDDEN_IN_BYTES = new RegExp(`[${HIDDEN}]`, 'u');

let erps: ErpSimulators;
let ksef: Ksef;
let running: RunningSystem;
let key: string;
let organizationId: string;
beforeAll(async () => {
  [erps, ksef] = await Promise.all([startErpSimulators(), startKsef()]);
  running = await startRunningSystem({
    ...ksef.env,
    EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
    ERP_EGRESS_ALLOW_ORIGINS: new URL(erps.urls.odoo).origin,
    ERP_POLL_SECONDS: '1',
    KSEF_WAIT_FACTOR: '0.05',
  });
  ({ organizationId } = running.tenant);
  key = running.tenant.keys.owner;
}, 120_000);
afterAll(async () => {
  await running.stop();
  await Promise.all([erps.stop(), ksef.stop()]);
});

const get = async <Body = unknown>(path: string): Promise<Body> => {
  const { status, body } = await running.request<Body>(`GET ${path}`, { key });
  expect([path, status]).toEqual([path, 200]);
  return body;
};

function* textsOf(value: unknown, path = ''): Generator<readonly [path: string, text: string]> {
  if (typeof value === 'string') yield [path, value];
  else if (value instanceof Binary) {
    const text = Buffer.from(value.buffer).toString('utf8');
    if (FORBIDDEN_IN_BYTES.test(text)) yield [path, HIDDEN];
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* textsOf(member, `${path}/${name}`);
  }
}

function expectReadable(value: unknown): void {
  const unreadable = [...textsOf(value)].filter(([, text]) => FORBIDDEN.test(text) || text.includes(LONG));
  expect(unreadable).toEqual([]);
}

/** Checks everything that analyses of the organization have stored. */
async function expectStoredReadable(): Promise<void> {
  const collections = await running.analysisDatabase.listCollections({}, { nameOnly: true }).toArray();
  for (const { name } of collections) {
    for await (const stored of running.analysisDatabase.collection(name).find({ organizationId })) {
      expectReadable({ [name]: stored });
    }
  }
}

const today = new Date().toISOString().slice(0, 10);
const invoice = (change: object = {}) => ({
  supplier: {
    name: 'Nordlicht Energie GmbH',
    tax_id: 'DE136695976',
    ...('supplier' in change ? (change.supplier as object) : {}),
  },
  invoice_number: 'RT-1',
  issue_date: today,
  currency: 'EUR',
  gross_amount: '100.00',
  ...Object.fromEntries(Object.entries(change).filter(([name]) => name !== 'supplier')),
});
const row = (change: object) => ({
  rows: [
    {
      supplierName: 'Nordlicht',
      invoiceNumber: 'RT-1',
      issueDate: today,
      grossAmount: '1.00',
      sourceRowNumber: 2,
      ...change,
    },
  ],
});

/** Lists each text field that passes through the gateway to the service that stores it. */
const jsonFields: readonly (readonly [target: string, path: string, body: (text: string) => unknown])[] = [
  ['PATCH /organizations/current', 'name', (name) => ({ name })],
  ['POST /companies', 'name', (name) => ({ name })],
  ['POST /companies', 'tax_id', (tax_id) => ({ name: 'A', tax_id: `DE136${tax_id}695976` })],
  ['POST /members', 'email', (text) => ({ email: `a${text}@example.com`, role: 'VIEWER' })],
  ['POST /api-keys', 'name', (name) => ({ name, role: 'VIEWER' })],
  ['POST /invoices', 'supplier.name', (name) => invoice({ supplier: { name } })],
  ['POST /invoices', 'supplier.tax_id', (text) => invoice({ supplier: { tax_id: `DE136${text}695976` } })],
  ['POST /invoices', 'supplier.bank_account.iban', (iban) => invoice({ supplier: { bank_account: { iban } } })],
  ['POST /invoices', 'invoice_number', (invoice_number) => invoice({ invoice_number })],
  ['POST /invoices', 'purchase_order_ref', (purchase_order_ref) => invoice({ purchase_order_ref })],
  ['POST /invoices', 'buyer.name', (name) => invoice({ buyer: { name } })],
  ['POST /scans', 'rows[0].supplierName', (supplierName) => row({ supplierName })],
  ['POST /scans', 'rows[0].invoiceNumber', (invoiceNumber) => row({ invoiceNumber })],
  ['POST /scans', 'rows[0].externalId', (externalId) => row({ externalId })],
  [
    'POST /erp-connections',
    'api_key',
    (api_key) => ({ provider: 'ODOO', config: { baseUrl: 'https://erp.example.com' }, api_key }),
  ],
  [
    'POST /ksef-connections',
    'ksef_token',
    (text) => ({ environment: 'TEST', context_nip: '5265877635', ksef_token: `${'t'.repeat(20)}${text}t` }),
  ],
];
const hostile: readonly (readonly [what: string, text: string])[] = [
  ['NUL', 'Ac\0me'],
  ['a line break', 'Ac\r\nme'],
  ['U+202E', 'Ac\u202eme'],
  ['U+2066', 'Ac\u2066me'],
  ['U+200B', 'Ac\u200bme'],
  ['U+FEFF', 'Ac\ufeffme'],
  ['half of a surrogate pair', 'Ac\ud800me'],
];

describe.each(jsonFields)('%s with %s', (target, path, body) => {
  // A separate API key, because each key may send only a few scans a minute.
  let sender: string;
  beforeAll(async () => {
    sender = (await running.newTenant()).keys.owner;
  });

  test.each(hostile)('that has %s is 400', async (what, text) => {
    const answer = await running.request<ErrorBody>(target, { key: sender, body: body(text) });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST']);
    // NUL and half of a surrogate pair are refused while the body is parsed, before its fields are known.
    if (what === 'NUL' || what.startsWith('half')) return;
    expect(answer.body.error.details?.map((detail) => detail.path)).toContain(path);
  });

  test('of 3,000 letters is 400, or a token that may be so long', async () => {
    const { status } = await running.request(target, { key: sender, body: body(LONG) });
    expect(status).toBe(path === 'ksef_token' ? 201 : 400);
  });
});

test('a document shows no invisible characters, and its name is cut', async () => {
  const nasty = (text: string): string => `${text.slice(0, 2)}${HIDDEN}&#13;&#10;${text.slice(2)}`;
  const xml = ubl('RT-2')
    .replace('RT-2', nasty('RT-2'))
    .replaceAll('Nordlicht Energie GmbH', nasty('Nordlicht Energie GmbH'))
    .replace('>Buyer<', `>${nasty('Buyer')}${LONG}<`);
  const pdf = await PDFDocument.create();
  pdf.addPage();
  pdf.setProducer(`Pro${NASTY}ducer\0${LONG}`);
  pdf.setAuthor(NASTY);
  await pdf.attach(Buffer.from(xml), `factur-x${NASTY}\0${LONG}.xml`, { mimeType: 'text/xml' });
  for (const [bytes, mediaType] of [
    [Buffer.from(xml), 'application/xml'],
    [await pdf.save(), 'application/pdf'],
  ] as const) {
    const upload_id = await uploadFile(running, key, bytes, mediaType);
    const { status, body } = await running.request<AcceptedAnalysis>('POST /invoices/from-upload', {
      key,
      body: { upload_id },
    });
    expect({ status, body }).toMatchObject({ status: 200 });
    const shown = await get<{ invoice: { invoice_number: string; supplier: { name: string } } }>(
      `/invoices/${body.id}`,
    );
    expect(shown.invoice).toMatchObject({ invoice_number: 'RT -2', supplier: { name: 'No rdlicht Energie GmbH' } });
    const exported = await get<{ document: { fields: Record<string, { raw: string }> } }>(
      `/invoices/${body.id}/export?format=json&include=unready`,
    );
    expect(exported.document.fields['supplier.name']?.raw).toBe(
      'No[U+202E][U+2066][U+200B][U+FEFF] rdlicht Energie GmbH',
    );
    expectReadable([
      shown,
      exported,
      await get(`/findings?invoice_id=${body.id}`),
      await get(`/uploads/${upload_id}/status`),
    ]);
    const corrected = await running.request<ErrorBody>(`PUT /uploads/${upload_id}/corrections`, {
      key,
      body: { fields: { 'supplier.name': `Ac\u202eme` } },
    });
    expect([corrected.status, corrected.body.error.details]).toMatchObject([400, [{ path: 'fields.supplier.name' }]]);
  }
  await expectStoredReadable();
});

test('records of an ERP have no invisible characters', async () => {
  const instance = `odoo-${randomUUID()}`;
  const control = async (method: string, path: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${erps.urls.odoo}/control${path}`, { method, headers, body: JSON.stringify(body) });
    expect(response.ok).toBe(true);
  };
  const name = `Azure${NASTY}Interior`;
  await control('PUT', `/tenants/${instance}`, { apiKey: API_KEY });
  const put = (entity: string, record: object) =>
    control('POST', `/tenants/${instance}/records`, { entity, records: [record] });
  await put('res.partner', {
    id: 14,
    name,
    vat: `DE136${NASTY}695976`,
    street: name,
    city: name,
    phone: HIDDEN,
    supplier_rank: 1,
  });
  await put('res.partner', { id: 15, name: `Long ${LONG}`, supplier_rank: 1 });
  await put('res.partner.bank', {
    id: 7,
    partner_id: [14, name],
    acc_number: `IBAN ${HIDDEN}DE89 3704 0044 0532 0130 00`,
    acc_holder_name: name,
  });
  await put('account.move', {
    id: 51,
    name: 'BILL/51',
    ref: `RE${NASTY}4711`,
    state: 'posted',
    payment_state: 'not_paid',
    partner_id: [14, name],
    commercial_partner_id: [14, name],
    invoice_date: today,
    date: today,
    invoice_origin: `PO${NASTY}7`,
    amount_untaxed: 100,
    amount_tax: 19,
    amount_total: 119,
    amount_residual: 119,
  });
  const { status, body } = await running.request<{ id: string }>('POST /erp-connections', {
    key,
    body: { provider: 'ODOO', config: { baseUrl: `${erps.urls.odoo}/${instance}` }, api_key: API_KEY },
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  await eventually(async () =>
    expect(await get(`/erp-connections/${body.id}`)).toMatchObject({
      recentRuns: [{ finishedAt: expect.any(String) }],
    }),
  );
  const vendors = await get<Page<{ name: string; accounts: readonly string[]; phone: string | null }>>('/vendors');
  expect(vendors.items).toMatchObject([{ name: 'Azure Interior', accounts: ['DE89**************3000'], phone: null }]);
  const bills = await get<Page<{ invoice: { invoice_number: string } }>>('/invoices?source=ERP');
  expect(bills.items).toMatchObject([{ invoice: { invoice_number: 'RE 4711' } }]);
  expectReadable([vendors, bills, await get(`/erp-connections/${body.id}`)]);
  await expectStoredReadable();
});

test('responses of KSeF are shown without invisible characters', async () => {
  const { nip: context_nip, token: ksef_token } = await ksef.newCompany();
  const { keys } = await running.newTenant();
  const saved = await running.request<{ id: string }>('POST /ksef-connections', {
    key: keys.admin,
    body: { environment: 'TEST', context_nip, ksef_token },
  });
  await ksef.fault({
    context: context_nip,
    operation: 'S9',
    kind: 'PROBLEM',
    status: 400,
    code: 21_405,
    details: [`Zła${NASTY}faktura\0\ud800 ${LONG}`],
  });
  await running.request(`POST /ksef-connections/${saved.body.id}/test`, { key: keys.admin });
  const { body } = await running.request<{ lastErrorMessage: string }>(`GET /ksef-connections/${saved.body.id}`, {
    key: keys.admin,
  });
  expect(body.lastErrorMessage).toContain('Zła faktura');
  expectReadable(body);
});
