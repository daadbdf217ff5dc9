import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attackFiles } from '@invoicecontrol/extraction/testing/attack-files';
import { printInvoice } from '@invoicecontrol/extraction/testing/printed-invoice';
import { sampleInvoice } from '@invoicecontrol/extraction/testing/sample-invoice';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { useSharedSystem } from './running-system.js';
import type { ErrorBody, RunningSystem } from './running-system.js';
import type { AcceptedAnalysis } from './shapes.js';
import { UNKNOWN_ID } from './shapes.js';
import { ubl, uploadFile } from './uploading.js';

let running: RunningSystem;
let key: string;
let pdf: Buffer;
/** Ids of an invoice that was uploaded as a PDF, and of one in XML. */
let pdfInvoice: string;
let xmlInvoice: string;

/** Markup that a malicious supplier could write into every text of an invoice. */
const MARKUP = '<script>alert(1)</script><img src=x onerror=alert(1)>';
const written = MARKUP.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

beforeAll(async () => {
  running = await useSharedSystem();
  key = running.tenant.keys.analyst;
  pdf = Buffer.from(await printInvoice(sampleInvoice()));
  pdfInvoice = await invoiceOf(pdf, 'application/pdf');
  const xml = ubl(`XSS-1${written}`)
    .replaceAll('Nordlicht Energie GmbH', `Nordlicht${written}`)
    .replaceAll('Buyer', `Buyer${written}`);
  xmlInvoice = await invoiceOf(Buffer.from(xml), 'application/xml');
});
afterAll(() => running.stop());

/** Uploads a document and has it analyzed. @returns the id of its invoice, also where it cannot be read */
async function invoiceOf(bytes: Uint8Array, mediaType: string): Promise<string> {
  const upload_id = await uploadFile(running, running.tenant.keys.owner, bytes, mediaType);
  const owner = running.tenant.keys.owner;
  await running.request<AcceptedAnalysis>('POST /invoices/from-upload', { key: owner, body: { upload_id } });
  const { body } = await running.request<{ invoice_id: string }>(`GET /uploads/${upload_id}/status`, { key: owner });
  return body.invoice_id;
}

/** Fetches a file, which is not checked against the contract for JSON responses. */
const fetchFile = (
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) => fetch(`${running.origin}/v1${path}`, { method, headers: { authorization: `Bearer ${key}`, ...headers } });
const refused = (path: string, by = key) => running.request<ErrorBody>(`GET ${path}`, { key: by, requestId: 'pages' });

/** Returns the width that the header of a PNG states. */
async function widthOf(response: Response): Promise<number> {
  const picture = Buffer.from(await response.arrayBuffer());
  expect([response.status, response.headers.get('content-type'), picture.toString('latin1', 1, 4)]).toEqual([
    200,
    'image/png',
    'PNG',
  ]);
  expect(picture.length).toBe(Number(response.headers.get('content-length')));
  return picture.readUInt32BE(16);
}

