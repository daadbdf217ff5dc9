import type { Analysis, Finding, StoredInvoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { Decision, InvoiceSource } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type {
  ExportedDocument,
  ExportInvoiceResponse,
} from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { ValidationMode } from '@invoicecontrol/contracts/documents/v1/document_service';
import type {
  CorrectedInvoice,
  CorrectedInvoices,
  Document,
  FailedRule,
  InvoiceLine,
  Reading,
  SchemaError,
  Validation,
} from '@invoicecontrol/contracts/documents/v1/document_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT } from '../../http/description/examples.js';
import { pathId, stated } from '../../http/description/fields.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { decision, riskScore, versions } from './analysis-record.js';
import { fieldsByPath } from './document-field.js';
import { finding } from './finding-record.js';
import { exampleInvoice, shownInvoice, source, storedInvoice } from './stored-invoice.js';

const line = shown.record<InvoiceLine>('InvoiceLine')({
  description: shown.textOrNull(
    'Electricity in February',
    'The description of the goods or services on the invoice line, or null if not stated.',
  ),
  quantity: shown.textOrNull('1', 'The quantity on the invoice line as a decimal string, or null if not stated.'),
  unit: shown.textOrNull(
    null,
    'The unit of the quantity on the invoice line as written in the document, or null if not stated.',
  ),
  unitPrice: shown.textOrNull('1000.00', 'The price of one unit without tax, or null if not stated.'),
  netAmount: shown.textOrNull('1000.00', 'The amount of the invoice line without tax, or null if not stated.'),
  taxRate: shown.textOrNull('19', 'The tax rate of the invoice line in percent, or null if not stated.'),
});

const original = shown.record<Document>()({
  documentId: shown.id(EXAMPLE_IDS.upload, 'The id of the document, which is also the id of its upload.'),
  mediaType: shown.text('application/pdf', 'The media type of the document as detected from its bytes.'),
  byteSize: shown.field(z.int().describe('The size of the original document in bytes.'), 48_213),
  sha256: shown.text(
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'The SHA-256 hash of the original document in hexadecimal.',
  ),
  receivedAt: shown.instant(EXAMPLE_INSTANT, 'The time when the document was uploaded.', 'receivedTime'),
});

const correctedInvoice = shown.record<CorrectedInvoice>('CorrectedInvoice')({
  number: shown.text('FV/118/2026', 'The number of the corrected invoice.'),
  issueDate: shown.textOrNull(
    '2026-02-28',
    'The issue date of the corrected invoice, or null if the document does not state it.',
  ),
  ksefNumber: shown.textOrNull(
    null,
    'The number under which KSeF registered the corrected invoice, or null if the document does not state it.',
  ),
});

const corrected = shown.record<CorrectedInvoices>('CorrectedInvoices')({
  invoices: shown.list(correctedInvoice, 'The corrected invoices in the order in which the document lists them.', {
    itemsMax: 1_000,
  }),
  total: shown.field(z.int().describe('The number of invoices that the document corrects.'), 1),
});

const reading = shown.record<Reading>()({
  pages: shown.orNull(z.int(), 1, 'The number of pages of the document, or null for XML.'),
  method: shown.text('TEXT', 'The method by which the document was read: XML, TEXT or OCR.'),
  format: shown.text('PDF', 'The format of the document: UBL, CII, ZUGFERD1, FATTURAPA, FACTURAE, FA3, PDF or IMAGE.'),
  profile: shown.textOrNull(
    null,
    'The code of the invoice profile that the document declares, or null if the document declares none.',
  ),
  kind: shown.text('INVOICE', 'The kind of document: INVOICE, CREDIT_NOTE or CORRECTION.'),
  payableAmount: shown.textOrNull(
    null,
    'The amount to pay, if the document states it in addition to the gross amount, or null if not stated.',
  ),
  embeddedFile: shown.textOrNull(null, 'The name of the XML file embedded in a PDF, or null if there is none.'),
  corrects: shown.made(
    corrected.schema
      .nullable()
      .describe('The invoices that a correction in FA(3) format refers to, or null for every other document.'),
    ({ corrects }: Reading) => (corrects === undefined ? null : corrected.present(corrects)),
    null,
  ),
});

const document = shown.record<ExportedDocument>('ExportedDocument')({
  ...shown.within('document', original),
  ...shown.within('reading', reading),
  fields: fieldsByPath,
});

const schemaError = shown.record<SchemaError>()({
  message: shown.text(
    'The element is not expected here.',
    'The message that explains how the document violates its schema.',
  ),
  location: shown.text('/Invoice', 'The location of the schema error in the document.'),
});

const failedRule = shown.record<FailedRule>()({
  id: shown.text('BR-CO-15', 'The id of the validation rule.'),
  flag: shown.text('FATAL', 'The severity of a broken validation rule: FATAL, WARNING or INFORMATION.'),
  message: shown.text(
    'The gross amount is the net amount and the tax.',
    'The requirement that the validation rule states.',
  ),
  location: shown.text('/Invoice', 'The location in the document where the validation rule is broken.'),
  expected: shown.textOrNull(null, 'The value that an arithmetic validation rule computes, or null for other rules.'),
  actual: shown.textOrNull(
    null,
    'The value that the invoice states instead of the computed value, or null if the rule computes no value.',
  ),
});

const validation = shown.record<Validation>('ExportedValidation')({
  mode: shown.name(
    z
      .enum(['OFF', 'DECLARED_PROFILES', 'ALL'])
      .describe('The reference validation mode that was in effect when the document was validated.'),
    ValidationMode,
    'DECLARED_PROFILES',
  ),
  profile: shown.textOrNull(
    null,
    'The code of the e-invoice profile whose rules were checked, or null if there is none.',
  ),
  ruleSets: shown.field(
    z
      .array(z.string())
      .describe('The sets of e-invoice validation rules that were checked, in the order in which they were checked.'),
    [],
  ),
  schemaErrors: shown.list(schemaError, 'The schema errors of the document.', { example: [] }),
  rules: shown.list(failedRule, 'The validation rules that the document breaks, at most 50.', { example: [] }),
  total: shown.field(z.int().describe('The total number of validation rules that the document breaks.'), 0),
});

const shortFinding = shown.record<Finding>('ExportedFinding')({
  id: finding.fields.id,
  type: shown.text('TAX_ARITHMETIC_MISMATCH', 'The type of the finding.'),
  severity: finding.fields.severity,
  confidence: finding.fields.confidence,
  disposition: finding.fields.disposition,
  summary: finding.fields.summary,
});

const whose = shown.record<StoredInvoice>()({
  invoiceId: storedInvoice.fields.id,
  companyId: storedInvoice.fields.companyId,
  source: shown.name(source, InvoiceSource, 'UPLOAD'),
  ksefNumber: storedInvoice.fields.ksefNumber,
});

const decided = shown.record<Analysis>()({
  exportReady: shown.made(
    z.boolean().describe('Whether the invoice is ready to be paid. True only if the decision is PASS.'),
    (analysis: Analysis) => analysis.decision === Decision.PASS,
    true,
  ),
  decision: shown.name(decision, Decision, 'PASS'),
  riskScore: shown.field(riskScore, 0),
  analysisId: shown.id(EXAMPLE_IDS.analysis, 'The id of the latest analysis of the invoice.'),
  versions: shown.part(versions),
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
    z.array(shortFinding.schema).describe('The findings about the invoice, in a short form.'),
    ({ analysis }: ExportInvoiceResponse) => stated(analysis).findings.map(shortFinding.present),
    [],
  ),
  lines: shown.made(
    z.array(line.schema).describe('The lines of a structured invoice. Empty for other invoices.'),
    (exported: ExportInvoiceResponse) => (exported.document?.reading?.lines ?? []).map(line.present),
    [],
  ),
  document: shown.partOrNull(
    document,
    'The document that the invoice was read from, or null if the invoice did not come from a document.',
  ),
  validation: shown.made(
    validation.schema
      .nullable()
      .describe(
        'The result of validating the document against the rules of its profile, or null if nothing was validated.',
      ),
    (exported: ExportInvoiceResponse) =>
      exported.document?.validation === undefined ? null : validation.present(exported.document.validation),
    null,
  ),
});

