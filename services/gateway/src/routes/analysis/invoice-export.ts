import type { Analysis, Finding, StoredInvoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { Decision, InvoiceSource } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type {
  ExportedDocument,
  ExportInvoiceResponse,
  FieldProvenance,
} from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { ValidationMode } from '@invoicecontrol/contracts/documents/v1/document_service';
import type {
  Document,
  FailedRule,
  InvoiceLine,
  Reading,
  SchemaError,
  Validation,
} from '@invoicecontrol/contracts/documents/v1/document_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, exampleOf } from '../../http/description/examples.js';
import { pathId, shownInstant, stated } from '../../http/description/fields.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { decision, riskScore, versions } from './analysis-record.js';
import { finding } from './finding-record.js';
import { exampleInvoice, shownInvoice, source, storedInvoice } from './stored-invoice.js';

const exportedField = shown.record<FieldProvenance>('ExportedField')({
  value: shown.text('value', '1190.00', 'As the invoice has it.'),
  raw: shown.textOrNull('raw', '1.190,00 €', 'As printed. Null where the document does not have it.'),
  page: shown.orNull(z.int(), 'page', 1, 'From 1. Null for XML.'),
  box: shown.made(
    z.array(z.number()).nullable().describe('Left, top, right, bottom in fractions of the page. Null for XML.'),
    ({ box }: FieldProvenance) => (box.length === 0 ? null : box),
    [0.71, 0.62, 0.82, 0.64],
  ),
  confidence: shown.field(z.number().min(0).max(1).describe('How certain the value is.'), 'confidence', 0.97),
  method: shown.text('method', 'LABEL', 'XML, LABEL, PATTERN, ARITHMETIC, KNOWN_SUPPLIER, REQUEST or USER.'),
  xpath: shown.textOrNull('xpath', null, 'Where in the XML.'),
  correctedBy: shown.optional(z.string(), 'correctedBy', undefined, 'USER: who gave the value.'),
  correctedAt: shown.made(
    shownInstant().optional().describe('USER: when.'),
    ({ correctedTime }: FieldProvenance) => correctedTime?.toISOString(),
    undefined,
  ),
});

const line = shown.record<InvoiceLine>('InvoiceLine')({
  description: shown.textOrNull('description', 'Electricity in February', 'What was supplied.'),
  quantity: shown.textOrNull('quantity', '1', 'How much, in plain decimals.'),
  unit: shown.textOrNull('unit', null, 'The unit of the quantity, as the document has it.'),
  unitPrice: shown.textOrNull('unitPrice', '1000.00', 'The price of one unit without tax.'),
  netAmount: shown.textOrNull('netAmount', '1000.00', 'The amount of the line without tax.'),
  taxRate: shown.textOrNull('taxRate', '19', 'In percent.'),
});

const original = shown.record<Document>()({
  documentId: shown.id('documentId', EXAMPLE_IDS.upload, 'The upload.'),
  mediaType: shown.text('mediaType', 'application/pdf', 'As its bytes say.'),
  byteSize: shown.field(z.int().describe('Of the original.'), 'byteSize', 48_213),
  sha256: shown.text(
    'sha256',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'Of the original, in hexadecimal.',
  ),
  receivedAt: shown.instant('receivedTime', EXAMPLE_INSTANT, 'When it was uploaded.'),
});

const reading = shown.record<Reading>()({
  pages: shown.orNull(z.int(), 'pages', 1, 'Null for XML.'),
  method: shown.text('method', 'TEXT', 'How it was read: XML, TEXT or OCR.'),
  format: shown.text('format', 'PDF', 'UBL, CII, ZUGFERD1, FATTURAPA, FACTURAE, FA3, PDF or IMAGE.'),
  profile: shown.textOrNull('profile', null, 'The profile that it declares.'),
  kind: shown.text('kind', 'INVOICE', 'INVOICE, CREDIT_NOTE or CORRECTION.'),
  payableAmount: shown.textOrNull(
    'payableAmount',
    null,
    'Where it states what is to be paid apart from the gross amount.',
  ),
  embeddedFile: shown.textOrNull('embeddedFile', null, 'The XML inside a PDF.'),
});

const document = shown.record<ExportedDocument>('ExportedDocument')({
  ...shown.within('document', original),
  ...shown.within('reading', reading),
  fields: shown.made(
    z.record(z.string(), exportedField.schema).describe('Where each field of the invoice comes from, by its path.'),
    ({ fields }: ExportedDocument) => Object.fromEntries(fields.map((one) => [one.field, exportedField.present(one)])),
    { gross_amount: exampleOf(exportedField.schema) },
  ),
});

const schemaError = shown.record<SchemaError>()({
  message: shown.text('message', 'The element is not expected here.', 'What is wrong.'),
  location: shown.text('location', '/Invoice', 'Where it is.'),
});

const failedRule = shown.record<FailedRule>()({
  id: shown.text('id', 'BR-CO-15', 'The id of the rule.'),
  flag: shown.text('flag', 'FATAL', 'FATAL, WARNING or INFORMATION.'),
  message: shown.text('message', 'The gross amount is the net amount and the tax.', 'What the rule wants.'),
  location: shown.text('location', '/Invoice', 'Where it is broken.'),
  expected: shown.textOrNull('expected', null, 'What an arithmetic rule computes.'),
  actual: shown.textOrNull('actual', null, 'What the invoice states instead.'),
});

const validation = shown.record<Validation>('ExportedValidation')({
  mode: shown.name(
    z.enum(['OFF', 'DECLARED_PROFILES', 'ALL']).describe('The mode in force.'),
    ValidationMode,
    'mode',
    'DECLARED_PROFILES',
  ),
  profile: shown.textOrNull('profile', null, 'Whose rules ran.'),
  ruleSets: shown.field(z.array(z.string()).describe('What ran, in order.'), 'ruleSets', []),
  schemaErrors: shown.list(schemaError, 'schemaErrors', 'What the schema refuses.', { example: [] }),
  rules: shown.list(failedRule, 'rules', 'The rules that it breaks, at most 50.', { example: [] }),
  total: shown.field(z.int().describe('How many it breaks.'), 'total', 0),
});

const shortFinding = shown.record<Finding>()({
  id: finding.fields.id,
  type: shown.text('type', 'TAX_ARITHMETIC_MISMATCH', 'The finding type.'),
  severity: finding.fields.severity,
  confidence: finding.fields.confidence,
  disposition: finding.fields.disposition,
  summary: finding.fields.summary,
});

const whose = shown.record<StoredInvoice>()({
  invoiceId: storedInvoice.fields.id,
  companyId: storedInvoice.fields.companyId,
  source: shown.name(source, InvoiceSource, 'source', 'UPLOAD'),
});

const decided = shown.record<Analysis>()({
  exportReady: shown.made(
    z.boolean().describe('Whether the decision is PASS.'),
    (analysis: Analysis) => analysis.decision === Decision.PASS,
    true,
  ),
  decision: shown.name(decision, Decision, 'decision', 'PASS'),
  riskScore: shown.field(riskScore, 'riskScore', 0),
  analysisId: shown.id('analysisId', EXAMPLE_IDS.analysis, 'The latest analysis.'),
  versions: shown.part(versions, 'versions'),
});

const exportedInvoice = shown.record<ExportInvoiceResponse>('ExportedInvoice')({
  ...shown.within('invoice', whose),
  ...shown.within('analysis', decided),
  invoice: shown.made(
    shownInvoice,
    ({ invoice }: ExportInvoiceResponse) => storedInvoice.fields.invoice.read(stated(invoice)),
    exampleInvoice,
  ),
  findings: shown.made(
    z.array(shortFinding.schema).describe('What was found, in short.'),
    ({ analysis }: ExportInvoiceResponse) => stated(analysis).findings.map(shortFinding.present),
    [],
  ),
  lines: shown.made(
    z.array(line.schema).describe('The lines of a structured invoice.'),
    (exported: ExportInvoiceResponse) => (exported.document?.reading?.lines ?? []).map(line.present),
    [],
  ),
  document: shown.partOrNull(document, 'document', 'Null for an invoice that was not read from a document.'),
  validation: shown.made(
    validation.schema.nullable().describe('Null where nothing was validated.'),
    (exported: ExportInvoiceResponse) =>
      exported.document?.validation === undefined ? null : validation.present(exported.document.validation),
    null,
  ),
});

export const exportInvoice = route({
  operation: 'exportInvoice',
  method: 'get',
  path: '/invoices/:invoiceId/export',
  summary: 'Export an invoice that may be paid',
  description:
    'The invoice with its decision, where each field comes from, and the hash of the original. An invoice whose decision is not ' +
    'PASS is a conflict, unless `include=unready` asks for it. The audit trail keeps who exported it.',
  rpc: 'invoicecontrol.analysis.v1.UploadAnalysisService/ExportInvoice',
  resourceName: 'invoice',
  access: { scope: 'invoices:read' },
  params: z.object({ invoiceId: pathId('invoice') }),
  query: z.strictObject({
    format: z.enum(['json']).optional().describe('Absent: json.'),
    include: z.enum(['unready']).optional().describe('unready: also an invoice that must not be paid.'),
  }),
  responses: { 200: { description: 'The invoice.', schema: exportedInvoice.schema } },
  refusals: [409],
  async handle({ params, query }, { uploadAnalyses }): Promise<Reply> {
    const exported = await uploadAnalyses.exportInvoice({
      invoiceId: params.invoiceId,
      includeUnready: query.include === 'unready',
    });
    return { status: 200, body: exportedInvoice.present(exported) };
  },
});
