// Demonstrates the import from an ERP: the vendors and bills of one organization are read from a simulated Odoo.
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, createClient } from '@invoicecontrol/client';
import type { Client, Schemas } from '@invoicecontrol/client';
import { nameRow, table } from './decision-table.js';
import type { Tenant } from './tenant.js';

const INSTANCE = 'demonstration';
const API_KEY = 'demonstration-development-only';
/**
 * Time limit in milliseconds for the first ERP import. An import of so few records takes a second, or longer on a
 * machine that is busy with starting the product.
 */
const READ_MS_MAX = 20_000;
const POLL_EACH_MS = 100;

const nordlicht = { name: 'Nordlicht Energie GmbH', tax_id: 'DE994175284' };
const thames = { name: 'Thames Paper Ltd', tax_id: 'GB999275189' };
const account = 'DE89 3704 0044 0532 0130 00';

/**
 * Returns the given day of the month that is `monthsBefore` months before the first start of the demonstration, so that
 * its ERP data never becomes too old and never changes.
 */
type DayOf = (monthsBefore: number, day: number) => string;

function dayOf(since: Date): DayOf {
  return (monthsBefore, day) =>
    new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth() - monthsBefore, day)).toISOString().slice(0, 10);
}

/** Fills the simulated Odoo, which keeps its data in memory and begins empty at each start. */
export async function seedOdoo(odooUrl: string, since: Date): Promise<void> {
  const send = async (method: string, path: string, body: object): Promise<void> => {
    const response = await fetch(`${odooUrl}/control/tenants/${INSTANCE}${path}`, {
      method,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`The simulator of Odoo refuses ${path}: ${await response.text()}`);
  };
  const on = dayOf(since);
  const bill = {
    partner_id: [1, nordlicht.name],
    partner_bank_id: [1, account],
    invoice_date: on(1, 5),
    invoice_date_due: on(0, 4),
    date: on(1, 5),
    amount_untaxed: 1000,
    amount_tax: 190,
    amount_total: 1190,
    write_date: `${on(1, 6)} 08:00:00`,
  };
  const number = `RE-${on(1, 1).slice(0, 4)}-0231`;
  const records = {
    'res.partner': [
      { id: 1, name: nordlicht.name, vat: nordlicht.tax_id, supplier_rank: 2, country_id: [57, 'Germany'] },
      { id: 2, name: thames.name, vat: thames.tax_id, supplier_rank: 1, country_id: [231, 'United Kingdom'] },
    ].map((partner) => ({ ...partner, write_date: `${on(3, 1)} 08:00:00` })),
    'res.partner.bank': [
      { id: 1, acc_number: account, partner_id: 1 },
      { id: 2, acc_number: 'GB29 NWBK 6016 1331 9268 19', partner_id: 2 },
    ].map((row) => ({ ...row, allow_out_payment: true, write_date: `${on(3, 1)} 08:00:00` })),
    // In the sample data of the ERP demonstration, two users have entered the same bill.
    'account.move': [
      { id: 1, name: 'BILL/0001', ref: number, ...bill },
      { id: 2, name: 'BILL/0002', ref: number.replace('-0', '/'), ...bill },
    ],
  };
  await send('PUT', '', { apiKey: API_KEY });
  for (const [entity, rows] of Object.entries(records)) await send('POST', '/records', { entity, records: rows });
}

/** Returns invoices that are posted to the API and that the bookkeeping does not contain yet. */
function invoices(since: Date): readonly (readonly [about: string, invoice: Schemas['Invoice']])[] {
  const on = dayOf(since);
  const year = on(1, 1).slice(0, 4);
  const energy = {
    supplier: { ...nordlicht, bank_account: { iban: account } },
    issue_date: on(1, 12),
    due_date: on(0, 11),
    currency: 'EUR',
    net_amount: '980.00',
    tax_amount: '186.20',
    gross_amount: '1166.20',
  };
  return [
    ['a first invoice, to the account of the master', { ...energy, invoice_number: `RE-${year}-0240` }],
    [
      'a first invoice, to an account that the master does not have',
      {
        supplier: { name: thames.name, tax_id: thames.tax_id, bank_account: { iban: 'GB33 BUKB 2020 1555 5555 55' } },
        invoice_number: '4471',
        issue_date: on(1, 20),
        due_date: on(0, 19),
        currency: 'GBP',
        net_amount: '400.00',
        tax_amount: '80.00',
        gross_amount: '480.00',
      },
    ],
    [
      'of a supplier that the master does not have',
      {
        supplier: { name: 'Quickfix Consulting', bank_account: { iban: 'BE71 0961 2345 6769' } },
        invoice_number: 'QC-17',
        issue_date: on(1, 21),
        currency: 'EUR',
        gross_amount: '2380.00',
      },
    ],
  ];
}

/** The organization whose ERP the demonstration connects, and the time when it was created. */
export interface Books {
  readonly tenant: Tenant;
  /** RFC 3339. */
  readonly since: string;
}

/**
 * Connects the simulated Odoo, waits until its data has been imported, and analyzes invoices against this data. A
 * repeated call shows the first results again.
 * @returns one line that says where to look
 */
export async function demonstrateErp(
  baseUrl: string,
  { tenant, since }: Books,
  odooUrl: string,
  print: (line: string) => void,
): Promise<string> {
  const apiKey = tenant.keys.owner;
  const api = createClient({ baseUrl, apiKey });
  const connection = await connect(api, `${odooUrl}/${INSTANCE}`);
  const show = `curl -s ${baseUrl}/erp-connections/${connection.id} -H 'Authorization: Bearer ${apiKey}'`;
  if (!(await isRead(api, connection.id))) return `Odoo, not read yet: ${show}`;
  const rows: string[][] = [['', 'number', 'supplier', 'amount', 'decision', 'score', 'findings']];
  for (const [index, [about, invoice]] of invoices(new Date(since)).entries()) {
    const { data } = await api.post('/invoices', { body: invoice, idempotencyKey: `erp-demonstration-${index + 1}` });
    const found = data.findings.map(({ type, severity }) => `${type} (${severity})`).join(', ');
    rows.push([...nameRow(about, invoice), data.decision, String(data.risk_score), found || '-']);
  }
  print('');
  print('Checked against the vendors and bills of an ERP, in an organization of its own:');
  for (const line of table(rows)) print(line);
  for await (const { type, severity, summary } of api.items('/findings')) {
    // The finding about a duplicate bill in the ERP is printed separately, because it does not concern a posted
    // invoice.
    if (type === 'BOOKS_DUPLICATE_BILL') print(`in the books: ${type} (${severity}): ${summary}`);
  }
  return `Odoo, connected: ${show}`;
}

/** Returns the connection of an earlier start, or a new connection if the simulated Odoo has another address now. */
async function connect(api: Client, baseUrl: string): Promise<Schemas['ErpConnection']> {
  for await (const connection of api.items('/erp-connections')) {
    if (connection.status === 'DISABLED') continue;
    if (connection.config['baseUrl'] === baseUrl) return connection;
    await api.delete('/erp-connections/{connectionId}', { path: { connectionId: connection.id } });
  }
  const { data } = await api.post('/erp-connections', {
    body: { provider: 'ODOO', config: { baseUrl }, api_key: API_KEY },
  });
  const path = { connectionId: data.id };
  await api.post('/erp-connections/{connectionId}/sync', { path }).catch((error: unknown) => {
    // A conflict means that the worker has already started the import run.
    if (!(error instanceof ApiError && error.code === 'CONFLICT')) throw error;
  });
  return data;
}

/** Waits for the first successful import of an ERP connection. Returns false if there was none in time. */
async function isRead(api: Client, connectionId: string): Promise<boolean> {
  const deadline = performance.now() + READ_MS_MAX;
  while (performance.now() < deadline) {
    const { data } = await api.get('/erp-connections/{connectionId}', { path: { connectionId } });
    if (data.lastSuccessAt !== null) return true;
    await delay(POLL_EACH_MS);
  }
  return false;
}
