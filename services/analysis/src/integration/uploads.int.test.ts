import { callWithGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ValidationMode } from '@invoicecontrol/contracts/documents/v1/document_service';
import { Decision, InvoiceSource, InvoiceStatus } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { UploadAnalysisStatus } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import type { AnalyzeUploadRequest } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { DomainError } from '@invoicecontrol/errors';
import { exactUsage } from '@invoicecontrol/metering/testing/exact-usage';
import { usageMonth } from '@invoicecontrol/metering/usage-month';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { Announcing } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { SECOND_COMPANY_ID } from '@invoicecontrol/tenants/fake-organization';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { UploadDocument } from '../records/storage/uploads.js';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { asUser, findingOf, testClock } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { textReading, xmlReading } from '../testing/fake-documents.js';
import type { FakeDocuments } from '../testing/fake-documents.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const ann = asUser('0192a000-0000-7000-8000-0000000000aa');
const unreadable = {
  reason: 'ENCRYPTED',
  message: 'The PDF is protected by a password. Send the PDF without a password.',
  missingFields: [],
};
const failure = { ...unreadable, reading: undefined };

let running: RunningAnalysis;
let organization: FakeOrganization;
let documents: FakeDocuments;
let rpc: Clients;
let mongo: MongoConnection;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), testDatabaseName(), { jobPauseMsMax: 250 });
  ({ organization, documents, rpc, mongo } = running);
});
afterAll(() => running.stop());

/** Returns the call options of Ann, whose plan has this limit, or no limit. */
const annWith = (organizationId: string, analysesPerMonth: number | undefined) =>
  callWithGrant(ann, organizationId, { limits: analysesPerMonth === undefined ? {} : { analysesPerMonth } });

const analyze = (
  organizationId: string,
  uploadId: string,
  { analysesPerMonthLimit, ...part }: Partial<AnalyzeUploadRequest> = {},
) =>
  rpc.upload.analyzeUpload(
    {
      organizationId,
      uploadId,
      purchaseOrderRef: undefined,
      companyId: undefined,
      analysesPerMonthLimit: undefined,
      respondAsync: false,
      waitSeconds: undefined,
      origin: undefined,
      ...part,
    },
    annWith(organizationId, analysesPerMonthLimit),
  );
const statusOf = (organizationId: string, uploadId: string) =>
  rpc.upload.getUploadAnalysis({ organizationId, uploadId }, ann);
const invoiceOf = async (organizationId: string, invoiceId: string) => {
  const { invoice } = await rpc.invoice.getInvoice({ organizationId, invoiceId }, ann);
  if (invoice === undefined) throw new Error('no invoice');
  return invoice;
};
const exportOf = async (organizationId: string, invoiceId: string) => {
  const exported = await rpc.upload.exportInvoice({ organizationId, invoiceId, includeUnready: true }, ann);
  return { ...exported, fields: new Map(exported.document?.fields.map((field) => [field.field, field])) };
};
const analysesOf = async (organizationId: string, invoiceId: string) =>
  (await rpc.analysis.listAnalyses({ organizationId, invoiceId, pageSize: 0, pageToken: '' }, ann)).analyses;
const correct = (organizationId: string, uploadId: string, fields: Record<string, string>, limit?: number) =>
  rpc.upload.correctUpload({ organizationId, uploadId, fields }, annWith(organizationId, limit));
const usedBy = (organizationId: string): Promise<number> =>
  exactUsage(mongo.db, { organizationId, month: usageMonth(testClock.now()), meter: 'analyses' });
const stored = (invoiceId: string) =>
  mongo.db.collection<UploadDocument>('upload_analyses').findOne({ _id: invoiceId });
const announcedBy = async (invoiceId: string): Promise<string[]> => {
  const document = (await stored(invoiceId)) as (UploadDocument & Announcing) | null;
  return [...(document?.outbox ?? []), ...(document?.recentEvents ?? [])].map(({ subject }) => subject);
};

