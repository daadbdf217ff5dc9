import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ApiError, NetworkError, createClient, isFindingOf } from './client.js';
import type { Schemas } from './client.js';

interface Received {
  readonly target: string;
  readonly type: string | undefined;
  readonly prefer: string | undefined;
  readonly key: string | undefined;
  readonly body: Buffer;
}

const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

type Reply = readonly [status: number, body?: object | string, headers?: Readonly<Record<string, string>>] | 'drop';

/** Starts an API that gives each request the next of the replies, and returns a client of it. */
async function startApi(replies: Reply[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const prefer = headers['prefer'];
      received.push({
        target: `${method} ${url}`,
        type: headers['content-type'],
        prefer: typeof prefer === 'string' ? prefer : undefined,
        key: [headers['idempotency-key']].flat()[0],
        body: Buffer.concat(chunks),
      });
      const reply = replies.shift() ?? [599];
      if (reply === 'drop') return void response.socket?.destroy();
      const [status, body, more = {}] = reply;
      return response.writeHead(status, more).end(typeof body === 'object' ? JSON.stringify(body) : body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { received, api: createClient({ baseUrl, apiKey: 'ick_live_k', sleep: async () => {} }) };
}

const conflict: Reply = [409, { error: { code: 'CONFLICT', message: 'Already stored.', request_id: 'req_1' } }];
const pdf = new TextEncoder().encode('%PDF-1.7');

describe('an XML file', () => {
  test('is sent as it is and again after a failure, without a key, because the same bytes are the same run', async () => {
    const { api, received } = await startApi(['drop', [503], [200, { id: 'r' }]]);
    const { data } = await api.postXml('/payment-runs', new TextEncoder().encode('<Document/>'), {
      query: { company_id: 'c' },
    });
    expect(data.id).toBe('r');
    expect(received.map(({ target, type, key, body }) => ({ target, type, key, body: body.toString() }))).toEqual(
      Array.from({ length: 3 }, () => ({
        target: 'POST /v1/payment-runs?company_id=c',
        type: 'application/xml',
        key: undefined,
        body: '<Document/>',
      })),
    );
  });
});

describe('a file', () => {
  test('is read as it is, with its type', async () => {
    const { api, received } = await startApi([[200, '%PDF', { 'content-type': 'application/pdf' }]]);
    const { data, headers } = await api.file('/invoices/{invoiceId}/document', { path: { invoiceId: 'i' } });
    expect(await data.text()).toBe('%PDF');
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(received.map(({ target }) => target)).toEqual(['GET /v1/invoices/i/document']);
  });

  test('that is refused is an ApiError', async () => {
    const { api } = await startApi([[404, { error: { code: 'NOT_FOUND', message: 'No.', request_id: 'req_1' } }]]);
    const reading = api.file('/organizations/current/export');
    await expect(reading).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });

  test('is sent as its bytes, and again after a lost response', async () => {
    const { api, received } = await startApi(['drop', conflict]);
    await api.sendFile('u', pdf, { mediaType: 'application/pdf' });
    const sent = { target: 'PUT /v1/uploads/u/content', type: 'application/pdf' };
    expect(received).toMatchObject([sent, sent]);
    expect(received.map(({ body }) => body.toString())).toEqual(['%PDF-1.7', '%PDF-1.7']);
  });

  test('that was stored by somebody else is refused', async () => {
    const { api } = await startApi([conflict]);
    await expect(api.sendFile('u', pdf, { mediaType: 'application/pdf' })).rejects.toThrow(ApiError);
  });
});

test('PUT sends JSON once', async () => {
  const { api, received } = await startApi([[200, { decision: 'PASS' }]]);
  const fields = { gross_amount: '1190.00' };
  const { data } = await api.put('/uploads/{uploadId}/corrections', { path: { uploadId: 'u' }, body: { fields } });
  expect(data.decision).toBe('PASS');
  expect(received.map(({ target, body }) => [target, body.toString()])).toEqual([
    ['PUT /v1/uploads/u/corrections', JSON.stringify({ fields })],
  ]);
});

describe('an uploaded invoice', () => {
  const reserved: Reply = [201, { upload_id: 'u' }];
  const accepted: Reply = [200, { id: 'i', decision: 'REVIEW', findings: [] }];
  const queued: Reply = [202, { upload_id: 'u', status: 'QUEUED' }];

  test('is reserved, sent and decided', async () => {
    const { api, received } = await startApi([reserved, [204], accepted]);
    const { data } = await api.uploadInvoice(pdf, { mediaType: 'application/pdf', purchaseOrderRef: 'PO-1' });
    expect(data.decision).toBe('REVIEW');
    expect(received.map(({ target }) => target)).toEqual([
      'POST /v1/uploads',
      'PUT /v1/uploads/u/content',
      'POST /v1/invoices/from-upload',
    ]);
    expect(JSON.parse(received[0]?.body.toString() ?? '')).toEqual({ mediaType: 'application/pdf', byteSize: 8 });
    expect(JSON.parse(received[2]?.body.toString() ?? '')).toEqual({ upload_id: 'u', purchase_order_ref: 'PO-1' });
  });

  test('is waited for if its analysis takes long', async () => {
    const processing: Reply = [200, { status: 'PROCESSING' }];
    const done: Reply = [200, { status: 'COMPLETED' }];
    const { api, received } = await startApi([reserved, [204], queued, processing, done, accepted]);
    const options = { mediaType: 'application/pdf', sleep: async () => {} };
    expect((await api.uploadInvoice(new Blob([pdf]), options)).data.id).toBe('i');
    expect(received.slice(2).map(({ target, prefer }) => [target, prefer])).toEqual([
      ['POST /v1/invoices/from-upload', 'respond-async, wait=20'],
      ['GET /v1/uploads/u/status', undefined],
      ['GET /v1/uploads/u/status', undefined],
      ['POST /v1/invoices/from-upload', undefined],
    ]);
  });

  test('is given up after the given time, and when the caller aborts', async () => {
    const slow = await startApi([reserved, [204], queued, [200, { status: 'QUEUED' }]]);
    const options = { mediaType: 'application/pdf', sleep: async () => {}, totalMsMax: 500 };
    await expect(slow.api.uploadInvoice(pdf, options)).rejects.toThrow(NetworkError);
    const aborted = await startApi([reserved, [204], queued]);
    const { sleep: _, ...realPauses } = options;
    const uploading = aborted.api.uploadInvoice(pdf, { ...realPauses, signal: AbortSignal.timeout(300) });
    await expect(uploading).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

test('the pages of a list have their cursors', async () => {
  const { api } = await startApi([
    [200, { items: [{ id: '1' }], nextCursor: 'n' }],
    [200, { items: [{ id: '2' }], nextCursor: null }],
  ]);
  const pages: unknown[] = [];
  for await (const { items, nextCursor } of api.pages('/invoices')) pages.push([items[0]?.id, nextCursor]);
  expect(pages).toEqual([
    ['1', 'n'],
    ['2', null],
  ]);
});

test('the evidence of a finding has the members of its type', () => {
  const evidence = {
    key: 'k',
    rule: 'SUPPLIER_TAX_ID_MISSING@1',
    parameters: {},
    observed: {},
    explanation: ['Usually stated.'],
    share: 0.9,
  };
  const found: Pick<Schemas['Finding'], 'type' | 'evidence'> = { type: 'SUPPLIER_TAX_ID_MISSING', evidence };
  expect(isFindingOf(found, 'BANK_ACCOUNT_CHANGED')).toBe(false);
  if (!isFindingOf(found, 'SUPPLIER_TAX_ID_MISSING')) throw new Error('The finding has the type.');
  // The assignment compiles only if the published description gives evidence of this type a `share`.
  const { share }: { share: number } = found.evidence;
  expect(share).toBe(0.9);
});
