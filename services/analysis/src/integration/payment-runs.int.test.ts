import { callWithGrant, testGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  CheckedPayment,
  CreatePaymentRunRequest,
  ListedPayment,
} from '@invoicecontrol/contracts/analysis/v1/payment_run_service';
import { BillKind, BillState } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { compareText } from '@invoicecontrol/engine/facts/record-order';
import { listed as inWords } from '@invoicecontrol/engine/explanation/phrases';
import { exactUsage } from '@invoicecontrol/metering/testing/exact-usage';
import { usageMonth } from '@invoicecontrol/metering/usage-month';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { paymentRunText } from '@invoicecontrol/payment-files/testing/payment-run';
import type { RunLine } from '@invoicecontrol/payment-files/testing/payment-run';
import { readPaymentFile } from '@invoicecontrol/payment-files/read-payment-file';
import { SECOND_COMPANY_ID } from '@invoicecontrol/tenants/fake-organization';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { RECEIVED_CREDIT_DAYS_MAX, RECEIVED_CREDITS_PER_SUPPLIER_MAX } from '../payment-runs/domain/payable.js';
import { judgeOf, RULES_VERSION } from '../payment-runs/domain/verdict.js';
import { paymentRunStore } from '../payment-runs/storage/payment-runs.js';
import { asUser, testClock } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { erpAccount, erpBill, erpPayment, erpSource, erpVendor } from '../testing/erp-records.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const [anna, berta, carla] = [asUser('anna'), asUser('berta'), asUser('carla')];
const IBAN = 'DE89370400440532013000';
const OTHER_IBAN = 'DE02120300000000202051';
const NAME = 'Nordlicht Energie GmbH';

let running: RunningAnalysis;
let rpc: Clients;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), testDatabaseName());
  ({ rpc } = running);
});
afterAll(() => running.stop());

/** Posts an invoice of the supplier, and returns its id. */
async function post(
  organizationId: string,
  number: string,
  gross: string,
  changes: Partial<Parameters<typeof rpc.post>[1]> = {},
): Promise<string> {
  const invoice = wireInvoice({
    supplier: { name: NAME, taxId: 'DE994175284', bankAccount: { iban: IBAN } },
    invoiceNumber: number,
    issueDate: '2026-10-01',
    dueDate: undefined,
    grossAmount: gross,
    netAmount: undefined,
    taxAmount: undefined,
    purchaseOrderRef: undefined,
    ...changes,
  });
  return (await rpc.post(organizationId, invoice)).invoiceId;
}

function listed(id: string, changes: Partial<ListedPayment> = {}): ListedPayment {
  return {
    id,
    endToEndId: undefined,
    amount: '100.00',
    currency: 'EUR',
    creditorName: NAME,
    creditorTaxId: undefined,
    iban: IBAN,
    sortCode: undefined,
    accountNumber: undefined,
    invoiceNumbers: [id],
    ksefNumber: undefined,
    creditorReference: undefined,
    remittance: undefined,
    executionDate: undefined,
    ...changes,
  };
}

function sent(
  organizationId: string,
  payments: CreatePaymentRunRequest['payments'],
  changes: Partial<CreatePaymentRunRequest> = {},
): CreatePaymentRunRequest {
  const text = payments?.$case === 'pain001' ? payments.value : JSON.stringify(payments);
  const fingerprint = createHash('sha256').update(text).digest('hex');
  return {
    organizationId,
    companyId: undefined,
    idempotencyKey: '',
    fingerprint,
    payments,
    ...changes,
  };
}

type Changes = Partial<CreatePaymentRunRequest> & { readonly paymentLinesPerMonthLimit?: number };

/** Returns the call options of Anna, whose plan has this limit, or no limit. */
const annaWith = (organizationId: string, paymentLinesPerMonth: number | undefined) =>
  callWithGrant(anna, organizationId, { limits: paymentLinesPerMonth === undefined ? {} : { paymentLinesPerMonth } });

async function createList(
  organizationId: string,
  payments: ListedPayment[],
  { paymentLinesPerMonthLimit, ...changes }: Changes = {},
) {
  const value = { payments, executionDate: '2026-11-02' };
  const { run, replayed } = await rpc.paymentRun.createPaymentRun(
    sent(organizationId, { $case: 'list', value }, changes),
    annaWith(organizationId, paymentLinesPerMonthLimit),
  );
  if (run === undefined) throw new Error('no run');
  return { ...run, replayed };
}

function fileOf(lines: readonly RunLine[], messageId = 'MSG-1'): Buffer {
  return Buffer.from(paymentRunText(lines, { messageId, executionDate: '2026-11-02' }));
}

const fileLine = (number: string, changes: Partial<RunLine> = {}): RunLine => ({
  amount: '100.00',
  name: NAME,
  account: IBAN,
  texts: [number],
  ...changes,
});

