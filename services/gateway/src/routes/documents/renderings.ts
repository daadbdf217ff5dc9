import type { PagePicture, Rendering } from '@invoicecontrol/contracts/documents/v1/document_service';
import { notFound } from '@invoicecontrol/errors';
import { fromWire } from '@invoicecontrol/invoice/wire';
import { z } from 'zod';
import type { TenantClients } from '../../clients.js';
import { CACHE_CONTROL, isKnown } from '../../http/response/etag.js';
import { examples } from '../../http/description/examples.js';
import { pathId, stated } from '../../http/description/fields.js';
import { inlineAs, safeFileName } from '../../http/response/file-name.js';
import { HttpRefusal } from '../../http/response/refusal.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';

/** Timeout in milliseconds for a rendering, which waits for a free process and may be attempted twice. */
const RENDER_TIMEOUT_MS = 60_000;

const PAGE_WIDTH_MAX = 2_000;
const PAGE_WIDTH_DEFAULT = 1_000;
const WIDTH = /^[1-9][0-9]{0,3}$/;
const PAGE = /^[1-9][0-9]*$/;
/** The largest page number of a document that a gRPC message can contain. No document has so many pages. */
const PAGE_MAX = 2_147_483_647;

/** Properties that all routes that render a document share. */
const ofRendering = {
  rpc: 'invoicecontrol.analysis.v1.InvoiceService/GetInvoice',
  alsoAsks: [
    'invoicecontrol.documents.v1.DocumentService/DescribeRendering',
    'invoicecontrol.documents.v1.DocumentService/ReadRendering',
  ],
  access: { minimumRole: 'ANALYST', scope: 'documents:read' },
  ratePolicy: 'documents',
  timeoutMs: RENDER_TIMEOUT_MS,
} as const;
/**
 * Content security policy for pictures of document pages. The content of a document may not run or load anything in any
 * viewer.
 */
const PICTURE_POLICY = "sandbox; default-src 'none'";
/**
 * Content security policy for the HTML views of invoices. Each view has its own style sheet, and the policy allows it
 * by its digest.
 */
const VIEW_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

const pageParams = z.object({
  invoiceId: pathId('invoice'),
  // The schema of the page number accepts any string, because only the documents service knows how many pages a
  // document has.
  page: z.string().meta({
    type: 'integer',
    minimum: 1,
    description: 'The number of the document page, counted from 1.',
    param: { example: 1 },
  }),
});

export const getInvoiceDocumentPage = route({
  operation: 'getInvoiceDocumentPage',
  method: 'get',
  path: '/invoices/:invoiceId/document/pages/:page',
  summary: 'Render a page of the document of an invoice',
  description:
    'Returns one page of a PDF or an image as a PNG picture, at most as wide as requested. The picture is narrower if a very long page would have more than 8 million pixels, or if the original image is narrower. XML has no pages; `/document/view` shows an XML invoice.',
  ...ofRendering,
  params: pageParams,
  query: z.strictObject({
    width: z
      .string()
      .refine(
        (value) => WIDTH.test(value) && Number(value) <= PAGE_WIDTH_MAX,
        `Must be a whole number of pixels from 1 to ${PAGE_WIDTH_MAX}.`,
      )
      .meta({
        type: 'integer',
        minimum: 1,
        maximum: PAGE_WIDTH_MAX,
        default: PAGE_WIDTH_DEFAULT,
        description: 'The maximum width of the page picture in pixels.',
      })
      .optional(),
  }),
  isConditional: true,
  responses: {
    200: {
      description: 'The picture of the page of the document.',
      mediaTypes: ['image/png'],
      headers: ['Content-Disposition'],
    },
    304: {
      description: 'The picture of the page has not changed since the response whose ETag is sent as If-None-Match.',
    },
  },
  refusals: [422],
  async handle({ params, query, ifNoneMatch, isHead }, clients) {
    const { uploadId, invoiceId, name } = await uploadedDocument(params.invoiceId, clients);
    const number = pageNumber(params.page);
    const page: PagePicture = { number, width: Number(query.width ?? PAGE_WIDTH_DEFAULT) };
    const { rendering, pages = 0 } = await clients.documents.describeRendering({
      uploadId,
      page,
      wordsOfPage: undefined,
    });
    if (rendering === undefined) throw absent(withoutPage(pages, invoiceId));
    const stem = name === '' ? `invoice-${invoiceId}` : name;
    const fileName = safeFileName(`${stem}-${number}`, rendering.mediaType, `invoice-${number}`);
    return reply(
      { rendering, resource: 'page', fileName, policy: PICTURE_POLICY, contentType: rendering.mediaType },
      { ifNoneMatch, isHead },
      () => clients.documents.readRendering({ uploadId, page, invoiceId, wordsOfPage: undefined }),
    );
  },
});

