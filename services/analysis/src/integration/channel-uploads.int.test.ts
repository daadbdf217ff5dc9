import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Decision, InvoiceSource, InvoiceStatus } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { UploadAnalysisStatus } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import type { AnalyzeUploadRequest } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import type { Reading } from '@invoicecontrol/contracts/documents/v1/document_service';
import { DomainError } from '@invoicecontrol/errors';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { exactUsage } from '@invoicecontrol/metering/testing/exact-usage';
import { usageMonth } from '@invoicecontrol/metering/usage-month';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import type { RunningService } from '@invoicecontrol/runtime/process';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import { startService } from '../compose.js';
import { SEQUENCE_ATTEMPTS_MAX, SWEEP_UPLOADS_MAX, uploadStore } from '../records/storage/uploads.js';
import type { UploadDocument } from '../records/storage/uploads.js';
import { asUser, connect, findingOf, testClock, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { xmlReading } from '../testing/fake-documents.js';
import type { FakeDocuments } from '../testing/fake-documents.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const ann = asUser('0192a000-0000-7000-8000-0000000000aa');
const failure = {
  reason: 'MALFORMED_XML',
  message: 'The XML is damaged.',
  missingFields: [],
  reading: undefined,
};

let running: RunningAnalysis;
let organization: FakeOrganization;
let documents: FakeDocuments;
let rpc: Clients;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), testDatabaseName(), { jobPauseMsMax: 250 });
  ({ organization, documents, rpc } = running);
});
afterAll(() => running.stop());

const silentOutbox: Outbox = { nudge: () => {}, idle: async () => {}, stop: async () => {} };

function stated<T>(value: T | null): T {
  if (value === null) throw new Error('It is missing.');
  return value;
}

const newOrigin = (): ChannelOrigin => ({
  channel: 'KSEF',
  externalId: `5265877635-20260905-${randomUUID().slice(0, 12)}-E4`,
});

interface Received {
  readonly organizationId: string;
  readonly uploadId: string;
  readonly origin: ChannelOrigin;
}

const receive = (organizationId: string, reading: Reading = xmlReading()): Received => {
  const origin = newOrigin();
  return { organizationId, origin, uploadId: documents.receive(organizationId, { reading }, origin) };
};
/** Requests the analysis as the channel does, unless told otherwise. */
const accept = (received: Received, part: Partial<AnalyzeUploadRequest> = {}, clients = rpc) =>
  clients.upload.analyzeUpload(
    {
      ...received,
      purchaseOrderRef: undefined,
      companyId: undefined,
      analysesPerMonthLimit: undefined,
      respondAsync: true,
      waitSeconds: undefined,
      ...part,
    },
    ann,
  );
const byCaller = { origin: undefined, respondAsync: false } as const;
const statusOf = async ({ organizationId, uploadId }: Received) =>
  (await rpc.upload.getUploadAnalysis({ organizationId, uploadId }, ann)).status;
const completed = (received: Received) =>
  eventually(async () => expect(await statusOf(received)).toBe(UploadAnalysisStatus.COMPLETED));
const invoiceOf = async (organizationId: string, invoiceId: string) =>
  (await rpc.invoice.getInvoice({ organizationId, invoiceId }, ann)).invoice;
const collection = () => running.mongo.db.collection<UploadDocument>('upload_analyses');
const list = async (organizationId: string, source: InvoiceSource) => {
  const any = {
    pageSize: 0,
    pageToken: '',
    companyId: undefined,
    decision: Decision.UNSPECIFIED,
    sources: [],
    decisions: [],
    statuses: [],
    createdFromTime: undefined,
    createdToTime: undefined,
  };
  const { invoices } = await rpc.invoice.listInvoices({ organizationId, ...any, source }, ann);
  return invoices.map(({ invoiceId }) => invoiceId);
};
const usedBy = (organizationId: string): Promise<number> =>
  exactUsage(running.mongo.db, { organizationId, month: usageMonth(testClock.now()), meter: 'analyses' });