async function createFile(
  organizationId: string,
  bytes: Buffer,
  { paymentLinesPerMonthLimit, ...changes }: Changes = {},
) {
  const request = sent(organizationId, { $case: 'pain001', value: bytes }, changes);
  const call = annaWith(organizationId, paymentLinesPerMonthLimit);
  const { run, replayed } = await rpc.paymentRun.createPaymentRun(request, call);
  if (run === undefined) throw new Error('no run');
  return { ...run, replayed };
}

async function linesOf(organizationId: string, runId: string, verdict = ''): Promise<CheckedPayment[]> {
  const lines: CheckedPayment[] = [];
  let pageToken = '';
  do {
    const page = await rpc.paymentRun.listPaymentLines(
      { organizationId, runId, pageSize: 2, pageToken, verdict },
      anna,
    );
    lines.push(...page.lines);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return lines;
}

const verdictsOf = (lines: readonly CheckedPayment[]) =>
  lines.map(({ verdict, reasons }) => [verdict, ...reasons.map(({ code }) => code)]);

const download = (organizationId: string, runId: string, { verdict = '', repeat = 0 } = {}, caller = anna) =>
  rpc.paymentRun.downloadPaymentFile({ organizationId, runId, verdict, repeat }, caller);

const idsIn = (content: Uint8Array) => readPaymentFile(content).transactions.map(({ remittance }) => remittance[0]);

/** Returns the store of the payment runs that the service has stored. */
function storeOf() {
  const { db } = running.mongo;
  return paymentRunStore(
    {
      runs: db.collection('payment_runs'),
      files: db.collection('payment_files'),
      lines: db.collection('payment_lines'),
      facts: db.collection('payment_facts'),
      releases: db.collection('payment_releases'),
      outcomes: db.collection('payment_outcomes'),
    } as Parameters<typeof paymentRunStore>[0],
    { nudge: () => {} } as unknown as Parameters<typeof paymentRunStore>[1],
    testClock,
  );
}

describe('a run', () => {
  test('is judged line by line, in the order of the request, with counts and sums', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1001', '100.00');
    await post(organizationId, 'RE-1002', '200.00');
    const blocked = await rpc.post(
      organizationId,
      wireInvoice({
        supplier: { name: NAME, taxId: 'DE994175284', bankAccount: { iban: IBAN } },
        invoiceNumber: 'RE-1001',
        issueDate: '2026-10-01',
        grossAmount: '100.00',
      }),
    );
    expect(blocked.decision).not.toBe(1);
    const run = await createList(organizationId, [
      listed('RE-1001'),
      listed('RE-1002', { amount: '200.00', iban: OTHER_IBAN }),
      listed('again', { invoiceNumbers: ['RE-1001'] }),
      listed('RE-9999'),
    ]);
    expect(verdictsOf(await linesOf(organizationId, run.runId))).toEqual([
      ['PAY'],
      ['HOLD', 'ACCOUNT_DIFFERS'],
      ['HOLD', 'TWICE_IN_RUN'],
      ['UNKNOWN'],
    ]);
    expect(run).toMatchObject({
      source: 'JSON',
      lineCount: 4,
      pay: { count: 1, sums: [{ currency: 'EUR', amount: '100.00' }] },
      hold: { count: 2, sums: [{ currency: 'EUR', amount: '300.00' }] },
      unknown: { count: 1 },
      executionDate: '2026-11-02',
    });
    expect(await linesOf(organizationId, run.runId, 'HOLD')).toHaveLength(2);
  });

  test('that is sent twice is one run, with a key and without, and other content under a key is refused', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1', '100.00');
    const [first, second] = await Promise.all([1, 2].map(() => createList(organizationId, [listed('RE-1')])));
    expect(second?.runId).toBe(first?.runId);
    expect((await createList(organizationId, [listed('RE-1')])).replayed).toBe(true);
    const keyed = await createList(organizationId, [listed('RE-1')], { idempotencyKey: 'k' });
    expect(keyed).toMatchObject({ replayed: false });
    expect(keyed.runId).not.toBe(first?.runId);
    await expect(createList(organizationId, [listed('RE-2')], { idempotencyKey: 'k' })).rejects.toMatchObject({
      kind: 'idempotency_mismatch',
    });
    const { runs } = await rpc.paymentRun.listPaymentRuns(
      {
        organizationId,
        pageSize: 0,
        pageToken: '',
        companyId: undefined,
        createdFromTime: undefined,
        createdToTime: undefined,
      },
      anna,
    );
    expect(runs).toHaveLength(2);
  });

  test('of another tenant looks like a missing one, in every call', async () => {
    const [organizationId, stranger] = [running.organization.newTenant(), running.organization.newTenant()];
    await post(organizationId, 'RE-1', '100.00');
    const { runId } = await createFile(organizationId, fileOf([fileLine('RE-1'), fileLine('RE-2')]));
    const of = { organizationId: stranger, runId };
    const calls = [
      () => rpc.paymentRun.getPaymentRun(of, anna),
      () => rpc.paymentRun.listPaymentLines({ ...of, pageSize: 0, pageToken: '', verdict: '' }, anna),
      () => rpc.paymentRun.recheckPaymentRun(of, anna),
      () => rpc.paymentRun.downloadPaymentFile({ ...of, verdict: '', repeat: 0 }, anna),
      () => rpc.paymentRun.releasePaymentLine({ ...of, lineId: '1.2', note: 'n', invoiceIds: [] }, anna),
      () => rpc.paymentRun.reportPaymentStatuses({ ...of, pain002: Buffer.from('<a/>') }, anna),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ kind: 'not_found' });
    // The same payment of the other tenant finds no invoice.
    const own = await createList(stranger, [listed('RE-1')]);
    expect(own.unknown?.count).toBe(1);
  });

  test('of another company is held, and the company of the debtor pays where none is named', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1', '100.00');
    const other = await createList(organizationId, [listed('RE-1')], { companyId: SECOND_COMPANY_ID });
    expect(verdictsOf(await linesOf(organizationId, other.runId))).toEqual([['HOLD', 'OTHER_COMPANY']]);
    await expect(createList(organizationId, [listed('RE-1')], { companyId: 'nobody' })).rejects.toMatchObject({
      kind: 'invalid',
    });
  });

  test('searches bills by their amount only for payments that name none', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1', '100.00');
    await post(organizationId, 'RE-2', '100.00');
    const { runId } = await createList(organizationId, [listed('RE-1'), listed('x', { invoiceNumbers: [] })]);
    const store = storeOf();
    const run = await store.find(organizationId, runId);
    const stored = await store.factsOf(organizationId, { runId, checkId: run?.checks[0]?.checkId ?? '' });
    const numbersOf = (index: number) => stored?.facts[index]?.payables.map(({ invoiceNumber }) => invoiceNumber);
    expect(numbersOf(0)).toEqual(['RE-1']);
    expect(numbersOf(1)?.toSorted(compareText)).toEqual(['RE-1', 'RE-2']);
  });

  test('keeps its facts: a replay gives the same results, byte for byte', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1', '100.00');
    const { runId } = await createList(organizationId, [
      listed('RE-1'),
      listed('RE-2'),
      listed('x', { invoiceNumbers: ['RE-1'] }),
    ]);
    const store = storeOf();
    const run = await store.find(organizationId, runId);
    const checkId = run?.checks[0]?.checkId ?? '';
    const stored = await store.factsOf(organizationId, { runId, checkId });
    if (stored === undefined) throw new Error('no facts');
    const judge = judgeOf(stored.run);
    const replayed = stored.facts.map((facts) => judge(facts));
    const lines = await store.allLines(organizationId, { runId, checkId });
    expect(JSON.stringify(replayed)).toBe(JSON.stringify(lines.map(({ result }) => result)));
    expect(run?.checks).toMatchObject([{ rulesVersion: RULES_VERSION }]);
    // Checks from before they named the version of their rules have none.
    await running.mongo.db
      .collection('payment_runs')
      .updateOne({ organizationId, _id: runId } as object, { $unset: { 'checks.0.rulesVersion': '' } });
    expect((await store.find(organizationId, runId))?.checks).toMatchObject([{ rulesVersion: '1.0.0' }]);
    await rpc.paymentRun.recheckPaymentRun({ organizationId, runId }, anna);
    expect((await store.find(organizationId, runId))?.checks).toMatchObject([
      { rulesVersion: '1.0.0' },
      { rulesVersion: RULES_VERSION },
    ]);
  });
});

