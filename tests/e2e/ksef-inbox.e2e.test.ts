import { createHash, randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Schemas } from '@invoicecontrol/client';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { asScan } from '@invoicecontrol/extraction/testing/scan-invoice';
import { fa3Document } from '@invoicecontrol/simulators/ksef/fa3-document';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import { encodeQR } from 'qr';
import { startKsef } from './ksef-actions.js';
import type { Ksef } from './ksef-actions.js';
import { startRunningSystem } from './running-system.js';
import type { ErrorBody, RunningSystem } from './running-system.js';
import type { AcceptedAnalysis, Page, StoredInvoice } from './shapes.js';
import { uploadFile } from './uploading.js';

type Connection = Schemas['KsefConnection'];
type Run = Schemas['KsefInboxRun'];

/** An organization whose company can receive invoices from KSeF. */
interface Receiver {
  readonly tenant: Tenant;
  readonly key: string;
  readonly nip: string;
  readonly connectionId: string;
}

const RECEIVED_MS_MAX = 60_000;
const READ_MS_MAX = 110_000;
const DAY_MS = 86_400_000;
const ACCOUNT = '27114020040000300201355387';
const ROLES = ['SUBJECT2', 'SUBJECT3', 'SUBJECT_AUTHORIZED'];

let running: RunningSystem;
let ksef: Ksef;
let numbers = 0;

beforeAll(async () => {
  ksef = await startKsef();
  running = await startRunningSystem({ ...ksef.env, KSEF_WAIT_FACTOR: '0.02', KSEF_REQUEST_SECONDS: '5' });
}, 120_000);
afterAll(async () => {
  await running.stop();
  await ksef.stop();
});

async function connect(key: string, environment: string, nip: string, token: string): Promise<string> {
  const { status, body } = await running.request<Connection>('POST /ksef-connections', {
    key,
    body: { environment, context_nip: nip, ksef_token: token },
  });
  expect(status).toBe(201);
  return body.id;
}

async function newReceiver(): Promise<Receiver> {
  const tenant = await running.newTenant();
  const key = tenant.keys.admin;
  const { nip, token } = await ksef.newCompany();
  const connectionId = await connect(key, 'TEST', nip, token);
  const tested = await running.request(`POST /ksef-connections/${connectionId}/test`, { key });
  expect(tested.body).toMatchObject({ status: 'CONNECTED' });
  return { tenant, key, nip, connectionId };
}

interface Bill {
  readonly number: string;
  readonly seller: string;
  readonly xml: string;
}

/** Creates a bill of a new supplier to the company. */
function newBill(buyer: string): Bill {
  const number = `FV/2026/${String(++numbers).padStart(4, '0')}`;
  const seller = String(randomInt(5_200_000_000, 5_300_000_000));
  const xml = fa3Document({
    number,
    seller,
    sellerName: `Huta Szkła ${seller} sp. z o.o.`,
    buyer,
    buyerName: 'Odlewnia',
    issueDate: '2026-02-15',
    amounts: { net: '1000.00', vat: '230.00', gross: '1230.00' },
    transfer: { account: ACCOUNT, dueDate: '2026-03-15' },
  });
  return { number, seller, xml };
}

function setInbox({ key, connectionId }: Receiver, inbox: object) {
  return running.request<Connection & ErrorBody>(`PATCH /ksef-connections/${connectionId}`, { key, body: { inbox } });
}

async function inboxOf({ key, connectionId }: Receiver): Promise<Connection['inbox']> {
  return (await running.request<Connection>(`GET /ksef-connections/${connectionId}`, { key })).body.inbox;
}

async function runsOf({ key, connectionId }: Receiver): Promise<readonly Run[]> {
  return (await running.request<Page<Run>>(`GET /ksef-connections/${connectionId}/inbox/runs`, { key })).body.items;
}

async function invoicesOf(key: string): Promise<readonly StoredInvoice[]> {
  return (await running.request<Page<StoredInvoice>>('GET /invoices?source=KSEF', { key })).body.items;
}

