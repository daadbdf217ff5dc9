// Documents in the form of releases before ADR 0131, which stored every analysis in `analyses` and removed the facts
// from the invoice.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ArchiveServiceDefinition } from '@invoicecontrol/contracts/archive/v1/archive_service';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { startService } from '../compose.js';
import type { AnalysisDocument } from '../records/storage/analyses.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import { asUser, rowsOf, scanRequest } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const ann = asUser('0192a000-0000-7000-8000-0000000000aa');
const operator = { ...ann, context: { ...ann.context } };

let running: RunningAnalysis;
let channel: ReturnType<typeof openChannel>;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), testDatabaseName());
  channel = openTestChannel('analysis', running.address);
});
afterAll(async () => {
  channel.close();
  await running.stop();
});

const invoices = () => running.mongo.db.collection<InvoiceDocument>('invoices');
const analyses = () => running.mongo.db.collection<AnalysisDocument>('analyses');
const complete = (organizationId: string) =>
  eventually(async () => expect(await invoices().countDocuments({ organizationId, pending: true })).toBe(0));

/** Moves the current analyses of an organization to `analyses`. */
async function storeAsBefore(organizationId: string): Promise<InvoiceDocument[]> {
  await complete(organizationId);
  const documents = await invoices()
    .find({ organizationId, facts: { $exists: true } })
    .toArray();
  for (const { _id, analysis, facts, base } of documents) {
    if (analysis === undefined || facts === undefined) throw new Error('no analysis');
    const { analysisId, ...decided } = analysis;
    await analyses().insertOne({
      _id: analysisId,
      organizationId,
      invoiceId: _id,
      ...decided,
      facts,
      ...(base === undefined ? {} : { base }),
    });
    await invoices().updateOne({ _id }, { $unset: { facts: '' } });
  }
  return documents;
}

const listed = async (organizationId: string, invoiceId: string): Promise<readonly number[]> => {
  const page = { organizationId, invoiceId, pageSize: 0, pageToken: '' };
  return (await running.rpc.analysis.listAnalyses(page, ann)).analyses.map(({ number }) => number);
};

async function replayed(organizationId: string) {
  const different: string[] = [];
  let count = 0;
  for (let pageToken = ''; ;) {
    const page = await running.rpc.operator.replayAnalyses({ organizationId, limit: 2, pageToken }, operator);
    count += page.replayed;
    different.push(...page.differentAnalysisIds);
    if (page.nextPageToken === '') return { count, different };
    pageToken = page.nextPageToken;
  }
}

async function archived(organizationId: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let pageToken = ''; ;) {
    const page = await client(ArchiveServiceDefinition, channel).listRecords(
      { organizationId, kind: 'analyses', pageToken, createdBeforeTime: new Date('2100-01-01') },
      ann,
    );
    ids.push(...page.recordsJson.map((json) => (JSON.parse(json) as { id: string }).id));
    if (page.nextPageToken === '') return ids.toSorted();
    pageToken = page.nextPageToken;
  }
}

describe('analyses that an earlier release has stored', () => {
  test('are listed, replayed, exported and analyzed again like those of this release, each once', async () => {
    const { rpc, organization } = running;
    const organizationId = organization.newTenant();
    await rpc.post(organizationId, wireInvoice());
    const copy = await rpc.post(organizationId, wireInvoice());
    await rpc.scan(organizationId, [
      wireInvoice({ invoiceNumber: 'S-4711', grossAmount: '17.20' }),
      wireInvoice({ invoiceNumber: 'S-5822', grossAmount: '81.90', issueDate: '2026-02-03' }),
    ]);
    const stored = await storeAsBefore(organizationId);
    expect(stored).toHaveLength(4);
    const later = await rpc.post(organizationId, wireInvoice({ invoiceNumber: 'N-9911', grossAmount: '55.10' }));
    await complete(organizationId);

    expect(await listed(organizationId, copy.invoiceId)).toEqual([1]);
    expect(await replayed(organizationId)).toEqual({ count: 5, different: [] });
    const ids = [...stored.map(({ analysis }) => analysis?.analysisId ?? ''), later.analysisId];
    expect(await archived(organizationId)).toEqual(ids.toSorted());

    const again = [await rpc.reanalyze(organizationId, copy), await rpc.reanalyze(organizationId, later)];
    expect(again).toMatchObject([
      { number: 2, decision: copy.decision, findings: copy.findings },
      { number: 2, decision: later.decision },
    ]);
    await complete(organizationId);
    expect(await listed(organizationId, copy.invoiceId)).toEqual([2, 1]);
    expect(await replayed(organizationId)).toEqual({ count: 7, different: [] });
    const newIds = again.map(({ analysisId }) => analysisId);
    expect(await archived(organizationId)).toEqual([...ids, ...newIds].toSorted());
  });

  test('complete a scan that was interrupted between its analyses and its invoices', async () => {
    const { rpc, organization, mongo } = running;
    const organizationId = organization.newTenant();
    const bill = { invoiceNumber: 'R-3301', grossAmount: '412.35' };
    const asked = scanRequest(organizationId, rowsOf([wireInvoice(bill), wireInvoice(bill)]));
    const first = await rpc.rows.analyzeRows(asked, ann);
    const rows = await storeAsBefore(organizationId);
    await invoices().updateMany(
      { organizationId },
      {
        $set: { status: 'RECEIVED', version: 1, 'match.status': 'RECEIVED' },
        $unset: { analysis: '', verdict: '', base: '', 'match.supplierId': '', 'match.suspectedAs': '' },
      },
    );
    await mongo.db.collection('findings').deleteMany({ organizationId });
    await mongo.db
      .collection<{ _id: string }>('scan_runs')
      .updateOne({ _id: asked.scanId }, { $unset: { outcome: '' } });

    expect(await rpc.rows.analyzeRows(asked, ann)).toEqual(first);
    for (const { _id, analysis, match } of rows) {
      expect(await invoices().findOne({ _id })).toMatchObject({ status: 'ANALYZED', analysis, match });
    }
    expect(await replayed(organizationId)).toEqual({ count: 2, different: [] });
  });
});

test('an analysis that was copied before a commit that never came is listed and replayed once', async () => {
  const { rpc, organization } = running;
  const organizationId = organization.newTenant();
  const { invoiceId, analysisId } = await rpc.post(organizationId, wireInvoice());
  await complete(organizationId);
  const document = await invoices().findOne({ _id: invoiceId });
  if (document?.analysis === undefined || document.facts === undefined) throw new Error('no analysis');
  const { analysisId: _id, ...decided } = document.analysis;
  await analyses().insertOne({ _id, organizationId, invoiceId, ...decided, facts: document.facts });
  expect(await listed(organizationId, invoiceId)).toEqual([1]);
  expect((await replayed(organizationId)).count).toBe(1);
  expect(await rpc.reanalyze(organizationId, { invoiceId })).toMatchObject({ number: 2 });
  expect(await listed(organizationId, invoiceId)).toEqual([2, 1]);
  expect(await archived(organizationId)).toContain(analysisId);
});