/** Number of words that the documents service returns at most. */
const WORDS_MAX = 3_000;

const pageWords = z
  .object({
    words: z
      .array(
        z.object({
          text: z
            .string()
            .describe(
              'The word as it is printed. A date, an amount, a bank account or a tax id is one word, even with blanks in it.',
            ),
          value: z
            .string()
            .describe('The word in the form of the invoice fields, such as `1190.00` for a printed `1.190,00`.'),
          box: z
            .array(z.number())
            .describe(
              'The position of the word on the document page: left, top, right and bottom as fractions of the page size.',
            ),
        }),
      )
      .max(WORDS_MAX)
      .describe('The words of the document page, in the order in which they are read.'),
    isTruncated: z
      .boolean()
      .describe(`Whether further words are left out, because the document page has more than ${WORDS_MAX} words.`),
  })
  .meta({ id: 'DocumentPageWords' })
  .register(examples, {
    example: { words: [{ text: '1.190,00', value: '1190.00', box: [0.71, 0.62, 0.82, 0.64] }], isTruncated: false },
  });

export const getInvoiceDocumentPageWords = route({
  operation: 'getInvoiceDocumentPageWords',
  method: 'get',
  path: '/invoices/:invoiceId/document/pages/:page/words',
  summary: 'Read the words on a page of the document of an invoice',
  description:
    'Returns the words of a page with their positions, also for a document in which no invoice was found, so that a person can choose the words that fill missing fields. The text of a scanned page is recognized, which takes seconds for the first request. XML has no pages.',
  ...ofRendering,
  params: pageParams,
  responses: { 200: { description: 'The words of the page of the document.', schema: pageWords } },
  refusals: [422],
  async handle({ params }, clients) {
    const { uploadId, invoiceId } = await uploadedDocument(params.invoiceId, clients);
    const asked = { uploadId, page: undefined, wordsOfPage: pageNumber(params.page) };
    const { rendering, pages = 0 } = await clients.documents.describeRendering(asked);
    if (rendering === undefined) throw absent(withoutPage(pages, invoiceId));
    const pieces: Uint8Array[] = [];
    for await (const piece of contentOf(clients.documents.readRendering({ ...asked, invoiceId }))) pieces.push(piece);
    return { status: 200, body: pageWords.parse(JSON.parse(Buffer.concat(pieces).toString())) };
  },
});

