import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { InvoiceSource } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { StoredInvoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { UploadAnalysisStatus } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { UploadState } from '@invoicecontrol/contracts/documents/v1/upload_service';
import type { ChannelOrigin, UploadStart } from '@invoicecontrol/contracts/documents/v1/upload_service';
import { DomainError, notFound } from '@invoicecontrol/errors';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { EXAMPLE_IDS } from '../../http/description/examples.js';
import { accessFor, keyNamed, ORGANIZATION_ID, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';
import { uploadedInvoice } from '../../testing/uploaded-invoice.js';

const owner = keyNamed('owner');
const viewer = keyNamed('viewer');
const MIB = 1024 * 1024;
const file = randomBytes(3 * MIB);
const sha256 = createHash('sha256').update(file).digest('hex');
const uploadId = EXAMPLE_IDS.upload;
const KSEF_NUMBER = '5265877635-20260412-010080615740-E4';

/** Function that receives a file in place of the documents service. */
type Receive = (start: UploadStart, content: AsyncIterable<Uint8Array>) => Promise<void>;

async function sizeOf(content: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of content) bytes += chunk.length;
  return bytes;
}

let gateway: RunningGateway;
let origin: ChannelOrigin | undefined;
let receive: Receive;
let starts: UploadStart[];
let stored: StoredInvoice;
/** Number of pieces of a document that the fake documents service has sent. */
let sentPieces: number;
let isReading: boolean;
let readAsked: unknown[];
let readFailure: Error | undefined;

beforeAll(async () => {
  gateway = await startGateway({
    access: accessFor(
      new Map([
        [owner, principal()],
        [viewer, principal({ role: 'VIEWER', scopes: ['invoices:read'] })],
      ]),
    ),
    invoices: { getInvoice: () => Promise.resolve({ invoice: stored }) },
    uploads: {
      getUpload: () =>
        Promise.resolve({
          upload: {
            uploadId,
            state: UploadState.UPLOADED,
            mediaType: 'application/xml',
            byteSize: 10,
            sha256,
            expiresTime: new Date(),
            createdTime: new Date(),
            origin,
          },
        }),
      authorizeUpload: () => Promise.resolve({ organizationId: principal().organizationId }),
      async receiveUpload(requests) {
        const messages = requests[Symbol.asyncIterator]();
        const first = await messages.next();
        const part = first.done === true ? undefined : first.value.part;
        if (part?.$case !== 'start') throw new Error('The first message is not the start.');
        starts.push(part.value);
        const content = async function* (): AsyncIterable<Uint8Array> {
          for (let next = await messages.next(); next.done !== true; next = await messages.next()) {
            if (next.value.part?.$case === 'content') yield next.value.part.value;
          }
        };
        await receive(part.value, content());
        return {};
      },
    },
    uploadAnalyses: {
      getUploadAnalysis: () =>
        Promise.resolve({
          status: UploadAnalysisStatus.UNSPECIFIED,
          invoiceId: undefined,
          decision: 0,
          riskScore: undefined,
          failure: undefined,
        }),
    },
    documents: {
      describeDocument: () =>
        Promise.resolve({
          document: {
            documentId: uploadId,
            mediaType: 'application/pdf',
            byteSize: file.length,
            sha256,
            receivedTime: new Date('2026-03-05T10:00:00Z'),
          },
        }),
      async *readDocument(request) {
        readAsked.push(request);
        if (readFailure !== undefined) throw readFailure;
        isReading = true;
        try {
          const { firstByte = 0, lastByte = file.length - 1 } = request;
          for (let at = firstByte; at <= lastByte; at += 65_536) {
            sentPieces += 1;
            yield { content: file.subarray(at, Math.min(lastByte + 1, at + 65_536)) };
          }
        } finally {
          isReading = false;
        }
      },
    },
  });
});
beforeEach(() => {
  [starts, readAsked, sentPieces, isReading, readFailure] = [[], [], 0, false, undefined];
  receive = async (_, content) => {
    await sizeOf(content);
  };
  stored = uploadedInvoice();
  origin = undefined;
});
afterAll(() => gateway.stop());

const contentUrl = (query = '') => `${gateway.origin}/v1/uploads/${uploadId}/content${query}`;

describe('PUT /uploads/{id}/content', () => {
  test('hands the file to its owner while it comes, with what the request says about it', async () => {
    const received: Uint8Array[] = [];
    receive = async (_, content) => {
      for await (const chunk of content) received.push(chunk);
    };
    const response = await fetch(contentUrl('?token=abc'), {
      method: 'PUT',
      headers: { 'content-type': 'Application/PDF; charset=utf-8' },
      body: file,
    });
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(Buffer.concat(received).equals(file)).toBe(true);
    expect(starts).toEqual([
      {
        uploadId,
        organizationId: undefined,
        token: 'abc',
        mediaType: 'application/pdf',
        declaredSize: file.length,
        hasContentEncoding: false,
      },
    ]);
  });

  test('with a key names its organization; the token counts alone where both are sent', async () => {
    const headers = { authorization: `Bearer ${owner}`, 'content-type': 'application/pdf' };
    for (const query of ['', '?token=abc']) {
      expect((await fetch(contentUrl(query), { method: 'PUT', headers, body: 'x' })).status).toBe(204);
    }
    expect(starts.map(({ organizationId, token }) => [organizationId, token])).toEqual([
      [ORGANIZATION_ID, undefined],
      [undefined, 'abc'],
    ]);
  });

  test.each([
    ['without key and token', {}, 401],
    ['with a key that lacks the scope', { authorization: `Bearer ${viewer}` }, 403],
  ])('%s is refused before its owner is asked', async (_, headers, status) => {
    const response = await fetch(contentUrl(), {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/pdf' },
      body: file,
    });
    expect(response.status).toBe(status);
    expect(starts).toEqual([]);
  });

  test('of a malformed id is 404', async () => {
    const url = `${gateway.origin}/v1/uploads/nothing/content?token=abc`;
    const response = await fetch(url, { method: 'PUT', headers: { 'content-type': 'application/pdf' }, body: 'x' });
    expect(response.status).toBe(404);
  });

  test.each([
    ['too_large', 413],
    ['unsupported_media_type', 415],
    ['wrong_state', 409],
    ['invalid', 400],
    ['unauthenticated', 401],
  ] as const)(
    'that its owner refuses as %s at once is %i, and the answer arrives although most was not sent',
    async (kind, status) => {
      receive = () => Promise.reject(new DomainError(kind, 'Not this one.'));
      const response = await fetch(contentUrl('?token=abc'), {
        method: 'PUT',
        headers: { 'content-type': 'application/pdf' },
        body: Buffer.alloc(25 * MIB),
      });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error: { message: 'Not this one.' } });
    },
  );

  test('is taken no faster than its owner reads it', async () => {
    let release: () => void = () => {};
    receive = async (_, content) => {
      await new Promise<void>((resolve) => (release = resolve));
      await sizeOf(content);
    };
    const socket = connect(gateway.port, '127.0.0.1');
    const head = `PUT /v1/uploads/${uploadId}/content?token=abc HTTP/1.1\r\nHost: x\r\nContent-Type: application/pdf\r\nContent-Length: ${64 * MIB}\r\n\r\n`;
    socket.write(head);
    const piece = Buffer.alloc(MIB);
    let accepted = 0;
    for (; accepted < 64; accepted++) {
      if (!socket.write(piece)) {
        const isDrained = await Promise.race([
          new Promise<boolean>((resolve) => socket.once('drain', () => resolve(true))),
          delay(1_000, false),
        ]);
        if (!isDrained) break;
      }
    }
    // The gateway itself keeps no pieces of the document. Only the buffers of the system and of the connection hold
    // some.
    expect(accepted).toBeLessThan(32);
    expect(starts).toHaveLength(1);
    release();
    socket.destroy();
  });

  test('whose client disappears ends at its owner', async () => {
    let bytes = 0;
    let end: string | undefined;
    receive = async (_, content) => {
      try {
        for await (const chunk of content) bytes += chunk.length;
        end = 'ended';
      } catch {
        end = 'broken';
      }
    };
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(
      `PUT /v1/uploads/${uploadId}/content?token=abc HTTP/1.1\r\nHost: x\r\nContent-Type: application/pdf\r\nContent-Length: 1000\r\n\r\nhalf`,
    );
    await eventually(() => expect(bytes).toBe(4));
    socket.destroy();
    await eventually(() => expect(end).toBeDefined());
    expect(bytes).toBe(4);
  });

  test('with several types has none for its owner, who refuses it', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    const type = 'Content-Type: application/pdf\r\n';
    socket.write(
      `PUT /v1/uploads/${uploadId}/content?token=abc HTTP/1.1\r\nHost: x\r\n${type}${type}Content-Length: 4\r\n\r\nbody`,
    );
    await eventually(() => expect(starts).toMatchObject([{ mediaType: undefined }]));
    socket.destroy();
  });

  test('asks for a body that waits to be asked for', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (data: string) => (received += data));
    socket.write(
      `PUT /v1/uploads/${uploadId}/content?token=abc HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/pdf\r\nContent-Length: 4\r\n\r\n`,
    );
    await eventually(() => expect(received).toContain('100 Continue'));
    socket.write('body');
    await eventually(() => expect(received).toContain('204 No Content'));
    socket.destroy();
  });
});

