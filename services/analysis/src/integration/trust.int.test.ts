import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidV7 } from 'uuid';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Finding, Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { RowAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { ibanOf } from '@invoicecontrol/engine/testing/ledger';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { SupplierDocument } from '../storage/suppliers.js';
import { asUser, findingOf, testClock } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const ann = asUser('0192a000-0000-7000-8000-0000000000aa');
let running: RunningAnalysis;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), testDatabaseName());
});
afterAll(() => running.stop());

const post = (organizationId: string, invoice: Invoice) => running.rpc.post(organizationId, invoice);
const review = (organizationId: string, { findingId }: Finding, disposition: string) =>
  running.rpc.finding.reviewFinding({ organizationId, findingId, disposition, isByAdmin: false }, ann);

async function again(organizationId: string, { invoiceId }: Pick<Analysis, 'invoiceId'>): Promise<Analysis> {
  const { analysis } = await running.rpc.analysis.reanalyzeInvoice({ organizationId, invoiceId }, ann);
  if (analysis === undefined) throw new Error('no analysis');
  return analysis;
}

async function scan(organizationId: string, invoices: readonly Invoice[]) {
  const channel = openChannel(running.address);
  try {
    return await client(RowAnalysisServiceDefinition, channel).analyzeRows(
      {
        organizationId,
        scanId: uuidV7(),
        companyId: 'c-main',
        baseCurrency: 'EUR',
        receivedTime: testClock.now(),
        rows: invoices.map((invoice, position) => ({
          position,
          sourceRowNumber: position + 2,
          externalId: undefined,
          invoice,
        })),
      },
      ann,
    );
  } finally {
    channel.close();
  }
}

const typesOf = ({ findings }: Analysis): string[] => findings.map(({ type }) => type);
const resultOf = ({ decision, riskScore, findings }: Analysis) => ({ decision, riskScore, findings });

const { iban: ownAccount } = ibanOf('DE', '370400440532013000');
const { iban: forgedAccount } = ibanOf('DE', '500105170123456789');

let numbers = 0;
function bill(issueDate: string, iban: string, changes: { grossAmount?: string; invoiceNumber?: string } = {}) {
  numbers += 1;
  return wireInvoice({
    issueDate,
    iban,
    invoiceNumber: `RE-2026-${String(4100 + numbers * 37)}`,
    grossAmount: `${1180 + (numbers % 60)}.40`,
    ...changes,
  });
}

async function established(): Promise<string> {
  const organizationId = running.organization.newTenant();
  for (const month of [1, 2, 3, 4]) await post(organizationId, bill(`2025-0${month}-05`, ownAccount));
  return organizationId;
}

const forgedDays = ['2025-05-02', '2025-07-02', '2025-09-01', '2025-11-01'];

describe('an account that people still ask about earns no trust', () => {
  test('by bills that are dated weeks apart and posted on one day; one dismissal is trust', async () => {
    const organizationId = await established();
    const forged: Analysis[] = [];
    for (const day of forgedDays)
      forged.push(await post(organizationId, bill(day, forgedAccount, { grossAmount: '95.00' })));
    expect(forged.map(({ decision }) => decision)).not.toContain(Decision.PASS);
    for (const analysis of forged) findingOf(analysis, 'BANK_ACCOUNT_CHANGED');
    for (const analysis of forged) expect(resultOf(await again(organizationId, analysis))).toEqual(resultOf(analysis));

    const [first] = forged;
    if (first === undefined) throw new Error('nothing posted');
    await review(organizationId, findingOf(first, 'BANK_ACCOUNT_CHANGED'), 'FALSE_POSITIVE');
    expect(typesOf(await post(organizationId, bill('2025-12-01', forgedAccount)))).not.toContain(
      'BANK_ACCOUNT_CHANGED',
    );
  });

  test('by an older file that is scanned later', async () => {
    const organizationId = await established();
    await post(organizationId, bill('2025-05-02', forgedAccount));
    const { decisionCounts } = await scan(
      organizationId,
      ['2024-01-02', '2024-03-03', '2024-05-02', '2024-07-02', '2024-09-02'].map((day) => bill(day, forgedAccount)),
    );
    expect(decisionCounts['PASS'] ?? 0).toBe(0);
    findingOf(await post(organizationId, bill('2025-06-02', forgedAccount)), 'BANK_ACCOUNT_CHANGED');
  });

  test('beyond the scan that brought it: later rows of that file pass, the next post is asked about', async () => {
    const organizationId = running.organization.newTenant();
    const months = Array.from({ length: 9 }, (_, index) => `2025-0${index + 1}-05`);
    const { decisionCounts } = await scan(
      organizationId,
      months.map((day, index) => bill(day, index < 3 ? ownAccount : forgedAccount)),
    );
    expect(decisionCounts['PASS']).toBe(6);
    findingOf(await post(organizationId, bill('2025-10-05', forgedAccount)), 'BANK_ACCOUNT_CHANGED');
    expect((await post(organizationId, bill('2025-10-06', ownAccount))).decision).toBe(Decision.PASS);
  });
});

describe('copies that wait for a person', () => {
  const original = { invoiceNumber: 'RE-2025-48217', grossAmount: '1432.18' };
  const profileOf = async (organizationId: string) => {
    const [supplier] = await running.mongo.db
      .collection<SupplierDocument>('suppliers')
      .find({ organizationId })
      .toArray();
    if (supplier === undefined) throw new Error('no supplier');
    return supplier.profile;
  };

  test('are no habit: after nine of them one more with a typing slip is raised, also when it is analyzed again', async () => {
    const organizationId = await established();
    for (let copies = 0; copies < 10; copies += 1) await post(organizationId, bill('2025-09-01', ownAccount, original));
    expect((await profileOf(organizationId)).count).toBe(5);
    const slip = await post(
      organizationId,
      bill('2025-09-01', ownAccount, { ...original, invoiceNumber: 'RE-2025-48271' }),
    );
    findingOf(slip, 'SUSPECTED_DUPLICATE');
    expect(slip.decision).not.toBe(Decision.PASS);
    expect(resultOf(await again(organizationId, slip))).toEqual(resultOf(slip));
  });

  test('name no contract, however regular their dates', async () => {
    const organizationId = await established();
    await post(organizationId, bill('2025-05-01', ownAccount, original));
    const copies: Analysis[] = [];
    for (const day of ['2025-05-31', '2025-06-30', '2025-07-30'])
      copies.push(await post(organizationId, bill(day, ownAccount, original)));
    expect(copies.map(({ decision }) => decision)).not.toContain(Decision.PASS);
  });

  test('count once a person has said that they are none, and no more when that is taken back', async () => {
    const organizationId = await established();
    await post(organizationId, bill('2025-09-01', ownAccount, original));
    const copy = await post(organizationId, bill('2025-09-01', ownAccount, original));
    const finding = findingOf(copy, 'DUPLICATE_INVOICE');
    expect((await profileOf(organizationId)).count).toBe(5);
    for (const [disposition, count] of [
      ['FALSE_POSITIVE', 6],
      ['OPEN', 5],
      ['CONFIRMED', 5],
      ['FALSE_POSITIVE', 6],
    ] as const) {
      await review(organizationId, finding, disposition);
      expect((await profileOf(organizationId)).count).toBe(count);
    }
  });
});
