import type { Resource } from '../../http/description/route.js';
import { getInvoiceDocument } from './documents.js';
import { getInvoiceDocumentPage, viewInvoiceDocument } from './renderings.js';
import { getUploadStatus, receiveUpload, reserveUpload } from './uploads.js';

/** What the documents service answers. */
export const documentResources: readonly Resource[] = [
  {
    tag: 'uploads',
    description: 'Send an invoice as a file: reserve an upload, PUT the bytes, then have it analyzed.',
    routes: [reserveUpload, receiveUpload, getUploadStatus],
  },
  {
    tag: 'documents',
    description: 'The files that invoices were read from, as they were uploaded and as pages to look at.',
    routes: [getInvoiceDocument, getInvoiceDocumentPage, viewInvoiceDocument],
  },
];