describe('the list of uploads', () => {
  const list = async (
    organizationId: string,
    part: Partial<{ status: UploadAnalysisStatus; companyId: string; pageSize: number; pageToken: string }> = {},
  ) => {
    const any = { status: UploadAnalysisStatus.UNSPECIFIED, pageSize: 100, pageToken: '' };
    return rpc.upload.listUploadAnalyses({ organizationId, ...any, ...part }, ann);
  };
  const ids = async (...asked: Parameters<typeof list>) =>
    (await list(...asked)).uploads.map(({ uploadId }) => uploadId);

  test('has the decision of each invoice and the reason of each failure, newest first, and of this organization alone', async () => {
    const organizationId = organization.newTenant();
    const read = documents.upload(organizationId, { reading: xmlReading() });
    const { invoiceId } = await analyze(organizationId, read);
    const failed = documents.upload(organizationId, { failure });
    await expect(analyze(organizationId, failed, { companyId: SECOND_COMPANY_ID })).rejects.toMatchObject({
      kind: 'unprocessable',
    });
    await eventually(async () =>
      expect(await ids(organizationId, { status: UploadAnalysisStatus.COMPLETED })).toEqual([read]),
    );
    const { uploads } = await list(organizationId);
    expect(uploads).toMatchObject([
      {
        uploadId: failed,
        companyId: SECOND_COMPANY_ID,
        status: UploadAnalysisStatus.FAILED,
        decision: Decision.UNSPECIFIED,
        failure: { reason: 'ENCRYPTED', message: unreadable.message, missingFields: [] },
      },
      { uploadId: read, invoiceId, status: UploadAnalysisStatus.COMPLETED, failure: undefined },
    ]);
    const { decision, riskScore } = await statusOf(organizationId, read);
    expect(uploads[1]).toMatchObject({ decision, riskScore });
    expect(await ids(organizationId, { status: UploadAnalysisStatus.FAILED })).toEqual([failed]);
    expect(await ids(organizationId, { status: UploadAnalysisStatus.QUEUED })).toEqual([]);
    expect(await ids(organizationId, { companyId: SECOND_COMPANY_ID })).toEqual([failed]);
    expect(await ids(organization.newTenant())).toEqual([]);
    const first = await list(organizationId, { pageSize: 1 });
    const second = await list(organizationId, { pageSize: 1, pageToken: first.nextPageToken });
    expect([...first.uploads, ...second.uploads].map(({ uploadId }) => uploadId)).toEqual([failed, read]);
    expect(second.nextPageToken).toBe('');
  });

  test('says of each upload the same as its status, in every state that is stored', async () => {
    const organizationId = organization.newTenant();
    const uploadId = documents.upload(organizationId, { reading: xmlReading() });
    const { invoiceId } = await analyze(organizationId, uploadId);
    const collection = mongo.db.collection<UploadDocument>('upload_analyses');
    await eventually(async () => expect((await stored(invoiceId))?.leaseUntil).toBeUndefined());
    const busyUntil = new Date(testClock.now().getTime() + 60_000);
    const states = [
      ['QUEUED', { $set: { state: 'QUEUED', leaseUntil: busyUntil } }],
      ['PROCESSING', { $set: { state: 'PROCESSING', leaseUntil: busyUntil } }],
      ['PROCESSING', { $set: { state: 'READ', leaseUntil: busyUntil } }],
      ['COMPLETED', { $set: { state: 'READ' }, $unset: { leaseUntil: '' } }],
    ] as const;
    for (const [name, update] of states) {
      await collection.updateOne({ _id: invoiceId, organizationId }, update as never);
      const [listed] = (await list(organizationId)).uploads;
      expect(listed?.status).toBe(UploadAnalysisStatus[name]);
      expect((await statusOf(organizationId, uploadId)).status).toBe(listed?.status);
      expect(await ids(organizationId, { status: UploadAnalysisStatus[name] })).toEqual([uploadId]);
    }
  });
});

