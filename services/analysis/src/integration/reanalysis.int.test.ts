import { Binary } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Finding, Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { syntheticHistory } from '@invoicecontrol/engine/testing/synthetic-history';
import { ibanOf } from '@invoicecontrol/engine/testing/ledger';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { toWire } from '@invoicecontrol/invoice/wire';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { unpackFacts } from '../records/application/packed-facts.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import { asUser, findingOf, resultOf } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

/** Number of invoices, enough for suppliers with several months of invoices, including copies and corrections. */
const BILLS_BEFORE = 120;
const BILLS_AFTER = 80;

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

const { iban: ownAccount } = ibanOf('DE', '370400440532013000');
const { iban: otherAccount } = ibanOf('DE', '500105170123456789');
const bill = (month: number, iban: string, grossAmount = `${1180 + month * 7}.40`) =>
  wireInvoice({
    iban,
    grossAmount,
    issueDate: `2026-${String(month).padStart(2, '0')}-05`,
    invoiceNumber: `RE-2026-${String(4100 + month * 37)}`,
  });

describe('an invoice that is analyzed again keeps its place in the order of arrival', () => {
  test('an alert about a changed account stays, whatever was billed on the account since', async () => {
    const organizationId = running.organization.newTenant();
    for (const month of [1, 2, 3, 4]) await post(organizationId, bill(month, ownAccount));
    const forged = await post(organizationId, bill(5, otherAccount));
    findingOf(forged, 'BANK_ACCOUNT_CHANGED');
    for (const month of [6, 8, 10]) await post(organizationId, bill(month, otherAccount));
    expect(resultOf(await again(organizationId, forged))).toEqual(resultOf(forged));
  });

  test('an alert about a look-alike supplier stays, whatever the look-alike billed since', async () => {
    const organizationId = running.organization.newTenant();
    for (const month of [1, 2, 3, 4]) await post(organizationId, bill(month, ownAccount));
    const lookalike = (month: number) => {
      const invoice = bill(month, otherAccount);
      const name = 'Nordlicht Energle GmbH';
      return { ...invoice, supplier: { ...invoice.supplier, name, taxId: 'DE811907980' } };
    };
    const first = await post(organizationId, lookalike(5));
    findingOf(first, 'SUPPLIER_LOOKALIKE_NAME');
    for (const month of [6, 8, 10]) await post(organizationId, lookalike(month));
    expect(resultOf(await again(organizationId, first))).toEqual(resultOf(first));
  });

  test('no result of a history changes, neither right after nor months of bills later', async () => {
    const organizationId = running.organization.newTenant();
    const bills = syntheticHistory(7, 6, 0.1).map(({ invoice }) => toWire(invoice));
    const decided: Analysis[] = [];
    for (const invoice of bills.slice(0, BILLS_BEFORE)) decided.push(await post(organizationId, invoice));
    expect(new Set(decided.map(({ decision }) => decision)).size).toBeGreaterThan(1);
    for (const analysis of decided) expect(resultOf(await again(organizationId, analysis))).toEqual(resultOf(analysis));
    for (const invoice of bills.slice(BILLS_BEFORE, BILLS_BEFORE + BILLS_AFTER)) await post(organizationId, invoice);
    for (const analysis of decided) expect(resultOf(await again(organizationId, analysis))).toEqual(resultOf(analysis));
  });
});

describe('what people have said since counts when an invoice is analyzed again', () => {
  test('an account that a reviewer confirmed as fraud blocks the bills that stated it before', async () => {
    const organizationId = running.organization.newTenant();
    for (const month of [1, 2, 3, 4]) await post(organizationId, bill(month, ownAccount));
    const [first, second] = [
      await post(organizationId, bill(5, otherAccount)),
      await post(organizationId, bill(6, otherAccount)),
    ];
    await review(organizationId, findingOf(second, 'BANK_ACCOUNT_CHANGED'), 'CONFIRMED');
    const blocked = await again(organizationId, first);
    expect(blocked.decision).toBe(Decision.BLOCK);
    findingOf(blocked, 'BANK_ACCOUNT_BLOCKLISTED');
  });

  test('a finding that blocks an account stays a case of people when it is no longer raised, so that the block can be lifted', async () => {
    const organizationId = running.organization.newTenant();
    const first = await post(organizationId, bill(5, otherAccount));
    const firstUse = findingOf(first, 'BANK_ACCOUNT_FIRST_USE');
    for (const disposition of ['CONFIRMED', 'OPEN']) await review(organizationId, firstUse, disposition);
    const blocked = await again(organizationId, first);
    findingOf(blocked, 'BANK_ACCOUNT_BLOCKLISTED');
    expect(blocked.findings.map(({ type }) => type)).not.toContain('BANK_ACCOUNT_FIRST_USE');
    findingOf(await post(organizationId, bill(6, otherAccount)), 'BANK_ACCOUNT_BLOCKLISTED');

    await review(organizationId, firstUse, 'FALSE_POSITIVE');
    const next = await post(organizationId, bill(7, otherAccount));
    expect(next.findings.map(({ type }) => type)).not.toContain('BANK_ACCOUNT_BLOCKLISTED');
  });

  test('an account whose risk a reviewer accepted on a later bill raises no alert on the earlier one', async () => {
    const organizationId = running.organization.newTenant();
    for (const month of [1, 2, 3, 4]) await post(organizationId, bill(month, ownAccount));
    const [first, second] = [
      await post(organizationId, bill(5, otherAccount)),
      await post(organizationId, bill(6, otherAccount)),
    ];
    await review(organizationId, findingOf(second, 'BANK_ACCOUNT_CHANGED'), 'ACCEPTED_RISK');
    expect((await again(organizationId, first)).findings.map(({ type }) => type)).not.toContain('BANK_ACCOUNT_CHANGED');
  });

  test('a bill that may be a copy joins the history of those after it when a reviewer dismisses that, and leaves it again', async () => {
    const organizationId = running.organization.newTenant();
    const original = await post(organizationId, wireInvoice());
    const copy = await post(organizationId, wireInvoice());
    const usual = await post(organizationId, wireInvoice({ invoiceNumber: 'RE-2026-0733', grossAmount: '118.20' }));
    const finding = findingOf(copy, 'DUPLICATE_INVOICE');
    const profileOf = async (analysis: Analysis): Promise<number> => {
      const { invoiceId } = await again(organizationId, analysis);
      const stored = await running.mongo.db.collection<InvoiceDocument>('invoices').findOne({ _id: invoiceId });
      if (!(stored?.facts instanceof Binary)) throw new Error('no facts');
      return unpackFacts(Buffer.from(stored.facts.buffer)).supplier.profile.count;
    };
    expect(await profileOf(usual)).toBe(1);
    await review(organizationId, finding, 'FALSE_POSITIVE');
    expect(await profileOf(usual)).toBe(2);
    expect(await profileOf(original)).toBe(0);
    const dismissed = await post(
      organizationId,
      wireInvoice({ invoiceNumber: 'RE-2026-0871', grossAmount: '131.70', issueDate: '2026-05-20' }),
    );
    expect(await profileOf(dismissed)).toBe(3);
    await review(organizationId, finding, 'CONFIRMED');
    expect(await profileOf(usual)).toBe(1);
    expect(await profileOf(dismissed)).toBe(2);
    expect(await profileOf(original)).toBe(0);
  });
});
