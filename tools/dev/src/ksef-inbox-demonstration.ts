// Demonstrates the KSeF inbox: an organization receives three bills from the simulated KSeF, and a copy of one of them
// on paper with another bank account.
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@invoicecontrol/client';
import type { Client, Schemas } from '@invoicecontrol/client';
import { fa3Document } from '@invoicecontrol/simulators/ksef/fa3-document';
import { nameRow, table } from './decision-table.js';
import type { Named } from './decision-table.js';
import { drawPage } from './demonstration-documents.js';
import { uploadDocument } from './demonstration-uploads.js';
import { COMPANY_NAME, NIP } from './ksef-demonstration.js';
import type { Filing } from './ksef-demonstration.js';

/**
 * Time limit of an inbox run of the demonstration. The run waits for KSeF to build a package, which takes longer on a
 * machine that is busy with starting the product.
 */
const RECEIVED_MS_MAX = 60_000;
const POLL_EACH_MS = 500;

/** A bill that a supplier issues in KSeF. Its bank account is written as an NRB. */
interface Bill {
  readonly number: string;
  readonly seller: string;
  readonly sellerName: string;
  readonly item: string;
  readonly amounts: { readonly net: string; readonly vat: string; readonly gross: string };
  readonly account: string;
}

/** Bank account on the printed copy of the bill that also arrives on paper. */
const OTHER_ACCOUNT = 'PL72124010370000456700123450';

interface Dates {
  readonly issueDate: string;
  readonly dueDate: string;
}

function datesOf(since: Date): Dates {
  const on = (month: number, day: number): string =>
    new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth() + month, day)).toISOString().slice(0, 10);
  return { issueDate: on(-1, 20), dueDate: on(0, 19) };
}

function billsOf({ issueDate }: Dates): readonly [onPaper: Bill, ...others: Bill[]] {
  const month = issueDate.slice(0, 7).replace('-', '/');
  return [
    {
      number: `FV/${month}/0311`,
      seller: '9997123458',
      sellerName: 'Hurtownia Stali Grodno sp. z o.o.',
      item: 'Pręty stalowe',
      amounts: { net: '3000.00', vat: '690.00', gross: '3690.00' },
      account: '27114020040000300201355387',
    },
    {
      number: `E/${month}/55120`,
      seller: '9996314802',
      sellerName: 'Energetyka Narew S.A.',
      item: 'Energia elektryczna',
      amounts: { net: '860.00', vat: '197.80', gross: '1057.80' },
      account: '61109010140000071219812874',
    },
    {
      number: `TK/${month}/118`,
      seller: '9992304511',
      sellerName: 'Transport Karpaty sp. z o.o.',
      item: 'Transport',
      amounts: { net: '1200.00', vat: '276.00', gross: '1476.00' },
      account: '88102010260000123400567890',
    },
  ];
}

/**
 * Makes the simulated suppliers issue their bills in KSeF, receives these bills for the organization, and uploads a
 * printed copy of the first bill. A repeated call shows the results of the first call.
 * @param keepUpload stores the id of the upload before its analysis, so that a later start continues with it
 */
export async function demonstrateInbox(
  baseUrl: string,
  { tenant, since, paperUploadId }: Filing,
  ksefUrl: string,
  { print, keepUpload }: { print: (line: string) => void; keepUpload: (uploadId: string) => Promise<void> },
): Promise<void> {
  const apiKey = tenant.keys.owner;
  const api = createClient({ baseUrl, apiKey });
  const dates = datesOf(new Date(since));
  const bills = billsOf(dates);
  for (const bill of bills) await issue(ksefUrl, bill, dates);
  await receive(api);
  const received = await receivedBills(api, bills.length);
  const [onPaper] = bills;
  const original = received.find(({ invoice }) => invoice.invoice_number === onPaper.number);
  if (original?.ksefNumber === undefined || received.length < bills.length) {
    print(
      `Bills from KSeF, not received yet: curl -s ${baseUrl}/invoices?source=KSEF -H 'Authorization: Bearer ${apiKey}'`,
    );
    return;
  }
  const rows: string[][] = [['', 'number', 'supplier', 'amount', 'decision', 'score', 'findings']];
  const show = async (about: string, { id, invoice }: Schemas['StoredInvoice']): Promise<void> => {
    rows.push(await rowOf(api, nameRow(about, invoice), id));
  };
  for (const { number } of bills) {
    const stored = received.find(({ invoice }) => invoice.invoice_number === number);
    if (stored !== undefined) await show('received from KSeF', stored);
  }
  let uploadId = paperUploadId;
  if (uploadId === undefined) {
    const bytes = await billOnPaper(new Date(since), original.ksefNumber);
    uploadId = await uploadDocument(baseUrl, apiKey, { mediaType: 'application/pdf', bytes });
    await keepUpload(uploadId);
  }
  const { data } = await api.post('/invoices/from-upload', { body: { upload_id: uploadId } });
  if (!('decision' in data))
    throw new Error('The bill on paper was queued, although the demonstration waited for its decision.');
  const paper = await api.get('/invoices/{invoiceId}', { path: { invoiceId: data.id } });
  await show('the first on paper, with another account', paper.data);
  print('');
  print('Bills that the same organization receives from KSeF:');
  for (const line of table(rows)) print(line);
}