describe('the quota of payment lines', () => {
  const LIMIT = 3;
  const stored = (organizationId: string) =>
    Promise.all(
      ['payment_runs', 'payment_lines', 'payment_facts', 'payment_files'].map((name) =>
        running.mongo.db.collection(name).countDocuments({ organizationId }),
      ),
    );
  const usedBy = (organizationId: string) =>
    exactUsage(running.mongo.db, { organizationId, month: usageMonth(testClock.now()), meter: 'payment_lines' });
  const limited = { paymentLinesPerMonthLimit: LIMIT };

  test('admits as many lines as the plan allows, and refuses a run with one more, of which nothing is stored', async () => {
    const organizationId = running.organization.newTenant();
    await createList(organizationId, [listed('1'), listed('2')], limited);
    const before = await stored(organizationId);
    await expect(createList(organizationId, [listed('3'), listed('4')], limited)).rejects.toMatchObject({
      kind: 'usage_exceeded',
      publicMessage: expect.stringMatching(
        /^The plan allows 3 payment lines in .*, of which 1 are left and 2 are needed\. /,
      ),
    });
    expect(await stored(organizationId)).toEqual(before);
    await createList(organizationId, [listed('3')], limited);
    expect(await usedBy(organizationId)).toBe(LIMIT);
    await expect(createList(organizationId, [listed('4')], limited)).rejects.toMatchObject({ kind: 'usage_exceeded' });
    expect(await usedBy(organizationId)).toBe(LIMIT);
  });

  test('is not used by repeats, checks and downloads, which succeed when it is used up', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1', '100.00');
    const file = fileOf([fileLine('RE-1'), fileLine('X-2'), fileLine('X-3')]);
    const { runId } = await createFile(organizationId, file, limited);
    const again = await Promise.all([1, 2, 3].map(() => createFile(organizationId, file, limited)));
    expect(again.map((run) => [run.runId, run.replayed])).toEqual(again.map(() => [runId, true]));
    await rpc.paymentRun.recheckPaymentRun({ organizationId, runId }, anna);
    await download(organizationId, runId);
    expect(await usedBy(organizationId)).toBe(LIMIT);
  });

  test('counts a run once that several requests send at once, and keeps the lines of one check', async () => {
    const organizationId = running.organization.newTenant();
    const payments = [listed('1'), listed('2'), listed('3')];
    const runs = await Promise.all(Array.from({ length: 8 }, () => createList(organizationId, payments, limited)));
    expect(new Set(runs.map(({ runId }) => runId)).size).toBe(1);
    expect(runs.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await usedBy(organizationId)).toBe(LIMIT);
    expect(await stored(organizationId)).toEqual([1, LIMIT, 1, 0]);
  });

  test('admits one of several runs at once that need the last lines, and nothing of the others is stored', async () => {
    const organizationId = running.organization.newTenant();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        createList(organizationId, [listed(`a${index}`), listed(`b${index}`)], limited),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await stored(organizationId)).toEqual([1, 2, 1, 0]);
    expect(await usedBy(organizationId)).toBe(2);
  });
});

