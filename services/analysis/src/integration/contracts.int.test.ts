import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Decision, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { ibanOf } from '@invoicecontrol/engine/testing/ledger';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { asUser, findingOf } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const ann = asUser('0192a000-0000-7000-8000-0000000000aa');
let running: RunningAnalysis;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), testDatabaseName());
});
afterAll(() => running.stop());

const bob = asUser('0192a000-0000-7000-8000-0000000000bb');
const review = (organizationId: string, { findingId }: Finding, disposition: string, by = ann) =>
  running.rpc.finding.reviewFinding({ organizationId, findingId, disposition }, by);

async function again(organizationId: string, { invoiceId }: Pick<Analysis, 'invoiceId'>): Promise<Analysis> {
  const { analysis } = await running.rpc.analysis.reanalyzeInvoice({ organizationId, invoiceId }, ann);
  if (analysis === undefined) throw new Error('no analysis');
  return analysis;
}

/** Posts an invoice for each date, one after the other. */
async function postAll(organizationId: string, dates: readonly string[], invoiceNumber: string): Promise<Analysis[]> {
  const analyses: Analysis[] = [];
  for (const issueDate of dates)
    analyses.push(
      await running.rpc.post(organizationId, wireInvoice({ issueDate, invoiceNumber, grossAmount: '585.08' })),
    );
  return analyses;
}

const typesOf = ({ findings }: Analysis): string[] => findings.map(({ type }) => type);

describe('a number that comes month after month', () => {
  test('passes once the second bill was asked about', async () => {
    const organizationId = running.organization.newTenant();
    const dates = ['2026-01-05', '2026-02-05', '2026-03-05', '2026-04-05'];
    const [, second, ...later] = await postAll(organizationId, dates, 'V-770123');
    expect(second && typesOf(second)).toContain('INVOICE_NUMBER_REUSED');
    expect(later.map(({ decision }) => decision)).toEqual([Decision.PASS, Decision.PASS]);
  });

  test('is asked about again and again once a person has confirmed the question, also when bills are analyzed again', async () => {
    const organizationId = running.organization.newTenant();
    const [, second, third] = await postAll(organizationId, ['2026-01-05', '2026-02-05', '2026-03-05'], 'V-770123');
    if (second === undefined || third === undefined) throw new Error('nothing posted');
    expect(third.decision).toBe(Decision.PASS);
    const question = findingOf(second, 'INVOICE_NUMBER_REUSED');
    await review(organizationId, question, 'CONFIRMED');
    const later = await postAll(organizationId, ['2026-04-05', '2026-05-05'], 'V-770123');
    for (const next of later) findingOf(next, 'SUSPECTED_DUPLICATE');
    expect(later.map(({ decision }) => decision)).toEqual([Decision.REVIEW, Decision.REVIEW]);
    findingOf(await again(organizationId, third), 'SUSPECTED_DUPLICATE');
    const { changes } = await running.rpc.finding.listFindingHistory(
      { organizationId, findingId: findingOf(third, 'INVOICE_NUMBER_REUSED').findingId },
      ann,
    );
    expect(changes.at(-1)).toMatchObject({
      actorType: 'SYSTEM',
      action: 'RECOMPUTED',
      note: expect.stringMatching(
        /^A later analysis raised the finding as SUSPECTED_DUPLICATE HIGH \d+%; before, it was INVOICE_NUMBER_REUSED LOW 70%\.$/,
      ),
    });

    await review(organizationId, question, 'FALSE_POSITIVE');
    expect((await again(organizationId, third)).decision).toBe(Decision.PASS);
  });

  test('is asked about each time when it carries the year of its bill', async () => {
    const organizationId = running.organization.newTenant();
    const dates = ['2026-01-16', '2026-02-15', '2026-03-17', '2026-04-16'];
    const [, ...copies] = await postAll(organizationId, dates, 'RE-2026-00417');
    for (const copy of copies) findingOf(copy, 'SUSPECTED_DUPLICATE');
    expect(copies.map(({ decision }) => decision)).not.toContain(Decision.PASS);
  });

  test('is asked about when one bill comes days after the last', async () => {
    const organizationId = running.organization.newTenant();
    const dates = ['2026-01-05', '2026-02-05', '2026-03-05', '2026-03-13', '2026-04-05'];
    const bills = await postAll(organizationId, dates, 'V-770123');
    const [, , regular, early, next] = bills;
    expect(regular?.decision).toBe(Decision.PASS);
    expect(early && typesOf(early)).toContain('SUSPECTED_DUPLICATE');
    expect(early?.decision).toBe(Decision.REVIEW);
    expect(next?.decision).toBe(Decision.PASS);
  });
});