/** Issues a bill in the simulated KSeF as its supplier. A bill of an earlier start has already been issued. */
async function issue(ksefUrl: string, { account, ...bill }: Bill, { issueDate, dueDate }: Dates): Promise<void> {
  const xml = fa3Document({ ...bill, buyer: NIP, buyerName: COMPANY_NAME, issueDate, transfer: { account, dueDate } });
  const response = await fetch(`${ksefUrl}/test/control/invoices`, {
    method: 'POST',
    body: JSON.stringify({ buyerNip: NIP, xml }),
  });
  const text = await response.text();
  if (!response.ok && !text.includes('already registered'))
    throw new Error(`The simulator of KSeF refuses a bill: ${text}`);
}

async function receive(api: Client): Promise<void> {
  for await (const { id, status } of api.items('/ksef-connections')) {
    if (status !== 'CONNECTED') continue;
    const path = { connectionId: id };
    await api.patch('/ksef-connections/{connectionId}', { path, body: { inbox: { enabled: true } } });
    await api.post('/ksef-connections/{connectionId}/inbox/runs', { path });
  }
}

/** Returns the decisions on the received bills as soon as all bills have a decision, or after the time limit. */
async function receivedBills(api: Client, count: number): Promise<readonly Schemas['StoredInvoice'][]> {
  const deadline = performance.now() + RECEIVED_MS_MAX;
  for (;;) {
    const { data } = await api.get('/invoices', { query: { source: 'KSEF' } });
    const decided = data.items.filter(({ decision }) => decision !== null);
    if (decided.length >= count || performance.now() >= deadline) return decided;
    await delay(POLL_EACH_MS);
  }
}

async function rowOf(api: Client, named: Named, invoiceId: string): Promise<string[]> {
  const { data } = await api.get('/invoices/{invoiceId}/analysis/latest', { path: { invoiceId } });
  const found = data.findings.map(({ type, severity }) => `${type} (${severity})`).join(', ');
  return [...named, data.decision, String(data.risk_score), found || '-'];
}

/**
 * Draws the page that someone sends in the name of the first supplier. The font of the page has no Polish letters.
 * @param since the day of the first start of the demonstration
 */
export async function billOnPaper(since: Date, ksefNumber: string): Promise<Uint8Array> {
  const { issueDate, dueDate } = datesOf(since);
  const [{ number, seller, sellerName, amounts }] = billsOf({ issueDate, dueDate });
  const { net, vat, gross } = amounts;
  return drawPage(since, [
    [60, 60, sellerName, 18],
    [60, 86, `Sprzedawca: ${sellerName}`],
    [60, 102, `NIP: ${seller}`],
    [60, 150, 'Faktura VAT', 20],
    [60, 190, `Numer faktury: ${number}`],
    [60, 208, `Data wystawienia: ${issueDate}`],
    [60, 226, `Termin platnosci: ${dueDate}`],
    [60, 244, `Numer KSeF: ${ksefNumber}`],
    [330, 380, 'Razem netto'],
    [470, 380, `${net} PLN`],
    [330, 400, 'Kwota VAT 23%'],
    [470, 400, `${vat} PLN`],
    [330, 424, 'Razem do zaplaty', 13],
    [470, 424, `${gross} PLN`, 13],
    [60, 480, `Numer konta: ${OTHER_ACCOUNT}`],
  ]);
}
