import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { events } from '@invoicecontrol/contracts/events';
import { ENGINE_VERSION } from '@invoicecontrol/engine/run-engine';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { Announcing } from '@invoicecontrol/runtime/mongo/event-envelope';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { FindingDocument } from '../records/storage/findings.js';
import type { AnalysisDocument } from '../records/storage/analyses.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { anyFinding, asUser, findingOf, fromNow } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';

const MISSING_ID = '01890000-0000-7000-8000-000000000000';
const databaseName = testDatabaseName();
const ann = asUser('0192a000-0000-7000-8000-0000000000aa');
const bob = asUser('0192a000-0000-7000-8000-0000000000bb');
const operator = { ...ann, context: { ...ann.context } };

let running: RunningAnalysis;
let organization: FakeOrganization;
let rpc: Clients;
let mongo: MongoConnection;

/** Matches `versions.policy` with the given overlay, whatever the policy digest is. */
const named = (overlay: number) => expect.stringMatching(new RegExp(`^default-3\\+[0-9a-f]{12}\\.o${overlay}$`));
const invoiceDocuments = () => mongo.db.collection<InvoiceDocument>('invoices');
const earlierAnalyses = () => mongo.db.collection<AnalysisDocument>('analyses');

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), databaseName);
  ({ organization, rpc, mongo } = running);
});
afterAll(() => running.stop());

async function again(organizationId: string, invoiceId: string): Promise<Analysis> {
  const { analysis } = await rpc.analysis.reanalyzeInvoice({ organizationId, invoiceId }, ann);
  if (analysis === undefined) throw new Error('no analysis');
  return analysis;
}

async function list(organizationId: string, invoiceId: string) {
  const { analyses } = await rpc.analysis.listAnalyses({ organizationId, invoiceId, pageSize: 0, pageToken: '' }, ann);
  return analyses;
}

const review = (
  organizationId: string,
  { findingId }: Finding,
  disposition: string,
  { note, by = ann }: { note?: string | undefined; by?: CallOptions } = {},
) => rpc.finding.reviewFinding({ organizationId, findingId, disposition, note }, by);

async function duplicatePair(organizationId: string) {
  const first = await rpc.post(organizationId, wireInvoice());
  const second = await rpc.post(organizationId, wireInvoice());
  return { first, second, finding: findingOf(second, 'DUPLICATE_INVOICE') };
}

/** Creates three pairs of invoices with one number and two amounts, which two people review as false positives. */
async function threeFalsePositives(organizationId: string): Promise<Finding[]> {
  const called: Finding[] = [];
  for (const index of [1, 2, 3]) {
    const wire = { invoiceNumber: `KX-${index}4821`, issueDate: `2026-0${index}-11` };
    await rpc.post(organizationId, wireInvoice({ ...wire, grossAmount: `${index}43.80` }));
    const later = await rpc.post(organizationId, wireInvoice({ ...wire, grossAmount: `${index}91.20` }));
    const finding = findingOf(later, 'INVOICE_NUMBER_REUSED');
    await review(organizationId, finding, 'FALSE_POSITIVE', { by: index === 2 ? bob : ann });
    called.push(finding);
  }
  return called;
}

async function oneMorePair(organizationId: string): Promise<Analysis> {
  const wire = { invoiceNumber: 'KX-94821', issueDate: '2026-06-11' };
  await rpc.post(organizationId, wireInvoice({ ...wire, grossAmount: '943.80' }));
  return rpc.post(organizationId, wireInvoice({ ...wire, grossAmount: '991.20' }));
}