/** Starts the runs and waits until one of each role has ended since. @returns these runs, by role */
async function runInbox(receiver: Receiver): Promise<ReadonlyMap<string, Run>> {
  const before = new Set((await runsOf(receiver)).filter(({ status }) => status !== 'RUNNING').map(({ id }) => id));
  const { key, connectionId } = receiver;
  const started = await running.request<Connection>(`POST /ksef-connections/${connectionId}/inbox/runs`, { key });
  expect([started.status, started.body.id]).toEqual([202, connectionId]);
  let ended: readonly Run[] = [];
  await eventually(
    async () => {
      ended = (await runsOf(receiver)).filter(({ id, status }) => !before.has(id) && status !== 'RUNNING');
      expect([...new Set(ended.map(({ role }) => role))].toSorted()).toEqual(ROLES);
    },
    { timeoutMs: RECEIVED_MS_MAX },
  );
  return new Map(ended.map((run) => [run.role, run]));
}

/** Waits until so many invoices came through KSeF and have a decision. @returns them, oldest first */
async function decidedInvoices(key: string, count: number): Promise<readonly StoredInvoice[]> {
  let invoices: readonly StoredInvoice[] = [];
  await eventually(
    async () => {
      invoices = await invoicesOf(key);
      expect(invoices.filter(({ decision }) => decision !== null)).toHaveLength(count);
    },
    { timeoutMs: RECEIVED_MS_MAX },
  );
  return invoices.toReversed();
}

/** Returns a PDF with the given lines, and with a QR code below them if a text is given. */
async function pdfOf(lines: readonly string[], code?: string): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const page = pdf.addPage([595, 842]);
  for (const [index, line] of lines.entries()) page.drawText(line, { x: 60, y: 780 - 22 * index, size: 11, font });
  const rows = code === undefined ? [] : encodeQR(code, 'raw', { border: 1 });
  for (const [y, row] of rows.entries()) {
    for (const [x, isDark] of row.entries()) {
      if (isDark) page.drawRectangle({ x: 60 + x * 3, y: 300 - y * 3, width: 3, height: 3 });
    }
  }
  return pdf.save();
}

async function analyzePdf(key: string, lines: readonly string[]): Promise<AcceptedAnalysis> {
  return analyzeFile(key, await pdfOf(lines), 'application/pdf');
}

async function analyzeFile(key: string, bytes: Uint8Array, mediaType: string): Promise<AcceptedAnalysis> {
  const upload = await uploadFile(running, key, bytes, mediaType);
  const body = { upload_id: upload };
  // On a busy machine, a history scan takes longer than a response may. The repeated request returns the result.
  return eventually(
    async () => {
      const analyzed = await running.request<AcceptedAnalysis>('POST /invoices/from-upload', { key, body });
      expect({ status: analyzed.status, text: analyzed.status < 300 ? '' : analyzed.text }).toEqual({
        status: 200,
        text: '',
      });
      return analyzed.body;
    },
    { timeoutMs: READ_MS_MAX },
  );
}