export const viewInvoiceDocument = route({
  operation: 'viewInvoiceDocument',
  method: 'get',
  path: '/invoices/:invoiceId/document/view',
  summary: 'Render an XML invoice as an HTML page',
  description:
    'Returns the canonical content of an XML invoice, or of the XML embedded in a PDF, with its lines and totals, as an HTML page without scripts for reading and printing. A document without XML has no HTML page; `/document/pages/1` shows its first page.',
  ...ofRendering,
  params: z.object({ invoiceId: pathId('invoice') }),
  isConditional: true,
  responses: {
    200: { description: 'The HTML page of the invoice.', mediaTypes: ['text/html'], headers: ['Content-Disposition'] },
    304: {
      description:
        'The HTML page of the invoice has not changed since the response whose ETag is sent as If-None-Match.',
    },
  },
  refusals: [422],
  async handle({ params, ifNoneMatch, isHead }, clients) {
    const { uploadId, invoiceId, name } = await uploadedDocument(params.invoiceId, clients);
    const view = { page: undefined, wordsOfPage: undefined };
    const { rendering } = await clients.documents.describeRendering({ uploadId, ...view });
    if (rendering === undefined) {
      throw absent(
        `The document contains no XML. GET /v1/invoices/${invoiceId}/document/pages/1 shows its first page.`,
      );
    }
    const fileName = safeFileName(name, rendering.mediaType, `invoice-${invoiceId}`);
    return reply(
      {
        rendering,
        resource: 'view',
        fileName,
        policy: VIEW_POLICY,
        contentType: `${rendering.mediaType}; charset=utf-8`,
      },
      { ifNoneMatch, isHead },
      () => clients.documents.readRendering({ uploadId, ...view, invoiceId }),
    );
  },
});

interface Shown {
  readonly rendering: Rendering;
  /** First part of the ETag of a document page. It identifies the rendering. */
  readonly resource: string;
  readonly fileName: string;
  readonly policy: string;
  readonly contentType: string;
}

/** Returns the upload of an invoice that was received as a file, and the invoice number if there is one. */
async function uploadedDocument(
  invoiceId: string,
  { invoices }: TenantClients,
): Promise<{ readonly uploadId: string; readonly invoiceId: string; readonly name: string }> {
  const { documentId: uploadId, invoice } = stated((await invoices.getInvoice({ invoiceId })).invoice);
  if (uploadId === undefined) throw notFound('invoice');
  const { invoice_number: name = '' } = invoice === undefined ? {} : fromWire(invoice);
  return { uploadId, invoiceId, name };
}

/** Reads the number of a document page from a path. */
function pageNumber(text: string): number {
  if (!PAGE.test(text)) throw absent('Page numbers are whole numbers from 1.');
  return Math.min(Number(text), PAGE_MAX);
}

/**
 * Sends the rendering of a document. The caller may cache it but must revalidate it each time, so that a caller who
 * loses the right to read the document can no longer see it.
 */
function reply(
  { rendering: { sha256, byteSize }, resource, fileName, policy, contentType }: Shown,
  { ifNoneMatch, isHead }: { readonly ifNoneMatch: string | undefined; readonly isHead: boolean },
  read: () => AsyncIterable<{ readonly content: Uint8Array }>,
): Reply {
  const etag = `"${resource}-${sha256}"`;
  const known = { ETag: etag, 'Cache-Control': CACHE_CONTROL, 'Content-Security-Policy': policy };
  if (isKnown(etag, ifNoneMatch)) return { status: 304, headers: known };
  const headers = {
    ...known,
    'Content-Type': contentType,
    'Content-Length': String(byteSize),
    'Content-Disposition': inlineAs(fileName),
  };
  return isHead ? { status: 200, headers } : { status: 200, headers, content: contentOf(read()) };
}

async function* contentOf(messages: AsyncIterable<{ readonly content: Uint8Array }>): AsyncIterable<Uint8Array> {
  for await (const { content } of messages) yield content;
}

/**
 * Returns the refusal for a document page that does not exist.
 * @param sentence tells a caller who may read the invoice which pages or which view exist
 */
function absent(sentence: string): HttpRefusal {
  return new HttpRefusal(404, `The page does not exist. ${sentence}`, {}, 'NOT_FOUND');
}

function withoutPage(pages: number, invoiceId: string): string {
  if (pages === 0) return `An XML invoice has no pages. GET /v1/invoices/${invoiceId}/document/view shows the invoice.`;
  return pages === 1 ? 'The document has 1 page.' : `The document has ${pages} pages.`;
}