describe('an invoice that is analyzed again', () => {
  test('with nothing new gives the same result under the next number, and the earlier analysis stays', async () => {
    const organizationId = organization.newTenant();
    const { second } = await duplicatePair(organizationId);
    const repeated = await again(organizationId, second.invoiceId);
    expect(repeated).toMatchObject({ number: 2, decision: second.decision, riskScore: second.riskScore });
    expect(repeated.findings).toEqual(second.findings);
    expect(await list(organizationId, second.invoiceId)).toMatchObject([
      { number: 2, reason: 'REANALYSIS', differences: [] },
      { number: 1, reason: 'INITIAL', differences: [], analysisId: second.analysisId },
    ]);
    const { findings } = await rpc.finding.listFindings(
      { ...anyFinding, organizationId, invoiceId: second.invoiceId },
      ann,
    );
    expect(findings).toHaveLength(second.findings.length);
  });

  test('is not its own history: a first invoice stays the first of its supplier', async () => {
    const organizationId = organization.newTenant();
    const iban = 'DE89370400440532013000';
    const first = await rpc.post(organizationId, wireInvoice({ iban }));
    expect(first.findings.map(({ type }) => type)).toContain('BANK_ACCOUNT_FIRST_USE');
    const repeated = await again(organizationId, first.invoiceId);
    expect(repeated.findings).toEqual(first.findings);
  });

  test('does not answer for a supplier who came to its account later', async () => {
    const organizationId = organization.newTenant();
    const iban = { iban: 'DE89370400440532013000', sortCode: undefined, accountNumber: undefined };
    const bill = (name: string, taxId: string, number: string, grossAmount: string) =>
      rpc.post(
        organizationId,
        wireInvoice({ supplier: { name, taxId, bankAccount: iban }, invoiceNumber: number, grossAmount }),
      );
    const first = await bill('Nordlicht Energie GmbH', 'DE136695976', 'A-10001', '110.10');
    const second = await bill('Hansa Papier GmbH', 'DE811907980', 'B-20002', '220.20');
    findingOf(second, 'BANK_ACCOUNT_SHARED');
    const types = (await again(organizationId, first.invoiceId)).findings.map(({ type }) => type);
    expect(types).not.toContain('BANK_ACCOUNT_SHARED');
    findingOf(await again(organizationId, second.invoiceId), 'BANK_ACCOUNT_SHARED');
  });

  test('loses findings that are no longer raised as SUPERSEDED, and has them open again when they are', async () => {
    const organizationId = organization.newTenant();
    const { first, second, finding } = await duplicatePair(organizationId);
    const withdrawn = (confirmedAs: 'FRAUD' | undefined) =>
      invoiceDocuments().updateOne(
        { _id: first.invoiceId },
        confirmedAs === undefined
          ? { $unset: { 'match.confirmedAs': '' } }
          : { $set: { 'match.confirmedAs': confirmedAs } },
      );
    await withdrawn('FRAUD');
    const without = await again(organizationId, second.invoiceId);
    expect(without.decision).toBe(Decision.PASS);
    expect(without.findings.map(({ type }) => type)).not.toContain('DUPLICATE_INVOICE');
    const { findingId } = finding;
    const read = async () => (await rpc.finding.getFinding({ organizationId, findingId }, ann)).finding?.disposition;
    expect(await read()).toBe('SUPERSEDED');
    await expect(review(organizationId, finding, 'CONFIRMED')).rejects.toMatchObject({ kind: 'wrong_state' });
    const [newest] = await list(organizationId, second.invoiceId);
    for (const difference of [
      { field: 'decision', from: 'BLOCK', to: 'PASS' },
      {
        field: 'findings',
        findingType: 'DUPLICATE_INVOICE',
        from: 'DUPLICATE_INVOICE CRITICAL 99% OPEN',
        to: undefined,
      },
    ]) {
      expect(newest?.differences).toContainEqual(expect.objectContaining(difference));
    }
    await withdrawn(undefined);
    expect((await again(organizationId, second.invoiceId)).decision).toBe(Decision.BLOCK);
    expect(await read()).toBe('OPEN');
    const { changes } = await rpc.finding.listFindingHistory({ organizationId, findingId }, ann);
    expect(changes.map(({ actorType, action, from, to }) => `${actorType} ${action} ${from}-${to}`)).toEqual([
      'SYSTEM CREATED undefined-undefined',
      'SYSTEM REVIEWED OPEN-SUPERSEDED',
      'SYSTEM REVIEWED SUPERSEDED-OPEN',
    ]);
    // The event finding_reviewed is published only for reviews by people.
    await review(organizationId, finding, 'CONFIRMED');
    await eventually(async () => {
      const document = await mongo.db.collection<Announcing>('findings').findOne({ _id: findingId });
      expect(document).not.toHaveProperty('outboxPending');
      const reviews = document?.recentEvents?.filter(({ subject }) => subject === events.findingReviewed.subject) ?? [];
      expect(reviews.map(({ payload }) => JSON.parse(payload))).toEqual([
        expect.objectContaining({ previousDisposition: 'OPEN', disposition: 'CONFIRMED' }),
      ]);
    });
  });

  test('keeps what people said: a cleared pair stays cleared and an accepted risk accepted', async () => {
    const organizationId = organization.newTenant();
    const { second, finding } = await duplicatePair(organizationId);
    for (const [disposition, note] of [
      ['ACCEPTED_RISK', 'known'],
      ['CONFIRMED', undefined],
      ['FALSE_POSITIVE', undefined],
    ] as const) {
      await review(organizationId, finding, disposition, { note });
      const repeated = await again(organizationId, second.invoiceId);
      expect(findingOf(repeated, 'DUPLICATE_INVOICE')).toMatchObject({ findingId: finding.findingId, disposition });
      expect(repeated.decision).toBe(disposition === 'CONFIRMED' ? Decision.BLOCK : Decision.PASS);
    }
  });

  test('while its findings are reviewed ends with the decision that the reviews make', async () => {
    const organizationId = organization.newTenant();
    const { second, finding } = await duplicatePair(organizationId);
    await Promise.all([
      again(organizationId, second.invoiceId),
      review(organizationId, finding, 'FALSE_POSITIVE'),
      again(organizationId, second.invoiceId),
    ]);
    const latest = await rpc.latest(organizationId, second.invoiceId);
    expect(latest.decision).toBe(Decision.PASS);
    expect((await list(organizationId, second.invoiceId)).map(({ number }) => number)).toEqual([3, 2, 1]);
  });

  test('and whose worker dies after the commit is finished by the sweep', async () => {
    const organizationId = organization.newTenant();
    const { first, second, finding } = await duplicatePair(organizationId);
    await invoiceDocuments().updateOne({ _id: first.invoiceId }, { $set: { 'match.confirmedAs': 'FRAUD' } });
    await again(organizationId, second.invoiceId);
    await eventually(async () =>
      expect((await invoiceDocuments().findOne({ _id: second.invoiceId }))?.pending).toBeUndefined(),
    );
    const findings = mongo.db.collection<FindingDocument>('findings');
    await findings.updateOne({ _id: finding.findingId }, { $set: { disposition: 'OPEN' } });
    await invoiceDocuments().updateOne(
      { _id: second.invoiceId },
      { $set: { pending: true, 'analysis.createdAt': fromNow(-60_000) } },
    );
    await eventually(async () => {
      expect((await findings.findOne({ _id: finding.findingId }))?.disposition).toBe('SUPERSEDED');
      expect((await invoiceDocuments().findOne({ _id: second.invoiceId }))?.pending).toBeUndefined();
    });
  });

  test('of another tenant looks exactly like one that does not exist', async () => {
    const { invoiceId: foreign } = await rpc.post(organization.newTenant(), wireInvoice());
    const organizationId = organization.newTenant();
    for (const invoiceId of [foreign, MISSING_ID, 'nonsense']) {
      for (const ask of [
        () => rpc.analysis.reanalyzeInvoice({ organizationId, invoiceId }, ann),
        () => rpc.analysis.listAnalyses({ organizationId, invoiceId, pageSize: 0, pageToken: '' }, ann),
      ]) {
        await expect(ask()).rejects.toMatchObject({ kind: 'not_found', publicMessage: 'No such invoice.' });
      }
    }
  });
});