describe('a document of a channel', () => {
  test('becomes one invoice of its source, which has its number there, and counts once', async () => {
    const organizationId = organization.newTenant();
    const companyId = organization.newCompany(organizationId);
    const received = receive(organizationId);
    const { invoiceId, replayed } = await accept(received, { companyId });
    expect(replayed).toBe(false);
    await completed(received);
    expect(await accept(received, { companyId })).toMatchObject({ invoiceId, replayed: true });
    expect(await invoiceOf(organizationId, invoiceId)).toMatchObject({
      companyId,
      source: InvoiceSource.KSEF,
      channel: received.origin,
      status: InvoiceStatus.ANALYZED,
      documentId: received.uploadId,
    });
    expect(documents.requestsOf(received.uploadId)).toHaveLength(1);
    expect(await usedBy(organizationId)).toBe(1);
  });

  test('is listed by its source, and with all others', async () => {
    const organizationId = organization.newTenant();
    const received = receive(organizationId);
    const { invoiceId } = await accept(received);
    await completed(received);
    const { invoiceId: posted } = await rpc.post(organizationId, wireInvoice());
    expect(await list(organizationId, InvoiceSource.KSEF)).toEqual([invoiceId]);
    expect(await list(organizationId, InvoiceSource.UPLOAD)).toEqual([]);
    expect(await list(organizationId, InvoiceSource.UNSPECIFIED)).toEqual([posted, invoiceId]);
  });

  test('keeps its source, number and document facts when it is analyzed again and corrected', async () => {
    const organizationId = organization.newTenant();
    const reading = xmlReading(
      {},
      { conflicts: [{ field: 'gross_amount', source: 'XML', machineValue: '1190.00', visibleValue: '119.00' }] },
    );
    const received = receive(organizationId, reading);
    const { invoiceId } = await accept(received);
    await completed(received);
    const first = await rpc.latest(organizationId, invoiceId);
    expect(findingOf(first, 'DOCUMENT_FIELD_CONFLICT')).toBeDefined();
    const again = await rpc.reanalyze(organizationId, { invoiceId });
    expect(again.findings.map(({ type }) => type)).toEqual(first.findings.map(({ type }) => type));
    const { uploadId, origin } = received;
    const fields = { invoice_number: 'RE-2026-0119' };
    await rpc.upload.correctUpload({ organizationId, uploadId, fields }, ann);
    expect(await invoiceOf(organizationId, invoiceId)).toMatchObject({
      source: InvoiceSource.KSEF,
      channel: origin,
      invoice: { invoiceNumber: 'RE-2026-0119' },
    });
    const exported = await rpc.upload.exportInvoice({ organizationId, invoiceId, includeUnready: true }, ann);
    expect(exported.invoice).toMatchObject({ source: InvoiceSource.KSEF, channel: origin });
  });

  test('that cannot be read is shown as FAILED with its source and number, and does not count', async () => {
    const organizationId = organization.newTenant();
    const origin = newOrigin();
    const received = { organizationId, origin, uploadId: documents.receive(organizationId, { failure }, origin) };
    const { invoiceId } = await accept(received);
    await eventually(async () => expect(await statusOf(received)).toBe(UploadAnalysisStatus.FAILED));
    expect(await invoiceOf(organizationId, invoiceId)).toMatchObject({
      status: InvoiceStatus.FAILED,
      source: InvoiceSource.KSEF,
      channel: origin,
    });
    await expect(accept(received)).rejects.toMatchObject({ kind: 'unprocessable', isReplayed: true });
    expect(await usedBy(organizationId)).toBe(0);
  });

  test('is the same invoice for a caller who has it analyzed, unless the caller wants another company or order', async () => {
    const organizationId = organization.newTenant();
    const companyId = organization.newCompany(organizationId);
    const received = receive(organizationId);
    const { invoiceId } = await accept(received, { companyId });
    await completed(received);
    for (const part of [byCaller, { ...byCaller, companyId }]) {
      expect(await accept(received, part)).toMatchObject({ invoiceId, replayed: true });
    }
    const mismatch = { kind: 'idempotency_mismatch' };
    const other = organization.newCompany(organizationId);
    await expect(accept(received, { ...byCaller, companyId: other })).rejects.toMatchObject(mismatch);
    await expect(accept(received, { ...byCaller, purchaseOrderRef: 'PO-9' })).rejects.toMatchObject(mismatch);
    expect(await usedBy(organizationId)).toBe(1);
  });

  test('that a caller has analyzed first has its source all the same, and does not stop the channel', async () => {
    const organizationId = organization.newTenant();
    const received = receive(organizationId);
    const { invoiceId } = await accept(received, { ...byCaller, purchaseOrderRef: 'PO-9' });
    expect(await invoiceOf(organizationId, invoiceId)).toMatchObject({
      source: InvoiceSource.KSEF,
      channel: received.origin,
    });
    const companyId = organization.newCompany(organizationId);
    expect(await accept(received, { companyId })).toMatchObject({ invoiceId, replayed: true });
    expect(await usedBy(organizationId)).toBe(1);
  });

  test('is refused with another origin than its own, before and after it was accepted', async () => {
    const organizationId = organization.newTenant();
    const received = receive(organizationId);
    await expect(accept(received, { origin: newOrigin() })).rejects.toMatchObject({ kind: 'invalid' });
    await expect(accept(received, { origin: { channel: 'PEPPOL', externalId: '1' } })).rejects.toMatchObject({
      kind: 'invalid',
    });
    await accept(received);
    await expect(accept(received, { origin: newOrigin() })).rejects.toMatchObject({ kind: 'idempotency_mismatch' });
    await completed(received);
  });

  test('is not what a caller has uploaded', async () => {
    const organizationId = organization.newTenant();
    const uploadId = documents.upload(organizationId, { reading: xmlReading() });
    const uploaded = { organizationId, uploadId, origin: newOrigin() };
    await expect(accept(uploaded)).rejects.toMatchObject({ kind: 'invalid' });
    await accept(uploaded, byCaller);
    await expect(accept(uploaded)).rejects.toMatchObject({ kind: 'idempotency_mismatch' });
  });
});