describe('the file', () => {
  test('holds the lines that may be paid, each once; the three files together hold each line once', async () => {
    const organizationId = running.organization.newTenant();
    await Promise.all([post(organizationId, 'RE-1', '100.00'), post(organizationId, 'RE-2', '100.00')]);
    const bytes = fileOf([fileLine('RE-1'), fileLine('RE-2', { account: OTHER_IBAN }), fileLine('RE-7')]);
    const { runId } = await createFile(organizationId, bytes);
    const held = await download(organizationId, runId, { verdict: 'HOLD' });
    const unknown = await download(organizationId, runId, { verdict: 'UNKNOWN' });
    const given = await download(organizationId, runId);
    expect([given, held, unknown].flatMap(({ content }) => idsIn(content))).toEqual(['RE-1', 'RE-2', 'RE-7']);
    expect([given, held, unknown].map(({ fileName }) => fileName)).toEqual([
      `payment-run-${runId}-1.xml`,
      `payment-run-${runId}-hold.xml`,
      `payment-run-${runId}-unknown.xml`,
    ]);
    await expect(download(organizationId, runId)).rejects.toMatchObject({ kind: 'wrong_state' });
    const both = download(organizationId, runId, { repeat: 1, verdict: 'HOLD' });
    await expect(both).rejects.toMatchObject({ kind: 'invalid' });
    const again = await download(organizationId, runId, { repeat: 1 });
    expect(Buffer.from(again.content).equals(Buffer.from(given.content))).toBe(true);
    const { run } = await rpc.paymentRun.getPaymentRun({ organizationId, runId }, anna);
    expect(run?.downloads).toMatchObject([{ count: 1, downloadedBy: 'USER:anna' }]);
  });

  test('is given to one of two people who ask at once', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1', '100.00');
    const { runId } = await createFile(organizationId, fileOf([fileLine('RE-1')]));
    const results = await Promise.allSettled(
      [anna, berta, anna, berta].map((caller) => download(organizationId, runId, {}, caller)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('of one of several runs has the payment of a bill, also if all are downloaded at once', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1', '100.00');
    const runs = [];
    for (let run = 1; run <= 5; run += 1) {
      runs.push(await createFile(organizationId, fileOf([fileLine('RE-1')], `COPY-${run}`)));
    }
    const outcomes = await Promise.allSettled(runs.map(({ runId }) => download(organizationId, runId)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.kind] : []))).toEqual(
      Array.from({ length: 4 }, () => 'wrong_state'),
    );
  });

  test('leaves out a line that has become worse since the check, and the run shows it', async () => {
    const organizationId = running.organization.newTenant();
    await Promise.all([post(organizationId, 'RE-1', '100.00'), post(organizationId, 'RE-2', '100.00')]);
    const first = await createFile(organizationId, fileOf([fileLine('RE-1'), fileLine('RE-2')], 'FIRST'));
    const second = await createFile(organizationId, fileOf([fileLine('RE-2'), fileLine('RE-1')], 'SECOND'));
    expect(second.pay?.count).toBe(2);
    await download(organizationId, first.runId);
    // Both bills are paid now by the file of the first run.
    await expect(download(organizationId, second.runId)).rejects.toMatchObject({ kind: 'wrong_state' });
    const { run } = await rpc.paymentRun.getPaymentRun({ organizationId, runId: second.runId }, anna);
    expect([run?.pay?.count, run?.hold?.count]).toEqual([0, 2]);
    expect(verdictsOf(await linesOf(organizationId, second.runId))).toEqual([
      ['HOLD', 'PAID_ALREADY'],
      ['HOLD', 'PAID_ALREADY'],
    ]);
  });

  test('of a run that was only checked paid nothing, and a rejected payment frees its bill', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1', '100.00');
    const first = await createFile(organizationId, fileOf([fileLine('RE-1', { endToEndId: 'E2E-1' })], 'FIRST'));
    expect((await createFile(organizationId, fileOf([fileLine('RE-1')], 'SECOND'))).pay?.count).toBe(1);
    await download(organizationId, first.runId);
    expect((await createFile(organizationId, fileOf([fileLine('RE-1')], 'THIRD'))).hold?.count).toBe(1);
    const report = reportOf('FIRST', 'RJCT');
    const reported = await rpc.paymentRun.reportPaymentStatuses(
      { organizationId, runId: first.runId, pain002: report },
      anna,
    );
    expect(reported).toMatchObject({ lines: 1, replayed: false });
    const repeated = await rpc.paymentRun.reportPaymentStatuses(
      { organizationId, runId: first.runId, pain002: report },
      anna,
    );
    expect(repeated.replayed).toBe(true);
    expect((await linesOf(organizationId, first.runId))[0]?.outcome).toMatchObject({ status: 'RJCT' });
    expect((await createFile(organizationId, fileOf([fileLine('RE-1')], 'FOURTH'))).pay?.count).toBe(1);
    const foreign = { organizationId, runId: first.runId, pain002: reportOf('ANOTHER', 'ACSC') };
    await expect(rpc.paymentRun.reportPaymentStatuses(foreign, anna)).rejects.toMatchObject({ kind: 'wrong_state' });
  });

  test('counts as paid however often its run was checked, and however many runs were only checked', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1', '100.00');
    const first = await createFile(organizationId, fileOf([fileLine('RE-1')], 'FIRST'));
    // More lines for one bill than are read, if those of checks that gave nothing out were read.
    for (let check = 1; check <= 66; check += 1) {
      await rpc.paymentRun.recheckPaymentRun({ organizationId, runId: first.runId }, anna);
    }
    for (let run = 1; run <= 66; run += 1) {
      await createFile(organizationId, fileOf([fileLine('RE-1')], `CHECKED-${run}`));
    }
    await download(organizationId, first.runId);
    const next = await createFile(organizationId, fileOf([fileLine('RE-1')], 'NEXT'));
    expect(verdictsOf(await linesOf(organizationId, next.runId))).toEqual([['HOLD', 'PAID_ALREADY']]);
  });

  test('of another run with the same message id is a notice and no refusal', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1', '100.00');
    await createFile(organizationId, fileOf([fileLine('RE-9')], 'SAME'));
    const { runId } = await createFile(organizationId, fileOf([fileLine('RE-1')], 'SAME'));
    const [line] = await linesOf(organizationId, runId);
    expect(line).toMatchObject({ verdict: 'PAY', notices: [{ code: 'MESSAGE_ID_REPEATED' }] });
  });

  test.each<[string, (text: string) => string]>([
    ['a DOCTYPE', (text) => text.replace('<Document', '<!DOCTYPE a []><Document')],
    ['a wrong sum', (text) => text.replace(/<CtrlSum>[^<]*/, '<CtrlSum>1')],
    ['a wrong count', (text) => text.replace(/<NbOfTxs>[^<]*/, '<NbOfTxs>7')],
    ['an unknown version', (text) => text.replaceAll('pain.001.001.09', 'pain.001.001.99')],
    ['an IBAN that fails', (text) => text.replace(IBAN, `${IBAN.slice(0, -1)}1`)],
    ['nothing', () => ''],
  ])('with %s is refused, and nothing is stored', async (_, change) => {
    const organizationId = running.organization.newTenant();
    const bytes = Buffer.from(change(fileOf([fileLine('RE-1')]).toString()));
    await expect(createFile(organizationId, bytes)).rejects.toMatchObject({ kind: 'invalid' });
    expect(await running.mongo.db.collection('payment_lines').countDocuments({ organizationId })).toBe(0);
  });
});