describe('a tolerance that reviews teach', () => {
  /** Posts an invoice and one that resembles it, with a day and an amount that no other pair has. */
  async function pairOf(organizationId: string, index: number, numbers: readonly [string, string]) {
    const wire = { grossAmount: `${index}43.80`, issueDate: `2026-0${index}-11` };
    await running.rpc.post(organizationId, wireInvoice({ ...wire, invoiceNumber: numbers[0] }));
    const later = await running.rpc.post(organizationId, wireInvoice({ ...wire, invoiceNumber: numbers[1] }));
    return findingOf(later, 'SUSPECTED_DUPLICATE');
  }
  const copyOf = (index: number): [string, string] => [`KX-${index}4821`, `KX-${index}4821A`];
  /** Posts two invoices with one number and two amounts. */
  async function reuseOf(organizationId: string, index: number) {
    const wire = { invoiceNumber: `KX-${index}4821`, issueDate: `2026-0${index}-11` };
    await running.rpc.post(organizationId, wireInvoice({ ...wire, grossAmount: `${index}43.80` }));
    const later = await running.rpc.post(organizationId, wireInvoice({ ...wire, grossAmount: `${index}91.20` }));
    return findingOf(later, 'INVOICE_NUMBER_REUSED');
  }
  const toleranceOf = ({ evidenceJson }: Finding): unknown => JSON.parse(evidenceJson).tolerance;

  test('never lowers a copy with a suffix, however many such findings were dismissed, and by whom', async () => {
    const organizationId = running.organization.newTenant();
    for (const index of [1, 2, 3]) {
      const finding = await pairOf(organizationId, index, copyOf(index));
      await review(organizationId, finding, 'FALSE_POSITIVE', index === 1 ? bob : ann);
    }
    const copy = await pairOf(organizationId, 6, copyOf(6));
    expect(toleranceOf(copy)).toBeUndefined();
    expect(copy.severity).toBe(Severity.HIGH);
  });

  test('takes two people, or thirty days, and names itself in the finding', async () => {
    const organizationId = running.organization.newTenant();
    for (const index of [1, 2, 3]) await review(organizationId, await reuseOf(organizationId, index), 'FALSE_POSITIVE');
    const fourth = await reuseOf(organizationId, 4);
    expect(toleranceOf(fourth)).toBeUndefined();
    await review(organizationId, fourth, 'FALSE_POSITIVE', bob);
    const lowered = await reuseOf(organizationId, 6);
    expect(lowered.severity).toBe(Severity.LOW);
    expect(lowered.summary).toContain('Earlier reviews lowered the severity from MEDIUM.');
    expect(JSON.parse(lowered.evidenceJson).explanation[0]).toMatch(
      /^The severity was lowered from MEDIUM to LOW and the confidence from \d+% to \d+%: 2 reviewers dismissed 4 findings like this one from the supplier, the last on [-\d]+\. This applies until [-\d]+\.$/,
    );
  });
});

describe('the history of a finding', () => {
  const historyOf = async (organizationId: string, { findingId }: Finding) =>
    (await running.rpc.finding.listFindingHistory({ organizationId, findingId }, ann)).changes;

  test('holds a note once, however often one person repeats a review with it', async () => {
    const organizationId = running.organization.newTenant();
    const [, copy] = await postAll(organizationId, ['2026-05-05', '2026-05-05'], 'RE-2026-00417');
    if (copy === undefined) throw new Error('nothing posted');
    const finding = findingOf(copy, 'DUPLICATE_INVOICE');
    const noted = (disposition: string, note: string, by = ann) =>
      running.rpc.finding.reviewFinding({ organizationId, findingId: finding.findingId, disposition, note }, by);
    const notes = async () => (await historyOf(organizationId, finding)).flatMap(({ note }) => note ?? []);
    for (let repeat = 0; repeat < 3; repeat += 1) await noted('CONFIRMED', 'seen with the supplier');
    expect(await notes()).toEqual(['seen with the supplier']);
    await noted('CONFIRMED', 'seen with the supplier', bob);
    await noted('CONFIRMED', 'credit note asked for');
    await noted('CONFIRMED', 'seen with the supplier');
    expect(await notes()).toEqual(['seen with the supplier', 'seen with the supplier', 'credit note asked for']);
    await noted('OPEN', 'once more');
    await noted('CONFIRMED', 'seen with the supplier');
    expect((await notes()).slice(-2)).toEqual(['once more', 'seen with the supplier']);
  });

  test('names the review of another bill by which an analysis no longer raises an alert about an account', async () => {
    const organizationId = running.organization.newTenant();
    const { iban: own } = ibanOf('DE', '370400440532013000');
    const { iban: other } = ibanOf('DE', '500105170123456789');
    const numberOf = (month: number) => `RE-2026-${4100 + month * 37}`;
    const post = (month: number, iban: string) =>
      running.rpc.post(
        organizationId,
        wireInvoice({
          iban,
          issueDate: `2026-0${month}-05`,
          invoiceNumber: numberOf(month),
          grossAmount: `${1180 + month}.40`,
        }),
      );
    for (const month of [1, 2, 3, 4]) await post(month, own);
    const [first, second] = [await post(5, other), await post(6, other)];
    await review(organizationId, findingOf(second, 'BANK_ACCOUNT_CHANGED'), 'FALSE_POSITIVE', bob);
    const alert = findingOf(first, 'BANK_ACCOUNT_CHANGED');
    await again(organizationId, first);
    const last = (await historyOf(organizationId, alert)).at(-1);
    expect(last).toMatchObject({ actorType: 'SYSTEM', from: 'OPEN', to: 'SUPERSEDED' });
    expect(last?.note).toContain(
      `Follows the review of BANK_ACCOUNT_CHANGED on invoice ${numberOf(6)}: FALSE_POSITIVE on `,
    );
    expect(last?.note).toContain('by user 0192a000-0000-7000-8000-0000000000bb');
  });

  test('names the compared bill that was confirmed as a duplicate', async () => {
    const organizationId = running.organization.newTenant();
    const [, copy, more] = await postAll(organizationId, ['2026-05-05', '2026-05-05', '2026-09-05'], 'RE-2026-00417');
    if (copy === undefined || more === undefined) throw new Error('nothing posted');
    await review(organizationId, findingOf(copy, 'DUPLICATE_INVOICE'), 'CONFIRMED');
    await again(organizationId, more);
    const histories = await historyOf(organizationId, findingOf(more, 'SUSPECTED_DUPLICATE'));
    expect(histories.at(-1)?.note).toBe(
      'Invoice RE-2026-00417, which this invoice was compared with, was confirmed as a duplicate.',
    );
  });
});
