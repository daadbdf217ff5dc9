import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Finding, Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { ibanOf } from '@invoicecontrol/engine/testing/ledger';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { SupplierDocument } from '../records/storage/suppliers.js';
import { asUser, findingOf, resultOf } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const ann = asUser('0192a000-0000-7000-8000-0000000000aa');
let running: RunningAnalysis;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), testDatabaseName());
});
afterAll(() => running.stop());

const post = (organizationId: string, invoice: Invoice) => running.rpc.post(organizationId, invoice);
const again = (organizationId: string, analysis: Analysis) => running.rpc.reanalyze(organizationId, analysis);
const review = (organizationId: string, finding: Finding, disposition: string) =>
  running.rpc.review(organizationId, finding, disposition, ann);

const typesOf = ({ findings }: Analysis): string[] => findings.map(({ type }) => type);
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
    const { decisionCounts } = await running.rpc.scan(
      organizationId,
      ['2024-01-02', '2024-03-03', '2024-05-02', '2024-07-02', '2024-09-02'].map((day) => bill(day, forgedAccount)),
    );
    expect(decisionCounts['PASS'] ?? 0).toBe(0);
    findingOf(await post(organizationId, bill('2025-06-02', forgedAccount)), 'BANK_ACCOUNT_CHANGED');
  });

  test('by a file, where the supplier is known from elsewhere', async () => {
    const organizationId = await established();
    const days = ['2024-01-02', '2024-03-03', '2024-05-02', '2024-07-02', '2024-09-02', '2024-11-02'];
    const { decisionCounts } = await running.rpc.scan(
      organizationId,
      days.map((day) => bill(day, forgedAccount)),
    );
    expect(decisionCounts['PASS'] ?? 0).toBe(0);
  });

  test('beyond the scan that brought it: later rows of that file pass, the next post is asked about', async () => {
    const organizationId = running.organization.newTenant();
    const months = Array.from({ length: 9 }, (_, index) => `2025-0${index + 1}-05`);
    const { decisionCounts } = await running.rpc.scan(
      organizationId,
      months.map((day, index) => bill(day, index < 3 ? ownAccount : forgedAccount)),
    );
    expect(decisionCounts['PASS']).toBe(6);
    findingOf(await post(organizationId, bill('2025-10-05', forgedAccount)), 'BANK_ACCOUNT_CHANGED');
    expect((await post(organizationId, bill('2025-10-06', ownAccount))).decision).toBe(Decision.PASS);
  });
});