describe('received credit notes', () => {
  const at = (days: number): string =>
    new Date(testClock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);
  const credits = async (organizationId: string, runId: string) =>
    (await linesOf(organizationId, runId)).map(({ notices }) =>
      notices.flatMap(({ code, summary }) => (code === 'CREDIT_OPEN' ? [summary.split(': ')[1]] : [])),
    );
  const postCredit = (organizationId: string, number: string, changes: Parameters<typeof post>[3] = {}) =>
    post(organizationId, number, '-30.00', changes);

  test('that no payment has used are named on the line, until a file nets them, and a replay is equal', async () => {
    const [organizationId, stranger] = [running.organization.newTenant(), running.organization.newTenant()];
    for (const tenant of [organizationId, stranger]) {
      for (const number of ['RE-1', 'RE-2', 'RE-3']) await post(tenant, number, '100.00');
    }
    await postCredit(organizationId, 'CN-1');
    await postCredit(organizationId, 'CN-2', { companyId: SECOND_COMPANY_ID });
    await postCredit(organizationId, 'CN-3', { currency: 'USD' });
    const first = await createFile(organizationId, fileOf([fileLine('RE-1')], 'FIRST'));
    expect(first.pay?.count).toBe(1);
    expect(await credits(organizationId, first.runId)).toEqual([['CN-1.']]);
    const foreign = await createFile(stranger, fileOf([fileLine('RE-1')]));
    expect(await credits(stranger, foreign.runId)).toEqual([[]]);

    const netted = await createFile(organizationId, fileOf([fileLine('RE-2 CN-1', { amount: '70.00' })], 'NETTED'));
    expect(netted.pay?.count).toBe(1);
    expect(await credits(organizationId, netted.runId)).toEqual([[]]);
    const before = await createFile(organizationId, fileOf([fileLine('RE-3')], 'BEFORE'));
    expect(await credits(organizationId, before.runId)).toEqual([['CN-1.']]);
    await download(organizationId, netted.runId);
    const after = await createFile(organizationId, fileOf([fileLine('RE-3')], 'AFTER'));
    expect(await credits(organizationId, after.runId)).toEqual([[]]);

    const store = storeOf();
    const checkId = (await store.find(organizationId, first.runId))?.checks[0]?.checkId ?? '';
    const stored = await store.factsOf(organizationId, { runId: first.runId, checkId });
    const lines = await store.allLines(organizationId, { runId: first.runId, checkId });
    if (stored === undefined) throw new Error('no facts');
    const judge = judgeOf(stored.run);
    expect(JSON.stringify(stored.facts.map((facts) => judge(facts)))).toBe(
      JSON.stringify(lines.map(({ result }) => result)),
    );
  });

  test('are named for 400 days after their issue, and the 16 newest of a supplier', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1', '100.00');
    await postCredit(organizationId, 'OLD-400', { issueDate: at(-RECEIVED_CREDIT_DAYS_MAX) });
    await postCredit(organizationId, 'OLD-401', { issueDate: at(-RECEIVED_CREDIT_DAYS_MAX - 1) });
    const first = await createFile(organizationId, fileOf([fileLine('RE-1')], 'FIRST'));
    expect(await credits(organizationId, first.runId)).toEqual([['OLD-400.']]);
    const named: string[] = [];
    for (let count = 1; count <= RECEIVED_CREDITS_PER_SUPPLIER_MAX; count += 1) {
      const number = `G-${100 + count}`;
      named.push(number);
      await post(organizationId, number, `-${30 + count}.00`, { issueDate: at(count - 100) });
      if (count < RECEIVED_CREDITS_PER_SUPPLIER_MAX - 1) continue;
      const { runId } = await createFile(organizationId, fileOf([fileLine('RE-1')], `WITH-${count}`));
      const all = count === RECEIVED_CREDITS_PER_SUPPLIER_MAX ? named : ['OLD-400', ...named];
      expect(await credits(organizationId, runId)).toEqual([[`${inWords(all)}.`]]);
    }
  });

  test('that the ERP books are named until the ERP has used them', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1', '100.00');
    await postCredit(organizationId, 'CN-1');
    const source = erpSource(organizationId);
    const vendors = [erpVendor('v1', { name: NAME, taxId: 'DE994175284' })];
    await rpc.erpImport.importVendors({ source, vendors }, anna);
    let runs = 0;
    const book = async (state: BillState) => {
      const bill = { kind: BillKind.CREDIT_NOTE, vendorName: NAME, documentNumber: 'CN-1', issueDate: '2026-10-01' };
      await rpc.erpImport.importBills(
        { source, bills: [erpBill('c1', { ...bill, grossAmount: '30.00', state })] },
        anna,
      );
      const now = testClock.now();
      await rpc.erpImport.completeImport({ source, startedTime: now, finishedTime: now, hasVendorList: true }, anna);
      const { runId } = await createFile(organizationId, fileOf([fileLine('RE-1')], `BOOKED-${(runs += 1)}`));
      return credits(organizationId, runId);
    };
    expect(await book(BillState.OPEN)).toEqual([['CN-1.']]);
    expect(await book(BillState.PAID)).toEqual([[]]);
    expect(await book(BillState.PARTIALLY_PAID)).toEqual([['CN-1.']]);
    expect(await book(BillState.VOID)).toEqual([[]]);
  });
});

