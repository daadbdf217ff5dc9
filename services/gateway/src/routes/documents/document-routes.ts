import type { Resource } from '../../http/description/route.js';
import { getInvoiceDocumentFields } from './document-fields.js';
import { getInvoiceDocument } from './documents.js';
import { getInvoiceDocumentPage, getInvoiceDocumentPageWords, viewInvoiceDocument } from './renderings.js';
import { getUploadStatus, listUploads, receiveUpload, reserveUpload } from './uploads.js';

/** Routes that call the documents service. */
export const documentResources: readonly Resource[] = [
  {
    tag: 'uploads',
    description: 'Send invoices as files: reserve an upload, PUT the bytes, then request the analysis.',
    routes: [reserveUpload, listUploads, receiveUpload, getUploadStatus],
  },
  {
    tag: 'documents',
    description:
      'The documents that invoices were read from, as the original files, as rendered pages and field by field.',
    routes: [
      getInvoiceDocument,
      getInvoiceDocumentFields,
      getInvoiceDocumentPage,
      getInvoiceDocumentPageWords,
      viewInvoiceDocument,
    ],
  },
];