test('the analyses of an invoice come page by page, newest first', async () => {
  const organizationId = organization.newTenant();
  const { invoiceId } = await rpc.post(organizationId, wireInvoice());
  for (let round = 0; round < 4; round++) await again(organizationId, invoiceId);
  const seen: number[] = [];
  let pageToken = '';
  do {
    const page = await rpc.analysis.listAnalyses({ organizationId, invoiceId, pageSize: 2, pageToken }, ann);
    seen.push(...page.analyses.map(({ number }) => number));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(seen).toEqual([5, 4, 3, 2, 1]);
});

describe('a learned tolerance', () => {
  test('softens the fourth finding of its kind, shows it, and names its overlay in the version', async () => {
    const organizationId = organization.newTenant();
    const called = await threeFalsePositives(organizationId);
    const analysis = await oneMorePair(organizationId);
    const softened = findingOf(analysis, 'INVOICE_NUMBER_REUSED');
    const [before] = called;
    expect(softened.severity).toBe((before?.severity ?? 0) - 1);
    expect(softened.confidencePercent).toBe(Math.floor((before?.confidencePercent ?? 0) / 2));
    expect(JSON.parse(softened.evidenceJson)).toMatchObject({
      tolerance: { signature: 'IDENT/DIFF/SAME', falsePositives: 3, reviewers: 2, severityBefore: 'MEDIUM' },
    });
    expect(analysis.versions?.policy).toEqual(named(1));
    const current = await rpc.policy.getCurrentPolicy({ organizationId }, ann);
    expect(current.version).toEqual(named(1));
    expect(JSON.parse(current.policyJson)).toMatchObject({
      overlay: 1,
      tolerances: [{ type: 'INVOICE_NUMBER_REUSED', signature: 'IDENT/DIFF/SAME', falsePositives: 3 }],
    });
  });

  test('ends with the first confirmation, under the next overlay; the earlier policy stays as it was', async () => {
    const organizationId = organization.newTenant();
    const [first] = await threeFalsePositives(organizationId);
    if (first === undefined) throw new Error('no finding');
    await review(organizationId, first, 'CONFIRMED');
    const analysis = await oneMorePair(organizationId);
    expect(analysis.versions?.policy).toEqual(named(2));
    expect(JSON.parse(findingOf(analysis, 'INVOICE_NUMBER_REUSED').evidenceJson)).not.toHaveProperty('tolerance');
    const policies = await mongo.db.collection('policies').find({ organizationId }).sort({ overlay: 1 }).toArray();
    expect(policies.map(({ overlay, tolerances }) => [overlay, tolerances.length])).toEqual([
      [0, 0],
      [1, 1],
      [2, 0],
    ]);
  });

  test('is learned once when the reviews come at the same time', async () => {
    const organizationId = organization.newTenant();
    const called = await threeFalsePositives(organizationId);
    await Promise.all(called.map((finding) => review(organizationId, finding, 'OPEN')));
    await Promise.all(
      called.map((finding, index) =>
        review(organizationId, finding, 'FALSE_POSITIVE', { by: index === 0 ? bob : ann }),
      ),
    );
    const { policyJson } = await rpc.policy.getCurrentPolicy({ organizationId }, ann);
    expect(JSON.parse(policyJson).tolerances).toHaveLength(1);
  });
});

describe('a replay', () => {
  const replay = (organizationId: string, changes: { limit?: number; pageToken?: string } = {}) =>
    rpc.operator.replayAnalyses({ organizationId, limit: 100, pageToken: '', ...changes }, operator);

  test('of every analysis gives the same bytes, reviews and tolerances included', async () => {
    const organizationId = organization.newTenant();
    const { second, finding } = await duplicatePair(organizationId);
    await review(organizationId, finding, 'FALSE_POSITIVE');
    await again(organizationId, second.invoiceId);
    await threeFalsePositives(organizationId);
    await oneMorePair(organizationId);
    const counts = await Promise.all([
      invoiceDocuments().countDocuments({ organizationId }),
      earlierAnalyses().countDocuments({ organizationId }),
    ]);
    expect(counts[1]).toBe(1);
    const count = counts[0] + counts[1];
    expect(await replay(organizationId)).toEqual({
      replayed: count,
      identical: count,
      differentAnalysisIds: [],
      earlierEngineVersions: [],
      nextPageToken: '',
    });
  });

  test('names earlier versions of the engine, whose sentences it does not compare', async () => {
    const organizationId = organization.newTenant();
    const { second } = await duplicatePair(organizationId);
    const reword = (versions: object) =>
      invoiceDocuments().updateOne({ _id: second.invoiceId }, {
        $set: {
          ...versions,
          'analysis.findings.0.summary': 'The same in other words.',
          'analysis.findings.0.evidence.explanation': [],
        },
      } as object);
    await reword({ 'analysis.versions.riskEngine': '1.12.0' });
    expect(await replay(organizationId)).toMatchObject({
      replayed: 2,
      identical: 2,
      earlierEngineVersions: ['1.12.0'],
    });
    await reword({ 'analysis.versions.riskEngine': ENGINE_VERSION });
    expect(await replay(organizationId)).toMatchObject({
      differentAnalysisIds: [second.analysisId],
      earlierEngineVersions: [],
    });
    await reword({ 'analysis.versions.riskEngine': '1.12.0', 'analysis.findings.0.severity': 'LOW' });
    expect(await replay(organizationId)).toMatchObject({ differentAnalysisIds: [second.analysisId] });
  });

  test('reads the numbers of a policy that an earlier release named without their digest', async () => {
    const organizationId = organization.newTenant();
    await duplicatePair(organizationId);
    const policies = mongo.db.collection<{ _id: string; organizationId: string }>('policies');
    const stored = await policies.findOne({ organizationId });
    if (stored === null) throw new Error('no policy');
    await policies.deleteOne({ _id: stored._id });
    await policies.insertOne({ ...stored, _id: `${organizationId}|default-3+o0` });
    await invoiceDocuments().updateMany({ organizationId }, {
      $set: { 'analysis.versions.policy': 'default-3+o0' },
    } as object);
    expect(await replay(organizationId)).toMatchObject({ replayed: 2, identical: 2 });
  });

  test('names the analyses whose stored policy has other numbers than its name says', async () => {
    const organizationId = organization.newTenant();
    const { first, second } = await duplicatePair(organizationId);
    const policies = mongo.db.collection<{ _id: string; organizationId: string }>('policies');
    await policies.updateOne({ organizationId }, { $set: { 'policy.weights.LOW': 9 } } as object);
    const { differentAnalysisIds } = await replay(organizationId);
    expect(differentAnalysisIds.toSorted()).toEqual([first.analysisId, second.analysisId].toSorted());
  });

  test('names exactly the analyses whose result is another, page by page', async () => {
    const organizationId = organization.newTenant();
    const { second } = await duplicatePair(organizationId);
    await rpc.post(organizationId, wireInvoice({ invoiceNumber: 'Z-8811', grossAmount: '71.20' }));
    await invoiceDocuments().updateOne({ _id: second.invoiceId }, { $set: { 'analysis.decision': 'PASS' } });
    const different: string[] = [];
    let replayed = 0;
    let pageToken = '';
    do {
      const page = await replay(organizationId, { limit: 2, pageToken });
      different.push(...page.differentAnalysisIds);
      replayed += page.replayed;
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect({ replayed, different }).toEqual({ replayed: 3, different: [second.analysisId] });
  });

  test('is of one organization', async () => {
    const organizationId = organization.newTenant();
    await rpc.post(organizationId, wireInvoice());
    expect(await replay(organization.newTenant())).toMatchObject({ replayed: 0 });
    for (const limit of [0, 1_001])
      await expect(replay(organizationId, { limit })).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('a dry run', () => {
  test('tells which invoices another policy would decide differently, and changes nothing', async () => {
    const organizationId = organization.newTenant();
    const { first, second } = await duplicatePair(organizationId);
    const { policyJson } = await rpc.policy.getCurrentPolicy({ organizationId }, ann);
    const run = (json: string) =>
      rpc.operator.dryRunPolicy({ organizationId, policyJson: json, limit: 100, pageToken: '' }, operator);
    expect(await run(policyJson)).toMatchObject({ replayed: 2, changed: [] });
    const policy = JSON.parse(policyJson);
    const lenient = { ...policy, hardBlocks: [], thresholds: { ...policy.thresholds, blockScore: 100 } };
    expect((await run(JSON.stringify(lenient))).changed).toMatchObject([
      { invoiceId: second.invoiceId, from: Decision.BLOCK, to: Decision.REVIEW },
    ]);
    expect((await rpc.latest(organizationId, second.invoiceId)).decision).toBe(Decision.BLOCK);
    expect((await rpc.latest(organizationId, first.invoiceId)).decision).toBe(Decision.PASS);
  });

  test.each([
    ['no JSON', (): string => '{', 'policy_json'],
    ['a list', (): string => '[]', 'policy_json'],
    [
      'a missing member',
      ({ weights, ...rest }: Record<string, unknown>): string => JSON.stringify(rest),
      'policy_json.weights',
    ],
    ['an unknown member', (policy: object): string => JSON.stringify({ ...policy, wieghts: 1 }), 'policy_json.wieghts'],
    [
      'a member of another kind',
      (policy: object): string => JSON.stringify({ ...policy, version: '1' }),
      'policy_json.version',
    ],
  ])('refuses a policy that is %s', async (_, write, path) => {
    const organizationId = organization.newTenant();
    const { policyJson } = await rpc.policy.getCurrentPolicy({ organizationId }, ann);
    const refused = rpc.operator.dryRunPolicy(
      { organizationId, policyJson: write(JSON.parse(policyJson)), limit: 10, pageToken: '' },
      operator,
    );
    await expect(refused).rejects.toMatchObject({ kind: 'invalid', details: [{ path }] });
  });
});

describe('an override', () => {
  const override = (organizationId: string, overrides: object) =>
    rpc.operator.overridePolicy({ organizationId, overridesJson: JSON.stringify(overrides) }, operator);

  test('decides from the next overlay on, for its organization alone, and can be removed', async () => {
    const [organizationId, other] = [organization.newTenant(), organization.newTenant()];
    const before = await duplicatePair(organizationId);
    expect(before.second).toMatchObject({ decision: Decision.BLOCK, versions: { policy: named(0) } });
    const lenient = { hardBlocks: [], thresholds: { blockScore: 100 } };
    expect((await override(organizationId, lenient)).version).toEqual(named(1));
    expect((await override(organizationId, lenient)).version).toEqual(named(1));
    const copy = await rpc.post(organizationId, wireInvoice());
    expect(copy).toMatchObject({ decision: Decision.REVIEW, versions: { policy: named(1) } });
    expect((await duplicatePair(other)).second.decision).toBe(Decision.BLOCK);
    expect((await override(organizationId, {})).version).toEqual(named(2));
    expect((await rpc.post(organizationId, wireInvoice())).decision).toBe(Decision.BLOCK);
    const page = { organizationId, limit: 100, pageToken: '' };
    expect(await rpc.operator.replayAnalyses(page, operator)).toMatchObject({ replayed: 4, identical: 4 });
  });

  test.each([
    ['an unknown member', { thresholds: { blokScore: 1 } }, 'overrides_json.thresholds.blokScore'],
    ['a member of another kind', { thresholds: { blockScore: '80' } }, 'overrides_json.thresholds.blockScore'],
    ['the name of the policy', { id: 'mine' }, 'overrides_json.id'],
  ])('with %s is refused and changes nothing', async (_, overrides, path) => {
    const organizationId = organization.newTenant();
    await expect(override(organizationId, overrides)).rejects.toMatchObject({ kind: 'invalid', details: [{ path }] });
    const { version } = await rpc.policy.getCurrentPolicy({ organizationId }, ann);
    expect(version).toEqual(named(0));
  });
});

test('a policy that no invoice can be analyzed by is refused, and not called a fault of ours', async () => {
  const organizationId = organization.newTenant();
  await rpc.post(organizationId, wireInvoice({ netAmount: '100.00', taxAmount: '19.00', grossAmount: '119.00' }));
  const { policyJson } = await rpc.policy.getCurrentPolicy({ organizationId }, ann);
  const policy = JSON.parse(policyJson);
  policy.taxes.rateExcessBasisPoints = 10.5;
  const refused = rpc.operator.dryRunPolicy(
    { organizationId, policyJson: JSON.stringify(policy), limit: 10, pageToken: '' },
    operator,
  );
  await expect(refused).rejects.toMatchObject({ kind: 'invalid', details: [{ path: 'policy_json' }] });
});

test('the finding types are listed with what the policy makes of them', async () => {
  const { findingTypes } = await rpc.policy.listFindingTypes({ organizationId: organization.newTenant() }, ann);
  const byType = new Map(findingTypes.map((kind) => [kind.type, kind]));
  expect(byType.get('DUPLICATE_INVOICE')).toMatchObject({
    family: 'DUP',
    severities: ['CRITICAL'],
    isHardBlock: true,
    hasLearnedTolerance: false,
  });
  expect(byType.get('SUSPECTED_DUPLICATE')).toMatchObject({ isHardBlock: false, hasLearnedTolerance: true });
});