describe('an inbox that is enabled', () => {
  let receiver: Receiver;
  let bills: readonly Bill[];
  let ksefNumbers: readonly string[];
  let enabled: Connection;
  beforeAll(async () => {
    receiver = await newReceiver();
    bills = [newBill(receiver.nip), newBill(receiver.nip)];
    const issued: string[] = [];
    for (const { xml } of bills) issued.push(await ksef.issue(receiver.nip, xml));
    ksefNumbers = issued;
    enabled = (await setInbox(receiver, { enabled: true })).body;
    await runInbox(receiver);
  }, 120_000);

  test('receives every invoice of KSeF once, in the order of KSeF, byte for byte, and has it decided', async () => {
    expect(enabled).toMatchObject({ inbox: { enabled: true, receivedThrough: null, invoicesReceived: 0 } });
    const invoices = await decidedInvoices(receiver.key, bills.length);
    expect(invoices.map(({ source, ksefNumber }) => ({ source, ksefNumber }))).toEqual(
      ksefNumbers.map((ksefNumber) => ({ source: 'KSEF', ksefNumber })),
    );
    expect(invoices.map(({ invoice }) => [invoice.invoice_number, invoice.gross_amount])).toEqual(
      bills.map(({ number }) => [number, '1230.00']),
    );
    for (const [index, { id }] of invoices.entries()) {
      const document = await running.request(`GET /invoices/${id}/document`, { key: receiver.key });
      expect([document.status, document.text]).toEqual([200, bills[index]?.xml]);
    }
    expect(await inboxOf(receiver)).toMatchObject({
      enabled: true,
      invoicesReceived: bills.length,
      receivedThrough: expect.any(String),
      lastRunAt: expect.any(String),
      lastErrorMessage: null,
    });
    const runs = (await runsOf(receiver)).filter(({ role }) => role === 'SUBJECT2');
    expect(runs.reduce((sum, { received }) => sum + received, 0)).toBe(bills.length);
  }, 120_000);

  test('receives nothing in a run without news', async () => {
    const runs = await runInbox(receiver);
    for (const role of ROLES) {
      expect(runs.get(role)).toMatchObject({ status: 'SUCCEEDED', received: 0, refused: [], errorMessage: null });
    }
    expect(await invoicesOf(receiver.key)).toHaveLength(bills.length);
  }, 120_000);

  test('makes the same bill as a PDF a duplicate, and another account on the PDF a critical finding', async () => {
    const [bill] = bills;
    const page = [
      `Sprzedawca: Huta Szkla ${bill?.seller} sp. z o.o.`,
      `NIP: ${bill?.seller}`,
      `Numer faktury: ${bill?.number}`,
      'Data wystawienia: 2026-02-15',
      'Termin platnosci: 2026-03-15',
      'Razem netto: 1000.00 PLN',
      'Kwota VAT: 230.00 PLN',
      'Razem do zaplaty: 1230.00 PLN',
    ];
    const copy = await analyzePdf(receiver.key, [...page, `Numer konta: PL${ACCOUNT}`]);
    expect(copy.decision).toBe('BLOCK');
    expect(copy.findings.map(({ type }) => type)).toContain('DUPLICATE_INVOICE');
    const forged = await analyzePdf(receiver.key, [
      ...page,
      `Numer KSeF: ${ksefNumbers[0]}`,
      'Numer konta: PL88102010260000123400567890',
    ]);
    expect(forged.decision).toBe('BLOCK');
    expect(forged.findings).toContainEqual(
      expect.objectContaining({ type: 'KSEF_CONTENT_DIFFERS', severity: 'CRITICAL' }),
    );
  }, 120_000);

  test('raises for a scan whose QR code names another file what it raises for the same PDF', async () => {
    const [bill] = bills;
    const otherFile = createHash('sha256').update('another file').digest('base64url');
    const pdf = await pdfOf(
      [
        `Sprzedawca: Huta Szkla ${bill?.seller} sp. z o.o.`,
        `NIP: ${bill?.seller}`,
        `Numer faktury: ${bill?.number}`,
        'Data wystawienia: 2026-02-15',
        'Razem netto: 1000.00 PLN',
        'Kwota VAT: 230.00 PLN',
        'Razem do zaplaty: 1230.00 PLN',
        `Numer konta: PL${ACCOUNT}`,
        `Numer KSeF: ${ksefNumbers[0]}`,
      ],
      `https://qr-test.ksef.mf.gov.pl/invoice/${bill?.seller}/15-02-2026/${otherFile}`,
    );
    const scan = await asScan(200, true)(pdf);
    const found = [];
    for (const [bytes, mediaType] of [
      [pdf, 'application/pdf'],
      [scan.bytes, scan.mediaType],
    ] as const) {
      const { findings } = await analyzeFile(receiver.key, bytes, mediaType);
      found.push(findings.find(({ type }) => type === 'KSEF_CONTENT_DIFFERS'));
    }
    expect(found[0]).toMatchObject({ severity: 'HIGH', summary: expect.stringContaining('file') });
    expect([found[1]?.severity, found[1]?.summary]).toEqual([found[0]?.severity, found[0]?.summary]);
  }, 240_000);

  test('shows nothing of it to another organization, where it looks like one that does not exist', async () => {
    const key = running.other.keys.owner;
    const options = { PATCH: { body: { inbox: { enabled: false } } }, POST: {}, GET: {} };
    for (const [method, path] of [
      ['PATCH', ''],
      ['POST', '/inbox/runs'],
      ['GET', '/inbox/runs'],
    ] as const) {
      const statusAt = async (id: string) =>
        (await running.request(`${method} /ksef-connections/${id}${path}`, { key, ...options[method] })).status;
      expect([method, await statusAt(receiver.connectionId), await statusAt(randomUUID())]).toEqual([method, 404, 404]);
    }
    expect(await invoicesOf(key)).toEqual([]);
    expect(await inboxOf(receiver)).toMatchObject({ enabled: true });
  });
});