describe('GET /uploads/{id}/status', () => {
  const statusOf = async () => {
    const headers = { authorization: `Bearer ${owner}` };
    return (await fetch(`${gateway.origin}/v1/uploads/${uploadId}/status`, { headers })).json();
  };

  test('shows the KSeF number of a document that was received from KSeF, and of no other', async () => {
    expect(await statusOf()).not.toHaveProperty('ksefNumber');
    origin = { channel: 'KSEF', externalId: KSEF_NUMBER };
    expect(await statusOf()).toMatchObject({ upload_id: uploadId, status: 'UPLOADED', ksefNumber: KSEF_NUMBER });
    origin = { channel: 'PEPPOL', externalId: 'x' };
    expect(await statusOf()).not.toHaveProperty('ksefNumber');
  });
});

describe('GET /invoices/{id}/document', () => {
  const url = () => `${gateway.origin}/v1/invoices/${EXAMPLE_IDS.invoice}/document`;
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(url(), { method, headers: { authorization: `Bearer ${owner}`, ...headers } });

  test('streams the original under a safe name, and says whose it is for the audit trail', async () => {
    const response = await get();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toBe('inline; filename=FV_1_2026.pdf');
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(Buffer.from(await response.arrayBuffer()).equals(file)).toBe(true);
    expect(readAsked).toMatchObject([{ organizationId: ORGANIZATION_ID, uploadId, invoiceId: EXAMPLE_IDS.invoice }]);
  });

  test('streams the document of an invoice that was received from KSeF', async () => {
    stored = { ...stored, source: InvoiceSource.KSEF, channel: { channel: 'KSEF', externalId: KSEF_NUMBER } };
    const response = await get();
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(file.length)]);
    await response.body?.cancel();
  });

  test('streams a range', async () => {
    const response = await get({ range: 'bytes=100000-200000' });
    expect([response.status, response.headers.get('content-range')]).toEqual([
      206,
      `bytes 100000-200000/${file.length}`,
    ]);
    expect(Buffer.from(await response.arrayBuffer()).equals(file.subarray(100_000, 200_001))).toBe(true);
  });

  test('answers HEAD and a known ETag without reading', async () => {
    const head = await get({}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(file.length)]);
    expect((await get({ 'if-none-match': head.headers.get('etag') ?? '' })).status).toBe(304);
    expect(readAsked).toEqual([]);
  });

  test('refuses a range without bytes, and a condition that does not hold, with the envelope', async () => {
    const range = await get({ range: `bytes=${file.length}-` });
    expect([range.status, range.headers.get('content-range')]).toEqual([416, `bytes */${file.length}`]);
    expect(await range.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
    const condition = await get({ 'if-match': '"other"' });
    expect([condition.status, await condition.json()]).toMatchObject([412, { error: { code: 'INVALID_REQUEST' } }]);
  });

  test.each([
    ['that did not come as a file', { source: InvoiceSource.API, documentId: undefined }],
    ['of a scan', { source: InvoiceSource.SCAN, documentId: undefined }],
  ])('of an invoice %s is 404', async (_, changes) => {
    stored = { ...stored, ...changes };
    const response = await get();
    expect([response.status, await response.json()]).toMatchObject([404, { error: { message: 'No such invoice.' } }]);
  });

  test('refuses with the envelope when its owner fails before the first byte', async () => {
    readFailure = notFound('document');
    expect([(await get()).status, (await get()).headers.get('content-length')]).not.toContain(String(file.length));
    expect((await get()).status).toBe(404);
  });

  test('stops reading when the caller leaves', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(
      `GET /v1/invoices/${EXAMPLE_IDS.invoice}/document HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    await eventually(() => expect(sentPieces).toBeGreaterThan(0));
    socket.destroy();
    await eventually(() => expect(isReading).toBe(false));
  });
});