export const exportInvoice = route({
  operation: 'exportInvoice',
  method: 'get',
  path: '/invoices/:invoiceId/export',
  summary: 'Export an invoice',
  description:
    'Returns the invoice with its decision, the origin of each field and the hash of the original document. An invoice whose decision is not PASS is refused with 409 unless the request has `include=unready`. The audit trail records who exported the invoice.',
  rpc: 'invoicecontrol.analysis.v1.UploadAnalysisService/ExportInvoice',
  access: { scope: 'invoices:read' },
  params: z.object({ invoiceId: pathId('invoice') }),
  query: z.strictObject({
    format: z
      .enum(['json'])
      .optional()
      .describe('The format of the export. The only format, and the default, is `json`.'),
    include: z
      .enum(['unready'])
      .optional()
      .describe(
        'The invoices that may be exported in addition to invoices with the decision PASS: `unready` allows invoices with another decision.',
      ),
  }),
  responses: { 200: { description: 'The exported invoice with its decision.', schema: exportedInvoice.schema } },
  refusals: [409],
  async handle({ params, query }, { uploadAnalyses }) {
    const exported = await uploadAnalyses.exportInvoice({
      invoiceId: params.invoiceId,
      includeUnready: query.include === 'unready',
    });
    return { status: 200, body: exportedInvoice.present(exported) };
  },
});