describe('an inbox that is disabled', () => {
  test('starts no run, keeps its invoices, and continues where it ended when it is enabled again', async () => {
    const receiver = await newReceiver();
    const { key, connectionId, nip } = receiver;
    await ksef.issue(nip, newBill(nip).xml);
    await setInbox(receiver, { enabled: true });
    await runInbox(receiver);
    await decidedInvoices(key, 1);
    const disabled = await setInbox(receiver, { enabled: false });
    expect([disabled.status, disabled.body.inbox.enabled]).toEqual([200, false]);
    const runs = await runsOf(receiver);
    const second = newBill(nip);
    await ksef.issue(nip, second.xml);
    const refused = await running.request<ErrorBody>(`POST /ksef-connections/${connectionId}/inbox/runs`, { key });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
    expect((await runsOf(receiver)).map(({ id }) => id)).toEqual(runs.map(({ id }) => id));
    expect(await invoicesOf(key)).toHaveLength(1);

    await setInbox(receiver, { enabled: true });
    await runInbox(receiver);
    const invoices = await decidedInvoices(key, 2);
    expect(invoices.at(-1)?.invoice.invoice_number).toBe(second.number);
    expect(await inboxOf(receiver)).toMatchObject({ invoicesReceived: 2 });
  }, 180_000);

  test('stays disabled with a day that cannot be, and the refusal names the field', async () => {
    const receiver = await newReceiver();
    // A day after that of Poland, whose day begins before that of UTC.
    const later = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
    for (const from of ['2026-01-31', later, '2026-02-30', '1 March 2026']) {
      const { status, body } = await setInbox(receiver, { enabled: true, from });
      expect([from, status, body.error.details?.map(({ path }) => path)]).toEqual([from, 400, ['inbox.from']]);
    }
    expect(await inboxOf(receiver)).toMatchObject({ enabled: false, from: null });
    const enabled = await setInbox(receiver, { enabled: true, from: '2026-02-01' });
    expect(enabled.body).toMatchObject({ inbox: { enabled: true, from: '2026-02-01' } });
  }, 60_000);

  test('cannot be enabled while the inbox of another environment of the organization is enabled', async () => {
    const receiver = await newReceiver();
    const { nip, key } = receiver;
    const demo = { ...receiver, connectionId: await connect(key, 'DEMO', nip, 'a-token-of-nobody-at-all') };
    expect((await setInbox(receiver, { enabled: true })).status).toBe(200);
    const refused = await setInbox(demo, { enabled: true });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(refused.body.error.message).toContain('TEST');
    expect(await inboxOf(demo)).toMatchObject({ enabled: false });
    await setInbox(receiver, { enabled: false });
    expect((await setInbox(demo, { enabled: true })).status).toBe(200);
  }, 60_000);
});