describe('a supplier whose identity people still ask about', () => {
  const original = { name: 'Nordlicht Energie GmbH', tax_id: 'DE136695976' };
  const sentBy = (supplier: { name: string; tax_id?: string }, issueDate: string, iban: string): Invoice => {
    const invoice = bill(issueDate, iban);
    const taxId = supplier.tax_id;
    return {
      ...invoice,
      supplier: { name: supplier.name, bankAccount: invoice.supplier?.bankAccount, taxId },
    };
  };
  const imitation = { name: 'Nordlicht Enargie GmbH', tax_id: 'DE811569869' };

  test('is asked about on each bill until one is answered, and bills dated long ago do not make it the older one', async () => {
    const organizationId = await established();
    const bills: Analysis[] = [];
    for (const day of ['2019-05-02', '2019-07-02', '2019-09-01', '2026-10-01'])
      bills.push(await post(organizationId, sentBy(imitation, day, forgedAccount)));
    for (const analysis of bills) findingOf(analysis, 'SUPPLIER_LOOKALIKE_NAME');
    expect((await post(organizationId, sentBy(original, '2026-10-02', ownAccount))).decision).toBe(Decision.PASS);
    for (const analysis of bills) expect(resultOf(await again(organizationId, analysis))).toEqual(resultOf(analysis));

    const [first] = bills;
    if (first === undefined) throw new Error('nothing posted');
    const finding = findingOf(first, 'SUPPLIER_LOOKALIKE_NAME');
    const asksNow = async () =>
      typesOf(await post(organizationId, sentBy(imitation, '2026-10-03', forgedAccount))).includes(
        'SUPPLIER_LOOKALIKE_NAME',
      );
    await review(organizationId, finding, 'FALSE_POSITIVE');
    expect(await asksNow()).toBe(false);
    await review(organizationId, finding, 'OPEN');
    await review(organizationId, finding, 'FALSE_POSITIVE');
    expect(await asksNow()).toBe(false);
  });

  test('does not make a third tax id that of a group, until the second one is accepted', async () => {
    const organizationId = await established();
    const second = await post(organizationId, sentBy({ ...original, tax_id: 'DE811569869' }, '2026-10-01', ownAccount));
    const finding = findingOf(second, 'SUPPLIER_TAX_ID_CHANGED');
    const third = await post(organizationId, sentBy({ ...original, tax_id: 'DE129273398' }, '2026-10-02', ownAccount));
    findingOf(third, 'SUPPLIER_TAX_ID_CHANGED');
    await review(organizationId, finding, 'ACCEPTED_RISK');
    const fourth = await post(organizationId, sentBy({ ...original, tax_id: 'DE811907980' }, '2026-10-03', ownAccount));
    expect(typesOf(fourth)).not.toContain('SUPPLIER_TAX_ID_CHANGED');
  });

  test('is asked about on the account of another supplier until that is answered, also when analyzed again', async () => {
    const organizationId = await established();
    const fake = { name: 'Borealis Handel', tax_id: 'DE811569869' };
    const bills: Analysis[] = [];
    for (const day of ['2026-10-01', '2026-10-02', '2026-10-03'])
      bills.push(await post(organizationId, sentBy(fake, day, ownAccount)));
    for (const analysis of bills) expect(resultOf(await again(organizationId, analysis))).toEqual(resultOf(analysis));
    const [first] = bills;
    if (first === undefined) throw new Error('nothing posted');
    await review(organizationId, findingOf(first, 'BANK_ACCOUNT_SHARED'), 'FALSE_POSITIVE');
    expect(typesOf(await post(organizationId, sentBy(fake, '2026-10-04', ownAccount)))).not.toContain(
      'BANK_ACCOUNT_SHARED',
    );
    await review(organizationId, findingOf(first, 'BANK_ACCOUNT_SHARED'), 'OPEN');
    for (const analysis of bills) findingOf(analysis, 'BANK_ACCOUNT_SHARED');
  });

  test('does not borrow the account that a bill with an open finding has named', async () => {
    const organizationId = await established();
    findingOf(await post(organizationId, bill('2026-10-01', forgedAccount)), 'BANK_ACCOUNT_CHANGED');
    const other = await post(
      organizationId,
      sentBy({ ...original, tax_id: 'DE811569869' }, '2026-10-02', forgedAccount),
    );
    expect(typesOf(other)).toContain('SUPPLIER_LOOKALIKE_NAME');
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

describe('two equal bills of a day that people have accepted', () => {
  const bob = asUser('0192a000-0000-7000-8000-0000000000bb');

  /**
   * Posts a pair of equal invoices on a third day, after reviewers dismissed the pairs of two days, and returns the
   * second invoice.
   */
  async function thirdPair(reviewers: readonly [typeof ann, typeof ann]): Promise<Analysis> {
    const organizationId = running.organization.newTenant();
    for (let index = 0; index < 12; index += 1) {
      await post(
        organizationId,
        bill(`2025-0${1 + Math.floor(index / 2)}-${index % 2 === 0 ? '05' : '19'}`, ownAccount, {
          invoiceNumber: `Z-${20113 + index * 7}`,
          grossAmount: `${310 + index * 13}.40`,
        }),
      );
    }
    let second: Analysis | undefined;
    for (const [pair, issueDate] of ['2025-07-03', '2025-08-05', '2025-09-09'].entries()) {
      const [number, grossAmount] = [21000 + pair * 60, `${187 + pair * 16}.30`];
      await post(organizationId, bill(issueDate, ownAccount, { invoiceNumber: `Z-${number}`, grossAmount }));
      second = await post(
        organizationId,
        bill(issueDate, ownAccount, { invoiceNumber: `Z-${number + 20}`, grossAmount }),
      );
      const reviewer = reviewers[pair];
      if (reviewer === undefined) continue;
      const finding = findingOf(second, 'SUSPECTED_DUPLICATE');
      await running.rpc.review(organizationId, finding, 'FALSE_POSITIVE', reviewer);
      // A review that is withdrawn and then repeated counts only once.
      await running.rpc.review(organizationId, finding, 'OPEN', reviewer);
      await running.rpc.review(organizationId, finding, 'FALSE_POSITIVE', reviewer);
    }
    if (second === undefined) throw new Error('nothing posted');
    expect(resultOf(await again(organizationId, second))).toEqual(resultOf(second));
    return second;
  }

  test('are no habit on the word of one person on one day', async () => {
    expect(typesOf(await thirdPair([ann, ann]))).toContain('SUSPECTED_DUPLICATE');
  });

  test('are one on the word of two', async () => {
    expect((await thirdPair([ann, bob])).decision).toBe(Decision.PASS);
  });
});

describe('a tax id that a supplier known by its name alone states', () => {
  const sentBy = (taxId: string | undefined, issueDate: string, iban: string | undefined): Invoice => {
    const invoice = bill(issueDate, iban ?? ownAccount);
    const bankAccount = iban === undefined ? undefined : invoice.supplier?.bankAccount;
    return { ...invoice, supplier: { name: 'Lerchenfeld Reinigung GmbH', bankAccount, taxId } };
  };

  test('is asked about on each bill with a new account, and is its own once a reviewer accepts it', async () => {
    const organizationId = running.organization.newTenant();
    for (const month of [1, 2, 3]) await post(organizationId, sentBy(undefined, `2026-0${month}-05`, undefined));
    const asked: Analysis[] = [];
    for (const day of ['2026-04-05', '2026-05-05'])
      asked.push(await post(organizationId, sentBy('DE136695976', day, ownAccount)));
    for (const analysis of asked) {
      findingOf(analysis, 'SUPPLIER_TAX_ID_FIRST_USE');
      expect(analysis.decision).not.toBe(Decision.PASS);
      expect(resultOf(await again(organizationId, analysis))).toEqual(resultOf(analysis));
    }
    const [first, second] = asked;
    if (first === undefined || second === undefined) throw new Error('nothing posted');
    await review(organizationId, findingOf(first, 'SUPPLIER_TAX_ID_FIRST_USE'), 'FALSE_POSITIVE');
    const accepted = await post(organizationId, sentBy('DE136695976', '2026-06-05', ownAccount));
    expect(typesOf(accepted)).not.toContain('SUPPLIER_TAX_ID_FIRST_USE');
    const next = await post(organizationId, sentBy('DE136695976', '2026-07-05', ownAccount));
    expect(typesOf(next)).not.toContain('SUPPLIER_TAX_ID_FIRST_USE');
    expect(typesOf(await again(organizationId, second))).not.toContain('SUPPLIER_TAX_ID_FIRST_USE');
  });

  test('is no longer its own when the acceptance is withdrawn before the next bill', async () => {
    const organizationId = running.organization.newTenant();
    for (const month of [1, 2, 3]) await post(organizationId, sentBy(undefined, `2026-0${month}-05`, undefined));
    const forged = await post(organizationId, sentBy('DE136695976', '2026-04-05', forgedAccount));
    const finding = findingOf(forged, 'SUPPLIER_TAX_ID_FIRST_USE');
    await review(organizationId, finding, 'FALSE_POSITIVE');
    await review(organizationId, finding, 'OPEN');
    const later = await post(organizationId, sentBy('DE136695976', '2026-05-05', forgedAccount));
    findingOf(later, 'SUPPLIER_TAX_ID_FIRST_USE');
    expect(later.decision).not.toBe(Decision.PASS);
  });
});
