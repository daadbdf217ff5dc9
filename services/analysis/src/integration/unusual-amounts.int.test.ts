import { afterAll, beforeAll, expect, test } from 'vitest';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
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

let numbers = 0;
function post(organizationId: string, issueDate: string, grossAmount: string): Promise<Analysis> {
  numbers += 1;
  const invoiceNumber = `RE-2026-${String(4100 + numbers * 37)}`;
  return running.rpc.post(organizationId, wireInvoice({ issueDate, grossAmount, invoiceNumber }));
}

const review = (organizationId: string, { findingId }: Finding, disposition: string) =>
  running.rpc.finding.reviewFinding({ organizationId, findingId, disposition }, ann);

test('an amount that people ask about stays unusual until they accept it, and again when they take that back', async () => {
  const organizationId = running.organization.newTenant();
  for (const month of [1, 2, 3]) await post(organizationId, `2025-0${month}-05`, `${50 + month}.40`);
  const large: Analysis[] = [];
  for (const day of [1, 4, 7]) large.push(await post(organizationId, `2025-04-0${day}`, `1275${day}.30`));
  expect(large.map(({ decision }) => decision)).toEqual([Decision.REVIEW, Decision.REVIEW, Decision.REVIEW]);
  for (const { invoiceId, findings, riskScore } of large) {
    const { analysis } = await running.rpc.analysis.reanalyzeInvoice({ organizationId, invoiceId }, ann);
    expect(analysis).toMatchObject({ findings, riskScore });
  }

  const [first] = large;
  if (first === undefined) throw new Error('nothing posted');
  const finding = findingOf(first, 'AMOUNT_OUTLIER');
  await review(organizationId, finding, 'ACCEPTED_RISK');
  expect((await post(organizationId, '2025-05-02', '12870.30')).decision).toBe(Decision.PASS);

  const fraud = running.organization.newTenant();
  await post(fraud, '2025-01-05', '51.40');
  const asked = findingOf(await post(fraud, '2025-02-05', '12751.30'), 'AMOUNT_OUTLIER');
  await review(fraud, asked, 'FALSE_POSITIVE');
  await review(fraud, asked, 'CONFIRMED');
  findingOf(await post(fraud, '2025-03-05', '12790.30'), 'AMOUNT_OUTLIER');
});