describe('the analysis of an upload', () => {
  test('decides the invoice that the document states, and counts it once', async () => {
    const organizationId = organization.newTenant();
    const uploadId = documents.upload(organizationId, { reading: xmlReading() });
    const { analysis, invoiceId, replayed } = await analyze(organizationId, uploadId);
    expect(replayed).toBe(false);
    expect(analysis?.decision).not.toBe(Decision.UNSPECIFIED);
    expect(await invoiceOf(organizationId, invoiceId)).toMatchObject({
      source: InvoiceSource.UPLOAD,
      status: InvoiceStatus.ANALYZED,
      documentId: uploadId,
      invoice: { invoiceNumber: 'RE-2026-0118', grossAmount: '1190.00', currency: 'EUR' },
    });
    expect(await statusOf(organizationId, uploadId)).toMatchObject({
      status: UploadAnalysisStatus.COMPLETED,
      invoiceId,
      decision: analysis?.decision,
      riskScore: analysis?.riskScore,
    });
    const again = await analyze(organizationId, uploadId);
    expect(again).toMatchObject({ invoiceId, replayed: true, analysis: { analysisId: analysis?.analysisId } });
    expect(documents.requestsOf(uploadId)).toHaveLength(1);
    expect(await usedBy(organizationId)).toBe(1);
  });

  test('of many requests at once is one, and counts once', async () => {
    const organizationId = organization.newTenant();
    const uploadId = documents.upload(organizationId, { reading: xmlReading() });
    const answers = await Promise.all(Array.from({ length: 10 }, () => analyze(organizationId, uploadId)));
    expect(new Set(answers.map(({ analysis }) => analysis?.analysisId)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await usedBy(organizationId)).toBe(1);
  });

  test('is refused for unknown, foreign and empty uploads, for another body and for a foreign company', async () => {
    const organizationId = organization.newTenant();
    const uploadId = documents.upload(organizationId, { reading: xmlReading() });
    await expect(analyze(organizationId, randomUUID())).rejects.toMatchObject({ kind: 'not_found' });
    await expect(analyze(organization.newTenant(), uploadId)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(analyze(organizationId, documents.reserve(organizationId))).rejects.toMatchObject({
      kind: 'wrong_state',
    });
    await expect(analyze(organizationId, uploadId, { companyId: randomUUID() })).rejects.toMatchObject({
      kind: 'invalid',
    });
    await expect(analyze(organizationId, uploadId, { purchaseOrderRef: ' ' })).rejects.toMatchObject({
      kind: 'invalid',
    });
    expect(documents.requestsOf(uploadId)).toHaveLength(0);
    expect(await usedBy(organizationId)).toBe(0);
    await analyze(organizationId, uploadId);
    await expect(analyze(organizationId, uploadId, { purchaseOrderRef: 'PO-9' })).rejects.toMatchObject({
      kind: 'idempotency_mismatch',
    });
  });

  test('takes the order of the request, and the company of the request before that of the buyer', async () => {
    const organizationId = organization.newTenant();
    const says = { reading: xmlReading({ 'buyer.tax_id': 'PL5260250995', purchase_order_ref: 'PO-1' }) };
    const routed = await analyze(organizationId, documents.upload(organizationId, says));
    expect(await invoiceOf(organizationId, routed.invoiceId)).toMatchObject({
      companyId: SECOND_COMPANY_ID,
      invoice: { purchaseOrderRef: 'PO-1' },
    });
    const companyId = organization.newCompany(organizationId);
    const asked = await analyze(organizationId, documents.upload(organizationId, says), {
      companyId,
      purchaseOrderRef: 'PO-2',
    });
    expect(await invoiceOf(organizationId, asked.invoiceId)).toMatchObject({
      companyId,
      invoice: { purchaseOrderRef: 'PO-2', companyId },
    });
    const { fields } = await exportOf(organizationId, asked.invoiceId);
    expect(fields.get('purchase_order_ref')).toMatchObject({ value: 'PO-2', method: 'REQUEST', raw: undefined });
  });

  test('at the limit of the month is refused, and its repeats are not', async () => {
    const organizationId = organization.newTenant();
    const first = documents.upload(organizationId, { reading: xmlReading() });
    const second = documents.upload(organizationId, { reading: xmlReading({ invoice_number: 'RE-2' }) });
    await analyze(organizationId, first, { analysesPerMonthLimit: 1 });
    await expect(analyze(organizationId, second, { analysesPerMonthLimit: 1 })).rejects.toMatchObject({
      kind: 'usage_exceeded',
    });
    expect((await analyze(organizationId, first, { analysesPerMonthLimit: 1 })).replayed).toBe(true);
    expect((await statusOf(organizationId, second)).status).toBe(UploadAnalysisStatus.UNSPECIFIED);
  });

  test('asks for the validation mode in force', async () => {
    const organizationId = organization.newTenant();
    organization.setReferenceValidation(organizationId, 'ALL');
    const uploadId = documents.upload(organizationId, { reading: xmlReading() });
    await analyze(organizationId, uploadId);
    expect(documents.requestsOf(uploadId)).toMatchObject([
      { mode: ValidationMode.ALL, companies: [{ name: 'Main' }, { name: 'Poland', taxId: 'PL5260250995' }] },
    ]);
  });

  test('that is queued is answered at once and done behind the answer', async () => {
    const organizationId = organization.newTenant();
    const uploadId = documents.upload(organizationId, { reading: xmlReading() });
    documents.close(uploadId);
    const queued = await analyze(organizationId, uploadId, { respondAsync: true });
    expect(queued).toMatchObject({ analysis: undefined, replayed: false });
    await eventually(async () => {
      expect(await statusOf(organizationId, uploadId)).toMatchObject({
        status: UploadAnalysisStatus.PROCESSING,
        invoiceId: queued.invoiceId,
      });
    });
    expect(await invoiceOf(organizationId, queued.invoiceId)).toMatchObject({ status: InvoiceStatus.RECEIVED });
    documents.open(uploadId);
    await eventually(async () => {
      expect((await statusOf(organizationId, uploadId)).status).toBe(UploadAnalysisStatus.COMPLETED);
    });
  });

  test('goes on by itself after an outage of documents, of which the caller is told', async () => {
    const organizationId = organization.newTenant();
    const uploadId = documents.upload(organizationId, { reading: xmlReading() });
    documents.failNext(uploadId, new DomainError('unavailable', 'Away.'));
    await expect(analyze(organizationId, uploadId)).rejects.toMatchObject({
      kind: 'unavailable',
      publicMessage: expect.stringContaining('Its analysis is queued'),
    });
    await eventually(async () => {
      expect((await statusOf(organizationId, uploadId)).status).toBe(UploadAnalysisStatus.COMPLETED);
    });
  });

  test.each(['QUEUED', 'PROCESSING', 'READ'] as const)(
    'is finished where a worker fell silent at %s',
    async (state) => {
      const organizationId = organization.newTenant();
      const uploadId = documents.upload(organizationId, { reading: xmlReading() });
      const { invoiceId, analysis } = await analyze(organizationId, uploadId);
      // The stored uploads are put into the state that a worker leaves when it is killed before the invoice is stored.
      await Promise.all(
        ['invoices', 'findings'].map((name) => mongo.db.collection(name).deleteMany({ organizationId })),
      );
      const lapsed = { state, claim: 'silent', leaseUntil: new Date(testClock.now().getTime() - 1) };
      await mongo.db.collection<UploadDocument>('upload_analyses').updateOne({ _id: invoiceId }, { $set: lapsed });
      await eventually(async () => {
        const status = await statusOf(organizationId, uploadId);
        expect(status.status).toBe(UploadAnalysisStatus.COMPLETED);
      });
      expect((await rpc.latest(organizationId, invoiceId)).analysisId).toBe(analysis?.analysisId);
      expect(await usedBy(organizationId)).toBe(1);
    },
  );
});

describe('a document that cannot be read', () => {
  test('is refused alike each time, announced, shown as FAILED, listed nowhere and not counted', async () => {
    const organizationId = organization.newTenant();
    const uploadId = documents.upload(organizationId, { failure });
    const refusal = { kind: 'unprocessable', publicMessage: failure.message };
    await expect(analyze(organizationId, uploadId)).rejects.toMatchObject({ ...refusal, isReplayed: false });
    await expect(analyze(organizationId, uploadId)).rejects.toMatchObject({ ...refusal, isReplayed: true });
    await expect(analyze(organizationId, uploadId, { respondAsync: true })).rejects.toMatchObject({
      ...refusal,
      isReplayed: true,
    });
    expect(documents.requestsOf(uploadId)).toHaveLength(1);
    const status = await statusOf(organizationId, uploadId);
    expect(status).toMatchObject({ status: UploadAnalysisStatus.FAILED, failure: { ...unreadable, fields: [] } });
    const invoiceId = status.invoiceId ?? '';
    expect(await invoiceOf(organizationId, invoiceId)).toMatchObject({
      status: InvoiceStatus.FAILED,
      documentId: uploadId,
      decision: Decision.UNSPECIFIED,
      riskScore: undefined,
      analysisId: undefined,
    });
    await expect(rpc.latest(organizationId, invoiceId)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(exportOf(organizationId, invoiceId)).rejects.toMatchObject({ kind: 'not_found' });
    expect(await analysesOf(organizationId, invoiceId)).toEqual([]);
    await expect(analysesOf(organization.newTenant(), invoiceId)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(rpc.reanalyze(organizationId, { invoiceId })).rejects.toMatchObject({
      kind: 'wrong_state',
      publicMessage: 'No invoice could be read from the document. Upload a readable document.',
    });
    await expect(rpc.reanalyze(organization.newTenant(), { invoiceId })).rejects.toMatchObject({ kind: 'not_found' });
    expect(await usedBy(organizationId)).toBe(0);
    expect(await announcedBy(invoiceId)).toEqual(['invoicecontrol.analysis.v1.analysis_failed']);
  });

  test('may be uploaded again', async () => {
    const organizationId = organization.newTenant();
    const sha256 = 'ab'.repeat(32);
    const first = documents.upload(organizationId, { failure }, sha256);
    await expect(analyze(organizationId, first)).rejects.toMatchObject({ kind: 'unprocessable' });
    const { analysis } = await analyze(
      organizationId,
      documents.upload(organizationId, { reading: xmlReading() }, sha256),
    );
    expect(analysis?.findings.map(({ type }) => type)).not.toContain('DUPLICATE_DOCUMENT');
  });

  test('for want of fields says which, and what was read', async () => {
    const organizationId = organization.newTenant();
    const reading = textReading({ issue_date: '31.02.2026', gross_amount: undefined });
    const uploadId = documents.upload(organizationId, { reading });
    await expect(analyze(organizationId, uploadId)).rejects.toMatchObject({
      kind: 'unprocessable',
      publicMessage: expect.stringContaining('issue_date, gross_amount'),
    });
    const status = await statusOf(organizationId, uploadId);
    expect(status.failure).toMatchObject({ reason: 'FIELDS_MISSING', missingFields: ['issue_date', 'gross_amount'] });
    expect(status.failure?.fields.map(({ field }) => field)).toContain('supplier.name');
  });
});

describe('what is read', () => {
  test('becomes an invoice with valid values alone', async () => {
    const organizationId = organization.newTenant();
    const reading = textReading({
      net_amount: '1.000,00',
      due_date: 'soon',
      'supplier.bank_account.iban': undefined,
      'supplier.bank_account.sort_code': '123456',
    });
    const { invoiceId } = await analyze(organizationId, documents.upload(organizationId, { reading }));
    const { invoice } = await invoiceOf(organizationId, invoiceId);
    expect(invoice).toMatchObject({
      netAmount: undefined,
      dueDate: undefined,
      taxAmount: '190.00',
      supplier: { bankAccount: undefined },
    });
    const { fields } = await exportOf(organizationId, invoiceId);
    expect([...fields.keys()].sort()).toEqual([
      'buyer.name',
      'currency',
      'gross_amount',
      'invoice_number',
      'issue_date',
      'supplier.name',
      'supplier.tax_id',
      'tax_amount',
    ]);
  });

  test.each([undefined, 'XAU', 'ZZZ'])('has the placeholder currency where the document says %s', async (currency) => {
    const organizationId = organization.newTenant();
    const reading = textReading({ currency }, { currencyCandidates: ['USD', 'CAD'] });
    const { invoiceId, analysis } = await analyze(organizationId, documents.upload(organizationId, { reading }));
    expect((await invoiceOf(organizationId, invoiceId)).invoice?.currency).toBe('XXX');
    if (analysis === undefined) throw new Error('no analysis');
    const { evidenceJson } = findingOf(analysis, 'CURRENCY_UNKNOWN');
    expect(JSON.parse(evidenceJson)).toMatchObject({ candidates: ['USD', 'CAD'] });
    expect((await exportOf(organizationId, invoiceId)).fields.get('currency')).toMatchObject({ value: 'XXX' });
  });

  test('has no account where the document states one that fails its check', async () => {
    const organizationId = organization.newTenant();
    const iban = 'DE88 3704 0044 0532 0130 00';
    const reading = textReading({ 'supplier.bank_account.iban': iban });
    const { invoiceId, analysis } = await analyze(organizationId, documents.upload(organizationId, { reading }));
    expect((await invoiceOf(organizationId, invoiceId)).invoice?.supplier?.bankAccount).toBeUndefined();
    if (analysis === undefined) throw new Error('no analysis');
    expect(findingOf(analysis, 'BANK_ACCOUNT_INVALID').evidenceJson).not.toContain('37040044');
  });

  test('is held against the facts of its document, which a re-analysis keeps and asks nobody for', async () => {
    const organizationId = organization.newTenant();
    const validation = {
      mode: ValidationMode.ALL,
      profile: 'PLAIN',
      ruleSets: ['en16931-1.3.16+own2', 'peppol-2026.5+own2'],
      schemaErrors: [],
      rules: [
        {
          id: 'BR-CO-10',
          flag: 'FATAL',
          message: 'Sum of lines.',
          location: '/Invoice',
          expected: '1.00',
          actual: '2.00',
        },
      ],
      total: 1,
    };
    const box = [0, 0.5, 0.25, 1];
    const reading = xmlReading(
      {},
      {
        hiddenTexts: [{ page: 1, hiddenBy: 'SIZE', holds: 'AMOUNT', snippet: '1.00', box, isTextLayerOfScan: false }],
        conflicts: [{ field: 'gross_amount', source: 'XML', machineValue: '1190.00', visibleValue: '119.00' }],
      },
    );
    const uploadId = documents.upload(organizationId, { reading, validation });
    const { analysis, invoiceId } = await analyze(organizationId, uploadId);
    if (analysis === undefined) throw new Error('no analysis');
    expect(analysis.versions?.compliance).toBe('en16931-1.3.16+own2,peppol-2026.5+own2');
    const rules = JSON.parse(findingOf(analysis, 'E_INVOICE_RULE_FAILED').evidenceJson) as object;
    expect(rules).toMatchObject({ rules: validation.rules, total: 1 });
    expect(JSON.parse(findingOf(analysis, 'DOCUMENT_HIDDEN_TEXT').evidenceJson)).toMatchObject({
      positions: [{ page: 1, hiddenBy: 'SIZE', box }],
    });
    findingOf(analysis, 'DOCUMENT_FIELD_CONFLICT');
    const again = await rpc.reanalyze(organizationId, { invoiceId });
    expect(again.findings.map(({ type }) => type).sort()).toEqual(analysis.findings.map(({ type }) => type).sort());
    expect(again.versions?.compliance).toBe(analysis.versions?.compliance);
    expect(documents.requestsOf(uploadId)).toHaveLength(1);
    const exported = await exportOf(organizationId, invoiceId);
    expect(exported.document).toMatchObject({
      document: { documentId: uploadId, byteSize: 1_000 },
      reading: { format: 'UBL', lines: [{ description: 'Electricity' }] },
      validation: { total: 1, rules: validation.rules },
    });
    expect(exported.fields.get('supplier.tax_id')).toMatchObject({ method: 'XML', xpath: '/Invoice/supplier/tax_id' });
  });

  test('twice from the same bytes is DUPLICATE_DOCUMENT, in one organization alone', async () => {
    const sha256 = 'cd'.repeat(32);
    const organizationId = organization.newTenant();
    const first = await analyze(organizationId, documents.upload(organizationId, { reading: xmlReading() }, sha256));
    const second = await analyze(organizationId, documents.upload(organizationId, { reading: xmlReading() }, sha256));
    if (second.analysis === undefined) throw new Error('no analysis');
    const duplicate = findingOf(second.analysis, 'DUPLICATE_DOCUMENT');
    expect(JSON.parse(duplicate.evidenceJson)).toMatchObject({ sha256, earlierUploadAt: expect.any(String) });
    expect(duplicate.relatedInvoiceIds).toEqual([first.invoiceId]);
    const other = organization.newTenant();
    const elsewhere = await analyze(other, documents.upload(other, { reading: xmlReading() }, sha256));
    expect(elsewhere.analysis?.findings.map(({ type }) => type)).not.toContain('DUPLICATE_DOCUMENT');
  });

  test('takes the printed name that is nearest to that of the supplier known by its tax id', async () => {
    const organizationId = organization.newTenant();
    await analyze(organizationId, documents.upload(organizationId, { reading: xmlReading() }));
    const reading = textReading(
      { 'supplier.name': 'Rechnung', invoice_number: 'RE-2026-0119' },
      { supplierNameCandidates: ['Seite 1', 'Nordlicht Energie GmbH.'] },
    );
    const { invoiceId } = await analyze(organizationId, documents.upload(organizationId, { reading }));
    const { fields } = await exportOf(organizationId, invoiceId);
    expect(fields.get('supplier.name')).toMatchObject({
      value: 'Nordlicht Energie GmbH.',
      raw: 'Nordlicht Energie GmbH.',
      confidence: 0.95,
      method: 'KNOWN_SUPPLIER',
    });
  });

  test('keeps another printed name with a known tax id, however uncertain, so that a stolen id shows', async () => {
    const organizationId = organization.newTenant();
    await analyze(organizationId, documents.upload(organizationId, { reading: xmlReading() }));
    const stated = { 'supplier.name': 'Zeta Logistics Ltd', invoice_number: 'RE-2026-0120' };
    const reading = textReading(stated, {}, 0.5);
    const { invoiceId, analysis } = await analyze(organizationId, documents.upload(organizationId, { reading }));
    expect((await exportOf(organizationId, invoiceId)).fields.get('supplier.name')).toMatchObject({
      value: 'Zeta Logistics Ltd',
    });
    expect(analysis?.findings.map(({ type }) => type)).toContain('SUPPLIER_NAME_MISMATCH');
  });
});

describe('a correction', () => {
  test('completes a document whose fields are missing: counted then, with who and when', async () => {
    const organizationId = organization.newTenant();
    const reading = textReading({ gross_amount: undefined, issue_date: undefined });
    const uploadId = documents.upload(organizationId, { reading });
    await expect(analyze(organizationId, uploadId)).rejects.toMatchObject({ kind: 'unprocessable' });
    await expect(correct(organizationId, uploadId, { gross_amount: '1190.00' })).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ path: 'fields.issue_date' }],
    });
    expect(await usedBy(organizationId)).toBe(0);
    const fields = { gross_amount: '1190.00', issue_date: '2026-09-05' };
    const { invoiceId, analysis } = await correct(organizationId, uploadId, fields);
    expect(analysis?.decision).not.toBe(Decision.UNSPECIFIED);
    expect(await usedBy(organizationId)).toBe(1);
    expect((await statusOf(organizationId, uploadId)).status).toBe(UploadAnalysisStatus.COMPLETED);
    const exported = await exportOf(organizationId, invoiceId);
    expect(exported.fields.get('gross_amount')).toMatchObject({
      value: '1190.00',
      method: 'USER',
      correctedBy: `USER:${ann.context.actor.id}`,
      correctedTime: expect.any(Date),
    });
    expect((await analyze(organizationId, uploadId)).replayed).toBe(true);
  });

  test('of an invoice makes its next analysis, finds what the right values repeat, and keeps what was read', async () => {
    const organizationId = organization.newTenant();
    await analyze(organizationId, documents.upload(organizationId, { reading: xmlReading() }));
    const misread = textReading({ invoice_number: 'RE-2O26-O1l8', gross_amount: '190.00' });
    const uploadId = documents.upload(organizationId, { reading: misread });
    const { invoiceId, analysis: before } = await analyze(organizationId, uploadId);
    expect(before?.findings.map(({ type }) => type)).not.toContain('DUPLICATE_INVOICE');
    const right = { invoice_number: 'RE-2026-0118', gross_amount: '1190.00' };
    const { analysis } = await correct(organizationId, uploadId, right);
    if (analysis === undefined) throw new Error('no analysis');
    expect(analysis.number).toBe(2);
    findingOf(analysis, 'DUPLICATE_INVOICE');
    expect((await invoiceOf(organizationId, invoiceId)).invoice).toMatchObject({ grossAmount: '1190.00' });
    expect((await exportOf(organizationId, invoiceId)).fields.get('gross_amount')).toMatchObject({
      value: '1190.00',
      raw: '190.00',
      page: 1,
      method: 'USER',
    });
    const again = await rpc.reanalyze(organizationId, { invoiceId });
    findingOf(again, 'DUPLICATE_INVOICE');
    expect(await usedBy(organizationId)).toBe(2);
  });

  test('is refused for unknown paths, wrong values and where there is nothing to correct', async () => {
    const organizationId = organization.newTenant();
    const uploadId = documents.upload(organizationId, { reading: xmlReading() });
    const gross = { gross_amount: '1.00' };
    await expect(correct(organizationId, randomUUID(), gross)).rejects.toMatchObject({ kind: 'not_found' });
    for (const unread of [uploadId, documents.reserve(organizationId)]) {
      await expect(correct(organizationId, unread, gross)).rejects.toMatchObject({ kind: 'wrong_state' });
      await expect(correct(organization.newTenant(), unread, gross)).rejects.toMatchObject({ kind: 'not_found' });
    }
    const { invoiceId } = await analyze(organizationId, uploadId);
    const wrong: readonly (readonly [Record<string, string>, string])[] = [
      [{ company_id: randomUUID() }, 'fields.company_id'],
      [{ __proto__x: 'a' }, 'fields.__proto__x'],
      [{ 'supplier.bank_account': 'a' }, 'fields.supplier.bank_account'],
      [{ gross_amount: '1,5' }, 'fields.gross_amount'],
      [{ currency: 'XXX' }, 'fields.currency'],
      [{ issue_date: '2026-02-30' }, 'fields.issue_date'],
      [{}, 'fields'],
    ];
    for (const [fields, path] of wrong) {
      await expect(correct(organizationId, uploadId, fields)).rejects.toMatchObject({
        kind: 'invalid',
        details: [expect.objectContaining({ path })],
      });
    }
    expect((await rpc.latest(organizationId, invoiceId)).number).toBe(1);
    const failed = documents.upload(organizationId, { failure });
    await expect(analyze(organizationId, failed)).rejects.toMatchObject({ kind: 'unprocessable' });
    await expect(correct(organizationId, failed, { currency: 'EUR' })).rejects.toMatchObject({ kind: 'wrong_state' });
    await expect(correct(organization.newTenant(), uploadId, { currency: 'EUR' })).rejects.toMatchObject({
      kind: 'not_found',
    });
  });

  const UK_ACCOUNT = {
    'supplier.bank_account.sort_code': '20-00-00',
    'supplier.bank_account.account_number': '55779911',
  };

  test.each(Object.entries(UK_ACCOUNT))(
    'of half a UK account (%s) is refused, and stores nothing',
    async (path, half) => {
      const organizationId = organization.newTenant();
      for (const iban of [undefined, 'DE89370400440532013000']) {
        const reading = textReading({ 'supplier.bank_account.iban': iban });
        const uploadId = documents.upload(organizationId, { reading });
        const { invoiceId } = await analyze(organizationId, uploadId);
        await expect(correct(organizationId, uploadId, { [path]: half })).rejects.toMatchObject({
          kind: 'invalid',
          publicMessage: expect.stringContaining('sort_code and account_number are given together'),
        });
        expect((await rpc.latest(organizationId, invoiceId)).number).toBe(1);
      }
    },
  );

  test('of the account takes its place in whichever form it was read or corrected before', async () => {
    const organizationId = organization.newTenant();
    const iban = 'DE89370400440532013000';
    const reading = textReading({ 'supplier.bank_account.iban': iban });
    const uploadId = documents.upload(organizationId, { reading });
    const { invoiceId } = await analyze(organizationId, uploadId);
    const accountOf = async () => (await invoiceOf(organizationId, invoiceId)).invoice?.supplier?.bankAccount;
    expect(await accountOf()).toMatchObject({ iban });
    await correct(organizationId, uploadId, UK_ACCOUNT);
    expect(await accountOf()).toMatchObject({ iban: undefined, sortCode: '200000', accountNumber: '55779911' });
    const other = 'DE75512108001245126199';
    await correct(organizationId, uploadId, { 'supplier.bank_account.iban': other });
    expect(await accountOf()).toMatchObject({ iban: other, sortCode: undefined, accountNumber: undefined });
    await correct(organizationId, uploadId, UK_ACCOUNT);
    expect(await accountOf()).toMatchObject({ iban: undefined, sortCode: '200000' });
    const both = { ...UK_ACCOUNT, 'supplier.bank_account.iban': other };
    await expect(correct(organizationId, uploadId, both)).rejects.toMatchObject({ kind: 'invalid' });
  });

  test('sent several times at once takes effect as often as it was accepted, the others are told to wait', async () => {
    const organizationId = organization.newTenant();
    const uploadId = documents.upload(organizationId, { reading: textReading() });
    const { invoiceId } = await analyze(organizationId, uploadId);
    const amounts = ['2801.78', '3801.78', '4801.78', '5801.78'];
    const answers = await Promise.allSettled(
      amounts.map((gross_amount) => correct(organizationId, uploadId, { gross_amount })),
    );
    const refused = answers.filter((answer) => answer.status === 'rejected');
    for (const { reason } of refused) expect(reason).toMatchObject({ kind: 'wrong_state' });
    expect((await rpc.latest(organizationId, invoiceId)).number).toBe(1 + amounts.length - refused.length);
  });
});