describe('documents of a channel', () => {
  const named = async ({ organizationId }: Received, invoiceId: string) =>
    (await rpc.latest(organizationId, invoiceId)).findings
      .filter(({ type }) => type === 'DUPLICATE_INVOICE')
      .flatMap(({ relatedInvoiceIds }) => relatedInvoiceIds);

  test('are decided in the order in which they were accepted: of two copies the second is the duplicate, however long the first takes to read', async () => {
    const organizationId = organization.newTenant();
    const [first, second] = [receive(organizationId), receive(organizationId)];
    documents.close(first.uploadId);
    const { invoiceId: firstId } = await accept(first);
    const { invoiceId: secondId } = await accept(second);
    // The analysis of a document that a caller uploads in the meantime shows that the worker still runs.
    const uploadId = documents.upload(organizationId, {
      reading: xmlReading({ invoice_number: 'RE-9', gross_amount: '7.00' }),
    });
    await accept({ organizationId, uploadId, origin: newOrigin() }, byCaller);
    expect(documents.requestsOf(second.uploadId)).toEqual([]);
    documents.open(first.uploadId);
    await completed(second);
    expect(await named(first, firstId)).toEqual([]);
    expect(await named(second, secondId)).toEqual([firstId]);
  });

  test('of different organizations do not wait for each other', async () => {
    const [slow, other] = [receive(organization.newTenant()), receive(organization.newTenant())];
    documents.close(slow.uploadId);
    await accept(slow);
    await accept(other);
    await completed(other);
    expect(await statusOf(slow)).toBe(UploadAnalysisStatus.PROCESSING);
    documents.open(slow.uploadId);
    await completed(slow);
  });

  test('keep their order over failed attempts, over one that cannot be read, and for a caller who waits', async () => {
    const organizationId = organization.newTenant();
    const [first, third] = [receive(organizationId), receive(organizationId)];
    const origin = newOrigin();
    const unreadable = { organizationId, origin, uploadId: documents.receive(organizationId, { failure }, origin) };
    documents.failNext(first.uploadId, new DomainError('unavailable', 'Away.'));
    const { invoiceId: firstId } = await accept(first);
    await accept(unreadable);
    const { invoiceId: thirdId } = await accept(third);
    const waiting = await accept(third, byCaller);
    expect(waiting.analysis).toBeDefined();
    expect(await statusOf(first)).toBe(UploadAnalysisStatus.COMPLETED);
    expect(await statusOf(unreadable)).toBe(UploadAnalysisStatus.FAILED);
    expect(await named(third, thirdId)).toEqual([firstId]);
  });

  test('keep their order over two processes of the service, one of which stops while it works', async () => {
    const organizationId = organization.newTenant();
    const second = await startSecond();
    const copies = Array.from({ length: 6 }, () => receive(organizationId));
    const ids: string[] = [];
    const [first] = copies;
    documents.close(first?.uploadId ?? '');
    try {
      for (const [index, copy] of copies.entries()) {
        ids.push((await accept(copy, {}, index % 2 === 0 ? second.rpc : rpc)).invoiceId);
      }
    } finally {
      await second.stop();
    }
    documents.open(first?.uploadId ?? '');
    await Promise.all(copies.map(completed));
    const records = await running.mongo.db
      .collection<{ _id: string; match: { receivedAtMs: number } }>('invoices')
      .find({ _id: { $in: ids } })
      .toArray();
    const byArrival = records.toSorted((left, right) => left.match.receivedAtMs - right.match.receivedAtMs);
    expect(byArrival.map(({ _id }) => _id)).toEqual(ids);
    for (const [index, copy] of copies.entries()) {
      const earlier = await named(copy, ids[index] ?? '');
      expect(earlier.length > 0).toBe(index > 0);
      expect(ids.slice(0, index)).toEqual(expect.arrayContaining(earlier));
    }
    expect(await usedBy(organizationId)).toBe(copies.length);
  });

  async function startSecond(): Promise<{ rpc: Clients; stop(): Promise<void> }> {
    const config = testConfig(testInfrastructure(), running.mongo.db.databaseName, organization.address, {
      DOCUMENTS_ADDRESS: documents.address,
    });
    const service: RunningService = await startService(config, { clock: testClock, jobPauseMsMax: 250 });
    const clients = connect(service.address);
    return {
      rpc: clients,
      async stop() {
        clients.close();
        await service.stop();
      },
    };
  }

  test('are accepted after each other by their stored times, whatever the clocks of two processes say', async () => {
    const organizationId = organization.newTenant();
    const [first, second] = [receive(organizationId), receive(organizationId)];
    documents.close(first.uploadId);
    const { invoiceId } = await accept(first);
    const ahead = new Date(testClock.now().getTime() + 5_000);
    await collection().updateOne({ _id: invoiceId }, { $set: { createdAt: ahead } });
    const { invoiceId: secondId } = await accept(second);
    expect((await collection().findOne({ _id: secondId }))?.createdAt.getTime()).toBe(ahead.getTime() + 1);
    documents.open(first.uploadId);
    await completed(second);
  });

  test('that wait for their turn hide no other work from the sweep, and are not reported as stuck', async () => {
    const first = receive(organization.newTenant());
    documents.close(first.uploadId);
    const { invoiceId } = await accept(first);
    await eventually(async () => expect(await statusOf(first)).toBe(UploadAnalysisStatus.PROCESSING));
    const { claim: _claim, ...model } = stated(await collection().findOne({ _id: invoiceId }));
    const waiting = Array.from({ length: SWEEP_UPLOADS_MAX + 1 }, (_, index) => ({
      ...model,
      _id: randomUUID(),
      uploadId: randomUUID(),
      state: 'QUEUED' as const,
      leaseUntil: new Date(0),
      createdAt: new Date(model.createdAt.getTime() + 1 + index),
    }));
    await collection().insertMany(waiting);
    try {
      const organizationId = organization.newTenant();
      const uploadId = documents.upload(organizationId, { reading: xmlReading() });
      documents.failNext(uploadId, new DomainError('unavailable', 'Away.'));
      const other = { organizationId, uploadId, origin: newOrigin() };
      // The failed attempt to store the document leaves the documents that wait for it to the sweep.
      await accept(other, { origin: undefined });
      await completed(other);
      const store = uploadStore(collection(), silentOutbox, testClock);
      const stuck = async () =>
        (await store.unfinishedSince(new Date(testClock.now().getTime() + 1_000)))
          .filter((one) => one.organizationId === first.organizationId)
          .map((one) => one.invoiceId);
      expect(await stuck()).toEqual([]);
      await collection().updateOne({ _id: invoiceId }, { $set: { attempts: 1 } });
      expect(await stuck()).toEqual([invoiceId]);
    } finally {
      await collection().deleteMany({ _id: { $in: waiting.map(({ _id }) => _id) } });
      documents.open(first.uploadId);
    }
    await completed(first);
  });

  test.each([
    [SEQUENCE_ATTEMPTS_MAX - 2, true],
    [SEQUENCE_ATTEMPTS_MAX - 1, false],
  ])(
    'wait for one that cannot be decided, until too many attempts have failed: after %i and one more, %s',
    async (attempts, isWaiting) => {
      const organizationId = organization.newTenant();
      const [first, second] = [receive(organizationId), receive(organizationId)];
      documents.close(first.uploadId);
      const { invoiceId } = await accept(first);
      const { invoiceId: secondId } = await accept(second);
      await eventually(async () => expect(await statusOf(first)).toBe(UploadAnalysisStatus.PROCESSING));
      // The stored document is changed as if other workers had released it many times, so that the current worker gives
      // up the document.
      await collection().updateOne(
        { _id: invoiceId },
        { $set: { attempts, state: 'QUEUED', leaseUntil: new Date(0) }, $unset: { claim: '' }, $inc: { version: 1 } },
      );
      const broken = new DomainError('internal', 'Broken.');
      documents.failNext(first.uploadId, broken, broken);
      documents.open(first.uploadId);
      await eventually(async () => {
        const record = await collection().findOne({ _id: invoiceId });
        expect([record?.attempts, record?.sequence !== undefined]).toEqual([attempts + 1, isWaiting]);
      });
      if (isWaiting) expect((await collection().findOne({ _id: secondId }))?.state).toBe('QUEUED');
      else await completed(second);
      expect(await statusOf(first)).toBe(UploadAnalysisStatus.QUEUED);
    },
  );
});