describe('the outcome of a line', () => {
  const day = (days = 0): string => new Date(testClock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);

  /** Imports two bills of an ERP, and returns the connection. */
  async function importBills(organizationId: string) {
    const source = erpSource(organizationId);
    const vendor = erpVendor('v1', { name: NAME, hasAccounts: true, accounts: [erpAccount({ iban: IBAN })] });
    await rpc.erpImport.importVendors({ source, vendors: [vendor] }, anna);
    const bills = ['b1', 'b2'].map((id) => erpBill(id, { vendorName: NAME, grossAmount: '100.00' }));
    await rpc.erpImport.importBills({ source, bills }, anna);
    const now = testClock.now();
    await rpc.erpImport.completeImport({ source, startedTime: now, finishedTime: now, hasVendorList: true }, anna);
    return source;
  }
  const paid = (organizationId: string, runId: string) =>
    linesOf(organizationId, runId).then((lines) =>
      lines.map(
        ({ outcome }) => outcome && [outcome.status, ...outcome.booked.map(({ amount, date }) => [amount, date])],
      ),
    );

  test('is the payment of an ERP that settles its bill with its amount, once the line has left', async () => {
    const organizationId = running.organization.newTenant();
    const source = await importBills(organizationId);
    const { runId } = await createFile(organizationId, fileOf([fileLine('RE-b1'), fileLine('RE-b2')], 'ERP'));
    const importPayment = (id: string, changes: Parameters<typeof erpPayment>[1]) =>
      rpc.erpImport.importPayments({ source, payments: [erpPayment(id, { amount: '100.00', ...changes })] }, anna);
    await download(organizationId, runId);
    expect(await paid(organizationId, runId)).toEqual([undefined, undefined]);
    // A payment of another amount, an earlier one, a returned one, and one that settles a bill of the other line too.
    await importPayment('p1', { billExternalIds: ['b1'], date: day(1), amount: '90.00' });
    await importPayment('p2', { billExternalIds: ['b1'], date: day(-2) });
    await importPayment('p3', { billExternalIds: ['b1'], date: day(1), isReturned: true });
    await importPayment('p4', { billExternalIds: ['b1', 'b2'], date: day(1), amount: '200.00' });
    expect(await paid(organizationId, runId)).toEqual([undefined, undefined]);
    await importPayment('p5', { billExternalIds: ['b2'], date: day(1) });
    expect(await paid(organizationId, runId)).toEqual([undefined, ['BOOKED', ['100.00', day(1)]]]);
    const reported = { organizationId, runId, pain002: reportOf('ERP', 'ACSC') };
    await rpc.paymentRun.reportPaymentStatuses(reported, anna);
    expect(await paid(organizationId, runId)).toEqual([['ACSC'], ['ACSC', ['100.00', day(1)]]]);
  });

  test('of a run that was sent as JSON is known from the ERP too', async () => {
    const organizationId = running.organization.newTenant();
    const source = await importBills(organizationId);
    const { runId } = await createList(organizationId, [listed('RE-b1')]);
    const payments = [erpPayment('p1', { amount: '100.00', billExternalIds: ['b1'], date: day() })];
    await rpc.erpImport.importPayments({ source, payments }, anna);
    expect(await paid(organizationId, runId)).toEqual([['BOOKED', ['100.00', day()]]]);
  });
});