describe('the fields of a document', () => {
  const fieldsOf = async (organizationId: string, invoiceId: string) =>
    rpc.upload.getDocumentFields({ organizationId, invoiceId }, ann);

  test('are shown with their places, also of an invoice that must not be paid, and of a failed document those that were read', async () => {
    const organizationId = organization.newTenant();
    const { invoiceId } = await analyze(organizationId, documents.upload(organizationId, { reading: textReading() }));
    const { fields: exported, document } = await exportOf(organizationId, invoiceId);
    const shown = await fieldsOf(organizationId, invoiceId);
    expect(shown.fields).toEqual([...exported.values()]);
    expect(shown.pages).toBe(document?.reading?.pages);
    expect(shown.fields.find(({ field }) => field === 'invoice_number')?.box).toHaveLength(4);

    const failed = documents.upload(organizationId, { reading: textReading({ invoice_number: undefined }) });
    await expect(analyze(organizationId, failed)).rejects.toMatchObject({ kind: 'unprocessable' });
    const { invoiceId: failedId = '' } = await statusOf(organizationId, failed);
    const names = (await fieldsOf(organizationId, failedId)).fields.map(({ field }) => field);
    expect(names).toContain('gross_amount');
    expect(names).not.toContain('invoice_number');
  });

  test('of an unreadable document are none, and nobody else sees that it exists', async () => {
    const organizationId = organization.newTenant();
    const uploadId = documents.upload(organizationId, { failure });
    await expect(analyze(organizationId, uploadId)).rejects.toMatchObject({ kind: 'unprocessable' });
    const { invoiceId = '' } = await statusOf(organizationId, uploadId);
    expect(await fieldsOf(organizationId, invoiceId)).toEqual({ pages: 0, fields: [] });
    const posted = await rpc.post(organizationId, wireInvoice({ issueDate: '2026-09-05' }));
    for (const [tenant, id] of [
      [organization.newTenant(), invoiceId],
      [organizationId, posted.invoiceId],
      [organizationId, randomUUID()],
    ] as const) {
      await expect(fieldsOf(tenant, id)).rejects.toMatchObject({ kind: 'not_found' });
    }
  });
});

