import { notFound } from '@invoicecontrol/errors';
import { fromWire } from '@invoicecontrol/invoice/wire';
import { z } from 'zod';
import { documentReply } from '../../http/response/document-reply.js';
import { pathId, stated } from '../../http/description/fields.js';
import { inlineAs, safeFileName } from '../../http/response/file-name.js';
import { route } from '../../http/description/route.js';

/** Timeout in milliseconds for downloading a document, long enough for a slow reader of the largest document. */
const READ_TIMEOUT_MS = 120_000;

/** Media types of documents that the documents service detects. */
const documentTypes = [
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/tiff',
  'image/webp',
  'application/xml',
  'application/pkcs7-mime',
];

export const getInvoiceDocument = route({
  operation: 'getInvoiceDocument',
  method: 'get',
  path: '/invoices/:invoiceId/document',
  summary: 'Download the document of an invoice',
  description:
    'Returns the bytes of the document as they were uploaded, or as they were received from KSeF. Ranges (`Range`, `If-Range`), conditions (`If-Match`, `If-None-Match`) and HEAD work as HTTP defines them. An invoice that was not received as a file has no document.',
  rpc: 'invoicecontrol.analysis.v1.InvoiceService/GetInvoice',
  alsoAsks: [
    'invoicecontrol.documents.v1.DocumentService/DescribeDocument',
    'invoicecontrol.documents.v1.DocumentService/ReadDocument',
  ],
  access: { minimumRole: 'ANALYST', scope: 'documents:read' },
  ratePolicy: 'documents',
  timeoutMs: READ_TIMEOUT_MS,
  params: z.object({ invoiceId: pathId('invoice') }),
  isConditional: true,
  responses: {
    200: {
      description: 'The whole document as it was uploaded.',
      mediaTypes: documentTypes,
      headers: ['Accept-Ranges', 'Content-Disposition'],
    },
    206: {
      description:
        'The bytes of the document that the header Range requests. Several ranges are returned as `multipart/byteranges`.',
      mediaTypes: [...documentTypes, 'multipart/byteranges'],
      headers: ['Accept-Ranges', 'Content-Disposition', 'Content-Range'],
    },
    304: { description: 'The document has not changed since the response whose ETag is sent as If-None-Match.' },
  },
  refusals: [412, 416],
  async handle({ params, headers, isHead }, { invoices, documents }) {
    const { invoiceId } = params;
    const stored = stated((await invoices.getInvoice({ invoiceId })).invoice);
    const { documentId: uploadId } = stored;
    if (uploadId === undefined) throw notFound('invoice');
    const document = stated((await documents.describeDocument({ uploadId })).document);
    const { invoice_number: number = '' } = stored.invoice === undefined ? {} : fromWire(stored.invoice);
    const fileName = safeFileName(number, document.mediaType, `invoice-${invoiceId}`);
    return documentReply(
      {
        mediaType: document.mediaType,
        byteSize: document.byteSize,
        sha256: document.sha256,
        receivedAt: stated(document.receivedTime),
        disposition: inlineAs(fileName),
        async *read(range) {
          const read = { uploadId, firstByte: range?.first, lastByte: range?.last, invoiceId };
          for await (const { content } of documents.readDocument(read)) yield content;
        },
      },
      { headers, isHead },
    );
  },
});