describe('a release', () => {
  const release = (organizationId: string, runId: string, lineId: string, caller = anna, invoiceIds: string[] = []) =>
    rpc.paymentRun.releasePaymentLine(
      { organizationId, runId, lineId, note: 'They confirmed it.', invoiceIds },
      caller,
    );

  async function storeReview(organizationId: string, invoiceId: string, actor: { type: string; id: string }) {
    await running.mongo.db.collection<{ _id: string }>('findings').insertOne({
      _id: `review of ${invoiceId}`,
      organizationId,
      invoiceId,
      history: [{ at: new Date(), actor, action: 'REVIEWED' }],
    } as never);
  }

  async function heldRun(organizationId: string) {
    const invoiceId = await post(organizationId, 'RE-1', '100.00');
    const { runId } = await createFile(
      organizationId,
      fileOf([fileLine('RE-1', { account: OTHER_IBAN }), fileLine('KD 4711')]),
    );
    return { invoiceId, runId };
  }

  test('lets the next download give the line out, with a suffix at its message id', async () => {
    const organizationId = running.organization.newTenant();
    const { runId } = await heldRun(organizationId);
    await expect(download(organizationId, runId)).rejects.toMatchObject({ kind: 'wrong_state' });
    const { line, pending } = await release(organizationId, runId, '1.1');
    expect([pending, line?.release]).toMatchObject([
      false,
      { confirmed: true, inForce: true, releasedBy: 'USER:anna' },
    ]);
    expect(idsIn((await download(organizationId, runId)).content)).toEqual(['RE-1']);
    await release(organizationId, runId, '1.2');
    expect(readPaymentFile((await download(organizationId, runId)).content).messageId).toBe('MSG-1-2');
    await expect(release(organizationId, runId, '1.1')).rejects.toMatchObject({ kind: 'wrong_state' });
    await expect(release(organizationId, runId, '9.9')).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('needs two people where four eyes are required, also if both ask at once', async () => {
    const organizationId = running.organization.newTenant();
    running.organization.setFourEyes(organizationId, true);
    const { runId } = await heldRun(organizationId);
    expect((await release(organizationId, runId, '1.1')).pending).toBe(true);
    expect((await release(organizationId, runId, '1.1')).pending).toBe(true);
    await expect(download(organizationId, runId)).rejects.toMatchObject({ kind: 'wrong_state' });
    expect((await release(organizationId, runId, '1.1', berta)).pending).toBe(false);
    const both = await Promise.all([anna, berta].map((caller) => release(organizationId, runId, '1.2', caller)));
    expect(both.map(({ pending }) => pending).sort((left, right) => Number(left) - Number(right))).toEqual([
      false,
      true,
    ]);
    expect((await download(organizationId, runId)).count).toBe(2);
  });

  test('is refused to the person who reviewed the invoice, also where the review names only a key of that person', async () => {
    const organizationId = running.organization.newTenant();
    running.organization.setFourEyes(organizationId, true);
    const { runId, invoiceId } = await heldRun(organizationId);
    const actor = { type: 'API_KEY', id: 'key of anna' } as const;
    const grant = testGrant(organizationId, { actorId: actor.id, person: 'USER:anna' });
    const annasKey = { ...anna, context: { requestId: 'r', actor, grant } };
    // A review from before people were stored with their keys.
    await storeReview(organizationId, invoiceId, actor);
    await expect(release(organizationId, runId, '1.1', annasKey)).rejects.toMatchObject({ kind: 'forbidden' });
    expect((await release(organizationId, runId, '1.1', berta)).pending).toBe(true);
  });

  test('is confirmed for the invoices that the first person named, and for no others', async () => {
    const organizationId = running.organization.newTenant();
    running.organization.setFourEyes(organizationId, true);
    const { runId, invoiceId } = await heldRun(organizationId);
    const otherId = await post(organizationId, 'RE-2', '100.00');
    await storeReview(organizationId, invoiceId, { type: 'USER', id: 'anna' });
    expect((await release(organizationId, runId, '1.2', berta, [invoiceId])).pending).toBe(true);
    // A person who reviewed the invoice cannot hide it behind another one.
    await expect(release(organizationId, runId, '1.2', anna, [otherId])).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(release(organizationId, runId, '1.1', anna, [otherId])).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(release(organizationId, runId, '1.2', anna, [invoiceId])).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(release(organizationId, runId, '1.2', anna)).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(release(organizationId, runId, '1.2', carla, [otherId])).rejects.toMatchObject({
      kind: 'wrong_state',
    });
    expect((await release(organizationId, runId, '1.2', carla, [invoiceId])).pending).toBe(false);
  });

  test('of an unknown line joins the invoices that the person names, and judges them', async () => {
    const organizationId = running.organization.newTenant();
    const { runId, invoiceId } = await heldRun(organizationId);
    const { line } = await release(organizationId, runId, '1.2', anna, [invoiceId]);
    expect(line?.release?.inForce).toBe(true);
    await download(organizationId, runId);
    const next = await createFile(organizationId, fileOf([fileLine('RE-1')], 'NEXT'));
    expect(verdictsOf(await linesOf(organizationId, next.runId))).toEqual([['HOLD', 'PAID_ALREADY']]);
    await expect(release(organizationId, runId, '1.1', anna, ['nobody'])).rejects.toMatchObject({ kind: 'invalid' });
  });

  test('never frees a line to an account with confirmed fraud', async () => {
    const organizationId = running.organization.newTenant();
    await post(organizationId, 'RE-1', '100.00');
    const changed = await rpc.post(
      organizationId,
      wireInvoice({
        supplier: { name: NAME, taxId: 'DE994175284', bankAccount: { iban: OTHER_IBAN } },
        invoiceNumber: 'RE-2',
        issueDate: '2026-10-05',
        grossAmount: '777.00',
      }),
    );
    const finding = changed.findings.find(({ type }) => type.startsWith('BANK_ACCOUNT'));
    if (finding === undefined) throw new Error('no finding about the account');
    await rpc.review(organizationId, finding, 'CONFIRMED');
    const { runId } = await createFile(organizationId, fileOf([fileLine('RE-1', { account: OTHER_IBAN })]));
    const [line] = await linesOf(organizationId, runId);
    expect(line?.reasons[0]?.code).toBe('ACCOUNT_CONFIRMED_FRAUD');
    await expect(release(organizationId, runId, '1.1')).rejects.toMatchObject({ kind: 'wrong_state' });
  });
});

test('10,000 lines are accepted, and one more is refused', async () => {
  const organizationId = running.organization.newTenant();
  const payments = Array.from({ length: 10_000 }, (_, index) => listed(`L-${index}`));
  expect((await createList(organizationId, payments)).unknown?.count).toBe(10_000);
  await expect(createList(organizationId, [...payments, listed('one more')])).rejects.toMatchObject({
    kind: 'invalid',
  });
});

function reportOf(messageId: string, status: string): Buffer {
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.03"><CstmrPmtStsRpt><GrpHdr><MsgId>R-1</MsgId><CreDtTm>2026-11-02T10:00:00</CreDtTm></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId><GrpSts>${status}</GrpSts></OrgnlGrpInfAndSts></CstmrPmtStsRpt></Document>`,
  );
}