describe('a page of an uploaded PDF', () => {
  test('is a picture as wide as asked, 1000 pixels by default', async () => {
    const path = `/invoices/${pdfInvoice}/document/pages/1`;
    expect(await widthOf(await fetchFile(path))).toBe(1_000);
    for (const width of [1, 333, 2_000]) expect(await widthOf(await fetchFile(`${path}?width=${width}`))).toBe(width);
  });

  test('is not sent again to a caller who has it', async () => {
    const path = `/invoices/${pdfInvoice}/document/pages/1`;
    const head = await fetchFile(path, { method: 'HEAD' });
    const etag = head.headers.get('etag') ?? '';
    expect([head.status, head.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    const known = await fetchFile(path, { headers: { 'if-none-match': etag } });
    expect([known.status, await known.text()]).toEqual([304, '']);
  });

  test.each([
    ['pages/2', 404, 'The document has 1 page.'],
    ['pages/0', 404, 'Page numbers are whole numbers from 1.'],
    ['pages/-1', 404, 'Page numbers are whole numbers from 1.'],
    ['pages/1e9', 404, 'Page numbers are whole numbers from 1.'],
    ['pages/1000000000', 404, 'The document has 1 page.'],
    ['pages/1?width=0', 400, 'from 1 to 2000'],
    ['pages/1?width=2001', 400, 'from 1 to 2000'],
    ['pages/1?width=abc', 400, 'from 1 to 2000'],
    ['view', 404, '/document/pages/1'],
  ])('refuses %s with %i and says what to change', async (path, status, sentence) => {
    const answer = await refused(`/invoices/${pdfInvoice}/document/${path}`);
    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toContain(sentence);
  });

  test('is in the audit trail as reading the document', async () => {
    await fetchFile(`/invoices/${pdfInvoice}/document/pages/1?width=77`);
    await eventually(async () => {
      const { body } = await running.request<{ items: { action: string; target: string }[] }>('GET /audit-events', {
        key: running.tenant.keys.admin,
      });
      expect(body.items).toContainEqual(
        expect.objectContaining({ action: 'document.read', target: `invoice:${pdfInvoice}` }),
      );
    });
  });
});

describe('the words of a page', () => {
  test('have places, and amounts have the form of the invoice fields', async () => {
    const path = { invoiceId: pdfInvoice, page: 1 };
    const { data } = await running.clientOf(key).get('/invoices/{invoiceId}/document/pages/{page}/words', { path });
    expect(data.isTruncated).toBe(false);
    expect(data.words).toContainEqual({
      text: sampleInvoice().truth['number'],
      value: sampleInvoice().truth['number'],
      box: [expect.any(Number), expect.any(Number), expect.any(Number), expect.any(Number)],
    });
    expect(data.words.map(({ value }) => value)).toContain(sampleInvoice().truth['gross']);
  });

  test('are not there for XML, which says where it is shown', async () => {
    const answer = await refused(`/invoices/${xmlInvoice}/document/pages/1/words`);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect(answer.body.error.message).toContain('/document/view');
  });
});

describe('the fields of a document', () => {
  test('have boxes on the pages of a PDF, and paths in XML', async () => {
    const fieldsOf = async (id: string) =>
      (await running.clientOf(key).get('/invoices/{invoiceId}/document/fields', { path: { invoiceId: id } })).data;
    const ofPdf = await fieldsOf(pdfInvoice);
    expect(ofPdf.pages).toEqual([{ page: 1 }]);
    expect(ofPdf.fields['gross_amount']).toMatchObject({ page: 1, box: expect.any(Array), xpath: null });
    const ofXml = await fieldsOf(xmlInvoice);
    expect(ofXml.pages).toEqual([]);
    expect(ofXml.fields['gross_amount']).toMatchObject({ method: 'XML', box: null, xpath: expect.any(String) });
  });
});

describe('the view of an XML invoice', () => {
  test('shows the invoice, with all its contents as text', async () => {
    const response = await fetchFile(`/invoices/${xmlInvoice}/document/view`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none'.*sandbox/);
    const html = await response.text();
    for (const text of [`XSS-1${written}`, `Nordlicht${written}`, `Buyer${written}`, '119.00']) {
      expect(html).toContain(`<bdi>${text}</bdi>`);
    }
    expect(html).not.toMatch(/<(?:script|img)/);
  });

  test('replaces its pages, which say so', async () => {
    const answer = await refused(`/invoices/${xmlInvoice}/document/pages/1`);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect(answer.body.error.message).toContain(`/v1/invoices/${xmlInvoice}/document/view`);
  });
});

test.each(['pages/1', 'pages/1/words', 'view'])('%s of a document is not there for another tenant', async (path) => {
  const { other } = running;
  for (const id of [pdfInvoice, xmlInvoice]) {
    const foreign = await refused(`/invoices/${id}/document/${path}`, other.keys.owner);
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe((await refused(`/invoices/${UNKNOWN_ID}/document/${path}`, other.keys.owner)).text);
  }
});

test('an invoice that was not sent as a document has neither pages nor a view', async () => {
  const { body } = await running.request<AcceptedAnalysis>('POST /invoices', {
    key: running.tenant.keys.owner,
    body: {
      supplier: { name: 'Ashdown Tools Ltd' },
      invoice_number: 'NO-FILE-1',
      issue_date: '2026-03-05',
      currency: 'GBP',
      gross_amount: '72.00',
    },
  });
  for (const path of ['pages/1', 'view']) {
    expect((await refused(`/invoices/${body.id}/document/${path}`)).status).toBe(404);
  }
});

describe('a document that could not be read', () => {
  test('is still shown when it can be drawn', async () => {
    const blank = Buffer.from(
      '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
        '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj\ntrailer<</Root 1 0 R>>\n',
    );
    const invoiceId = await invoiceOf(blank, 'application/pdf');
    expect(await widthOf(await fetchFile(`/invoices/${invoiceId}/document/pages/1?width=50`))).toBe(50);
  });

  test.each([
    ['damaged', 'application/pdf', () => Buffer.from('%PDF-1.7\nnothing of it')],
    ['encrypted', 'application/pdf', () => attackFiles.encrypted()],
    ['of 16,000 by 16,000 pixels', 'image/png', () => hugePng()],
  ])('is refused alike each time when it is %s', async (_, mediaType, make) => {
    const invoiceId = await invoiceOf(make(), mediaType);
    const answers = [1, 2].map(() => refused(`/invoices/${invoiceId}/document/pages/1`));
    for (const { status, body } of await Promise.all(answers)) {
      expect([status, body.error.code]).toEqual([422, 'PROCESSING_FAILED']);
      expect(body.error.message).toMatch(/^[A-Z].{20}/);
    }
    expect(await widthOf(await fetchFile(`/invoices/${pdfInvoice}/document/pages/1`))).toBe(1_000);
  });
});

/** Returns the header of a picture that would need 768 MB of memory, without the picture data. */
function hugePng(): Buffer {
  const header = '49484452' + '00003e80'.repeat(2) + '0802000000' + 'ce1c4889';
  return Buffer.from(`89504e470d0a1a0a0000000d${header}0000000049454e44ae426082`, 'hex');
}
