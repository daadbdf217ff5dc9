import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { InvoiceSource, InvoiceStatus } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { StoredInvoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { DescribeRenderingResponse } from '@invoicecontrol/contracts/documents/v1/document_service';
import { DomainError, notFound } from '@invoicecontrol/errors';
import { EXAMPLE_IDS } from '../../http/description/examples.js';
import { accessFor, keyNamed, ORGANIZATION_ID, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';
import { uploadedInvoice } from '../../testing/uploaded-invoice.js';

const analyst = keyNamed('analyst');
const picture = Buffer.alloc(200_000, 'picture');
const sha256 = createHash('sha256').update(picture).digest('hex');
const uploadId = EXAMPLE_IDS.upload;
const base = `/v1/invoices/${EXAMPLE_IDS.invoice}/document`;

let gateway: RunningGateway;
let stored: StoredInvoice;
let described: DescribeRenderingResponse | Error;
let asked: unknown[];
let read: unknown[];
let content: Buffer;

beforeAll(async () => {
  gateway = await startGateway({
    access: accessFor(new Map([[analyst, principal({ role: 'ANALYST', scopes: ['documents:read'] })]])),
    invoices: { getInvoice: () => Promise.resolve({ invoice: stored }) },
    documents: {
      describeRendering(request) {
        asked.push(request);
        return described instanceof Error ? Promise.reject(described) : Promise.resolve(described);
      },
      async *readRendering(request) {
        read.push(request);
        for (let at = 0; at < content.length; at += 65_536) yield { content: content.subarray(at, at + 65_536) };
      },
    },
  });
});
beforeEach(() => {
  content = picture;
  [asked, read] = [[], []];
  described = { rendering: { mediaType: 'image/png', byteSize: content.length, sha256 }, pages: undefined };
  stored = uploadedInvoice();
});
afterAll(() => gateway.stop());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${gateway.origin}${base}${path}`, { method, headers: { authorization: `Bearer ${analyst}`, ...headers } });

async function refusalOf(response: Response): Promise<readonly [status: number, code: string, message: string]> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return [response.status, error.code, error.message];
}

describe('GET /invoices/{id}/document/pages/{page}', () => {
  test('streams the picture under a safe name, and says whose it is for the audit trail', async () => {
    const response = await get('/pages/2?width=1500');
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    const names = [
      'content-type',
      'content-length',
      'content-disposition',
      'etag',
      'cache-control',
      'content-security-policy',
    ];
    expect(names.map((name) => response.headers.get(name))).toEqual([
      'image/png',
      '200000',
      'inline; filename=FV_1_2026-2.png',
      `"page-${sha256}"`,
      'private, no-cache',
      "sandbox; default-src 'none'",
    ]);
    const page = { number: 2, width: 1_500 };
    expect(asked).toMatchObject([{ organizationId: ORGANIZATION_ID, uploadId, page }]);
    expect(read).toMatchObject([{ organizationId: ORGANIZATION_ID, uploadId, page, invoiceId: EXAMPLE_IDS.invoice }]);
  });

  test.each([
    ['', 1_000],
    ['?width=1', 1],
    ['?width=2000', 2_000],
  ])('asks for the width of the query %s', async (query, width) => {
    await get(`/pages/1${query}`);
    expect(asked).toMatchObject([{ page: { number: 1, width } }]);
  });

  test.each(['0', '-1', '2001', '10000', '1e3', '1.5', '0x10', 'abc', '', '+5', '%20100', '100&width=100', '٣'])(
    'refuses the width %s before anything is asked',
    async (width) => {
      const [status, code, message] = await refusalOf(await get(`/pages/1?width=${width}`));
      expect([status, code]).toEqual([400, 'INVALID_REQUEST']);
      expect(message).toMatch(/width/);
      expect(asked).toEqual([]);
    },
  );

  test('refuses an unknown member of the query: a misspelt width would go unnoticed', async () => {
    expect((await refusalOf(await get('/pages/1?witdh=100')))[0]).toBe(400);
  });

  test.each(['0', '-1', '01', '1.0', 'abc', '1e9', '%00', '..%2f1'])('has no page %s', async (page) => {
    expect(await refusalOf(await get(`/pages/${page}`))).toEqual([
      404,
      'NOT_FOUND',
      'The page does not exist. Page numbers are whole numbers from 1.',
    ]);
    expect(asked).toEqual([]);
  });

  test.each([
    ['999999', 3, 'The page does not exist. The document has 3 pages.'],
    ['9'.repeat(400), 3, 'The page does not exist. The document has 3 pages.'],
    ['2', 1, 'The page does not exist. The document has 1 page.'],
    ['1', 0, `The page does not exist. An XML invoice has no pages. GET ${base}/view shows the invoice.`],
  ])('says for page %s of %i what there is', async (page, pages, message) => {
    described = { rendering: undefined, pages };
    expect(await refusalOf(await get(`/pages/${page}`))).toEqual([404, 'NOT_FOUND', message]);
  });

  test('answers HEAD and a known ETag without reading', async () => {
    const head = await get('/pages/1', {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '200000', '']);
    const known = await get('/pages/1', { 'if-none-match': head.headers.get('etag') ?? '' });
    expect([known.status, known.headers.get('cache-control')]).toEqual([304, 'private, no-cache']);
    expect(read).toEqual([]);
  });

  test('refuses what cannot be drawn with its sentence', async () => {
    described = new DomainError('unprocessable', 'The file is damaged.');
    expect(await refusalOf(await get('/pages/1'))).toEqual([422, 'PROCESSING_FAILED', 'The file is damaged.']);
  });
});

describe('GET /invoices/{id}/document/view', () => {
  test('streams the page of HTML, which may run and load nothing', async () => {
    described = { rendering: { mediaType: 'text/html', byteSize: content.length, sha256 }, pages: undefined };
    const response = await get('/view');
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    const names = ['content-type', 'content-disposition', 'etag', 'cache-control', 'x-content-type-options'];
    expect([response.status, ...names.map((name) => response.headers.get(name))]).toEqual([
      200,
      'text/html; charset=utf-8',
      'inline; filename=FV_1_2026.html',
      `"view-${sha256}"`,
      'private, no-cache',
      'nosniff',
    ]);
    const policy = (response.headers.get('content-security-policy') ?? '').split('; ');
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", 'sandbox', "frame-ancestors 'none'"]));
    expect(policy.filter((directive) => /script|allow-/.test(directive))).toEqual([]);
    expect(asked).toMatchObject([{ organizationId: ORGANIZATION_ID, uploadId, page: undefined }]);
    expect(read).toMatchObject([{ uploadId, page: undefined, invoiceId: EXAMPLE_IDS.invoice }]);
  });

  test('says where a document without XML is seen', async () => {
    described = { rendering: undefined, pages: undefined };
    expect(await refusalOf(await get('/view'))).toEqual([
      404,
      'NOT_FOUND',
      `The page does not exist. The document contains no XML. GET ${base}/pages/1 shows its first page.`,
    ]);
  });
});

describe('GET /invoices/{id}/document/pages/{page}/words', () => {
  const words = { words: [{ text: '1.190,00', value: '1190.00', box: [0.1, 0.2, 0.3, 0.4] }], isTruncated: false };

  test('shows the words of the page, and says whose they are for the audit trail', async () => {
    content = Buffer.from(JSON.stringify(words));
    const response = await get('/pages/2/words');
    expect([response.status, await response.json()]).toEqual([200, words]);
    const target = { uploadId, page: undefined, wordsOfPage: 2 };
    expect(asked).toMatchObject([{ organizationId: ORGANIZATION_ID, ...target }]);
    expect(read).toMatchObject([{ organizationId: ORGANIZATION_ID, ...target, invoiceId: EXAMPLE_IDS.invoice }]);
  });

  test('has no page 0, and says how many pages there are', async () => {
    expect((await refusalOf(await get('/pages/0/words')))[2]).toContain('Page numbers are whole numbers from 1.');
    expect(asked).toEqual([]);
    described = { rendering: undefined, pages: 3 };
    expect((await refusalOf(await get('/pages/4/words')))[2]).toContain('The document has 3 pages.');
  });

  test('refuses a document that cannot be read, with the reason', async () => {
    described = new DomainError('unprocessable', 'The file is damaged.');
    expect(await refusalOf(await get('/pages/1/words'))).toEqual([422, 'PROCESSING_FAILED', 'The file is damaged.']);
  });

  test('is not there for an invoice that did not come as a file', async () => {
    stored = { ...stored, source: InvoiceSource.API, documentId: undefined };
    expect(await refusalOf(await get('/pages/1/words'))).toEqual([404, 'NOT_FOUND', 'No such invoice.']);
  });
});

describe.each(['/pages/1', '/view'])('what is shown at %s', (path) => {
  test.each([
    ['that did not come as a file', { source: InvoiceSource.API, documentId: undefined }],
    ['of an ERP', { source: InvoiceSource.ERP, documentId: undefined }],
  ])('is not there for an invoice %s', async (_, changes) => {
    stored = { ...stored, ...changes };
    expect(await refusalOf(await get(path))).toEqual([404, 'NOT_FOUND', 'No such invoice.']);
  });

  test('is not there when the document is gone', async () => {
    described = notFound('document');
    expect(await refusalOf(await get(path))).toEqual([404, 'NOT_FOUND', 'No such invoice.']);
  });

  test('is shown for an invoice that could not be read', async () => {
    stored = { ...stored, status: InvoiceStatus.FAILED, invoice: undefined };
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toContain(`filename=invoice-${EXAMPLE_IDS.invoice}`);
    await response.arrayBuffer();
  });
});
