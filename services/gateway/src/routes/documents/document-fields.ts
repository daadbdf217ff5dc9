import type { GetDocumentFieldsResponse } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { z } from 'zod';
import { pathId } from '../../http/description/fields.js';
import { route } from '../../http/description/route.js';
import * as shown from '../../http/description/shown.js';
import { fieldsByPath } from '../analysis/document-field.js';

/** Maximum number of pages that are listed. The documents service refuses documents that state more. */
const PAGES_MAX = 10_000;

const documentPage = z.object({
  page: z.int().min(1).describe('The number of the document page, counted from 1.'),
});

const documentFields = shown.record<GetDocumentFieldsResponse>('DocumentFields')({
  pages: shown.made(
    z
      .array(documentPage)
      .max(PAGES_MAX)
      .describe('The pages of the document. Empty for XML, and for a document that could not be read.'),
    ({ pages }: GetDocumentFieldsResponse) =>
      Array.from({ length: Math.min(pages, PAGES_MAX) }, (_, index) => ({ page: index + 1 })),
    [{ page: 1 }],
  ),
  fields: fieldsByPath,
});

export const getInvoiceDocumentFields = route({
  operation: 'getInvoiceDocumentFields',
  method: 'get',
  path: '/invoices/:invoiceId/document/fields',
  summary: 'Read where the fields of an invoice are in its document',
  description:
    'Returns the fields that were read from the document, even if the document lacks required fields. The audit trail records who read the document, at most once an hour for each caller. Unlike the export, the response needs no decision.',
  rpc: 'invoicecontrol.analysis.v1.UploadAnalysisService/GetDocumentFields',
  access: { minimumRole: 'ANALYST', scope: 'documents:read' },
  params: z.object({ invoiceId: pathId('invoice') }),
  responses: {
    200: {
      description: 'The fields that were read from the document, with their positions.',
      schema: documentFields.schema,
    },
  },
  async handle({ params }, { uploadAnalyses }) {
    const reply = await uploadAnalyses.getDocumentFields({ invoiceId: params.invoiceId });
    return { status: 200, body: documentFields.present(reply) };
  },
});