test('an invoice that must not be paid is exported on request alone, and by its organization alone', async () => {
  const organizationId = organization.newTenant();
  const reading = xmlReading({}, { conflicts: [conflictOfAccounts] });
  const { invoiceId } = await analyze(organizationId, documents.upload(organizationId, { reading }));
  const plain = { organizationId, invoiceId, includeUnready: false };
  await expect(rpc.upload.exportInvoice(plain, ann)).rejects.toMatchObject({ kind: 'wrong_state' });
  expect((await exportOf(organizationId, invoiceId)).analysis?.decision).toBe(Decision.BLOCK);
  await expect(
    rpc.upload.exportInvoice({ ...plain, organizationId: organization.newTenant() }, ann),
  ).rejects.toMatchObject({ kind: 'not_found' });
});

test('an invoice that was posted is exported without a document', async () => {
  const organizationId = organization.newTenant();
  const { invoiceId } = await rpc.post(organizationId, wireInvoice({ issueDate: '2026-09-05' }));
  const exported = await exportOf(organizationId, invoiceId);
  expect(exported).toMatchObject({ document: undefined, invoice: { source: InvoiceSource.API } });
});

const conflictOfAccounts = {
  field: 'supplier.bank_account.iban',
  source: 'XML',
  machineValue: 'DE89370400440532013000',
  visibleValue: 'DE12500105170648489890',
};
