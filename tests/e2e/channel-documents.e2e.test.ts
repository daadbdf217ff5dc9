// Documents of a channel with the real owners of documents and invoices: the calls are those of a run of the KSeF inbox.
import { createHash, randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UploadAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { UploadServiceDefinition } from '@invoicecontrol/contracts/documents/v1/upload_service';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { readZip } from '@invoicecontrol/testkit/read-zip';
import { testIdentity } from '@invoicecontrol/runtime/testing/test-identities';
import { fa3 } from './ksef-actions.js';
import { useSharedSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import type { AcceptedAnalysis, Finding, Page } from './shapes.js';

interface Shown {
  readonly id: string;
  readonly source: string;
  readonly ksefNumber?: string;
}

let running: RunningSystem;
let key: string;
let ksef: ReturnType<typeof connectAsKsef>;
beforeAll(async () => {
  running = await useSharedSystem();
  key = running.tenant.keys.owner;
  ksef = connectAsKsef(running);
});
afterAll(async () => {
  ksef.close();
  await running.stop();
});

/** Stores a document and requests its analysis as the KSeF inbox does. */
function connectAsKsef({ system: { addresses }, tenant: { organizationId, companyId } }: RunningSystem) {
  const identity = testIdentity('ksef');
  const channels = [
    openChannel(addresses.documents, { service: 'documents', identity }),
    openChannel(addresses.analysis, { service: 'analysis', identity }),
  ] as const;
  const uploads = client(UploadServiceDefinition, channels[0]);
  const analyses = client(UploadAnalysisServiceDefinition, channels[1]);
  const call = { context: systemContext('ksef-inbox'), timeoutMs: 60_000 };
  return {
    async receive(xml: string, { uploadId, ksefNumber }: { uploadId: string; ksefNumber: string }) {
      const origin = { channel: 'KSEF', externalId: ksefNumber };
      const mediaType = 'application/xml';
      const { created } = await uploads.storeChannelDocument(
        { organizationId, uploadId, origin, mediaType, content: Buffer.from(xml), uploadBytesPerMonthLimit: undefined },
        call,
      );
      const { invoiceId, replayed } = await analyses.analyzeUpload(
        {
          organizationId,
          uploadId,
          companyId,
          origin,
          respondAsync: true,
          waitSeconds: undefined,
          purchaseOrderRef: undefined,
          analysesPerMonthLimit: undefined,
        },
        call,
      );
      return { invoiceId, created, replayed };
    },
    close() {
      for (const channel of channels) channel.close();
    },
  };
}

const newNip = (): string => String(randomInt(5_200_000_000, 5_300_000_000));
const newDocument = (nip: string) => ({
  uploadId: randomUUID(),
  ksefNumber: `${nip}-20260412-${randomUUID().replaceAll('-', '').slice(0, 12).toUpperCase()}-E4`,
});
const get = async <Body>(path: string): Promise<Body> => (await running.request<Body>(`GET ${path}`, { key })).body;
const decided = (uploadId: string) =>
  eventually(async () => expect(await get(`/uploads/${uploadId}/status`)).toMatchObject({ status: 'COMPLETED' }));

test('an invoice that is received from KSeF, however often, is one upload and one invoice with its KSeF number', async () => {
  const nip = newNip();
  const xml = fa3({ nip, number: `FV/${nip}` });
  const document = newDocument(nip);
  const { uploadId, ksefNumber } = document;
  const first = await ksef.receive(xml, document);
  expect(first).toMatchObject({ created: true, replayed: false });
  await decided(uploadId);
  expect(await ksef.receive(xml, document)).toEqual({ invoiceId: first.invoiceId, created: false, replayed: true });
  const byCaller = await running.request<AcceptedAnalysis>('POST /invoices/from-upload', {
    key,
    body: { upload_id: uploadId },
  });
  expect([byCaller.status, byCaller.body.id]).toEqual([200, first.invoiceId]);
  expect(byCaller.headers.get('idempotency-replayed')).toBe('true');

  const sha256 = createHash('sha256').update(xml).digest('hex');
  expect(await get(`/uploads/${uploadId}/status`)).toMatchObject({
    media_type: 'application/xml',
    sha256,
    invoice_id: first.invoiceId,
    ksefNumber,
  });
  const shown = { source: 'KSEF', ksefNumber, documentId: uploadId, companyId: running.tenant.companyId };
  expect(await get(`/invoices/${first.invoiceId}`)).toMatchObject({
    ...shown,
    status: 'ANALYZED',
    invoice: { invoice_number: `FV/${nip}`, supplier: { tax_id: nip } },
  });
  const exported = await get(`/invoices/${first.invoiceId}/export?include=unready`);
  expect(exported).toMatchObject({ source: 'KSEF', ksefNumber, document: { format: 'FA3', sha256, corrects: null } });
  const listed = await get<Page<Shown>>('/invoices?source=KSEF');
  expect(listed.items.filter(({ id }) => id === first.invoiceId)).toMatchObject([shown]);
  const original = await fetch(`${running.origin}/v1/invoices/${first.invoiceId}/document`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(await original.text()).toBe(xml);
  const view = await fetch(`${running.origin}/v1/invoices/${first.invoiceId}/document/view`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(view.status).toBe(200);

  const put = await running.request(`PUT /uploads/${uploadId}/content`, {
    key,
    bytes: xml,
    headers: { 'content-type': 'application/xml' },
  });
  expect(put.status).toBe(409);
  const foreign = await running.request(`GET /uploads/${uploadId}/status`, { key: running.other.keys.owner });
  expect(foreign.status).toBe(404);
});

test('of two copies that were received in order the second is the duplicate', async () => {
  const nip = newNip();
  const [first, second] = [newDocument(nip), newDocument(nip)];
  const { invoiceId } = await ksef.receive(fa3({ nip, number: `FV/${nip}` }), first);
  const { invoiceId: copyId } = await ksef.receive(`${fa3({ nip, number: `FV/${nip}` })}\n`, second);
  await decided(second.uploadId);
  const duplicatesOf = async (id: string) =>
    (await get<Page<Finding>>(`/findings?invoice_id=${id}&type=DUPLICATE_INVOICE`)).items;
  expect(await duplicatesOf(invoiceId)).toEqual([]);
  expect(await duplicatesOf(copyId)).toMatchObject([{ relatedInvoiceIds: [invoiceId] }]);
});

test('a document that cannot be read is FAILED with its source and KSeF number', async () => {
  const nip = newNip();
  const document = newDocument(nip);
  const { invoiceId } = await ksef.receive('<Faktura><unclosed></Faktura>', document);
  const { uploadId, ksefNumber } = document;
  await eventually(async () => {
    expect(await get(`/uploads/${uploadId}/status`)).toMatchObject({
      status: 'FAILED',
      ksefNumber,
      failure: { reason: 'MALFORMED_XML' },
    });
  });
  expect(await get(`/invoices/${invoiceId}`)).toMatchObject({ status: 'FAILED', source: 'KSEF', ksefNumber });
});

test('the archive of an organization has its documents from KSeF with their numbers', async () => {
  const nip = newNip();
  const document = newDocument(nip);
  const { uploadId, ksefNumber } = document;
  const { invoiceId } = await ksef.receive(fa3({ nip, number: `FV/${nip}` }), document);
  await decided(uploadId);
  const response = await fetch(`${running.origin}/v1/organizations/current/export`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const files = readZip(Buffer.from(await response.arrayBuffer()));
  const recordOf = (name: string, wanted: string): unknown =>
    (files.get(name)?.toString('utf8') ?? '')
      .split('\n')
      .filter((line) => line.includes(wanted))
      .map((line) => JSON.parse(line) as unknown)[0];
  const origin = { channel: 'KSEF', externalId: ksefNumber };
  expect(recordOf('uploads.jsonl', uploadId)).toMatchObject({ id: uploadId, origin });
  expect(recordOf('readings.jsonl', uploadId)).toMatchObject({ uploadId, origin });
  expect(recordOf('invoices.jsonl', invoiceId)).toMatchObject({ source: 'KSEF', ksefNumber });
});
