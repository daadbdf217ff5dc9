import { enumName } from '@invoicecontrol/contracts/enum-name';
import type { Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { ExportedDocument, FieldProvenance } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { ValidationMode } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { InvoiceLine, Validation } from '@invoicecontrol/contracts/documents/v1/document_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { pathId, shownId, shownInstant, showInstant, stated } from '../../http/description/fields.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { decision, exampleVersions, presentVersions, riskScore, versions } from './analysis-record.js';
import { disposition, severity } from './finding-record.js';
import { exampleInvoice, presentDecision, presentInvoice, shownInvoice, source } from './stored-invoice.js';

const field = z
  .object({
    value: z.string().describe('As the invoice has it.'),
    raw: z.string().nullable().describe('As printed. Null where the document does not have it.'),
    page: z.int().nullable().describe('From 1. Null for XML.'),
    box: z.array(z.number()).nullable().describe('Left, top, right, bottom in fractions of the page. Null for XML.'),
    confidence: z.number().min(0).max(1).describe('How certain the value is.'),
    method: z.string().describe('XML, LABEL, PATTERN, ARITHMETIC, KNOWN_SUPPLIER, REQUEST or USER.'),
    xpath: z.string().nullable().describe('Where in the XML.'),
    correctedBy: z.string().optional().describe('USER: who gave the value.'),
    correctedAt: shownInstant().optional().describe('USER: when.'),
  })
  .meta({ id: 'ExportedField' });

const line = z
  .object({
    description: z.string().nullable().describe('What was supplied.'),
    quantity: z.string().nullable().describe('How much, in plain decimals.'),
    unit: z.string().nullable().describe('The unit of the quantity, as the document has it.'),
    unitPrice: z.string().nullable().describe('The price of one unit without tax.'),
    netAmount: z.string().nullable().describe('The amount of the line without tax.'),
    taxRate: z.string().nullable().describe('In percent.'),
  })
  .meta({ id: 'InvoiceLine' });

const document = z
  .object({
    documentId: shownId().describe('The upload.'),
    mediaType: z.string().describe('As its bytes say.'),
    byteSize: z.int().describe('Of the original.'),
    sha256: z.string().describe('Of the original, in hexadecimal.'),
    receivedAt: shownInstant().describe('When it was uploaded.'),
    pages: z.int().nullable().describe('Null for XML.'),
    method: z.string().describe('How it was read: XML, TEXT or OCR.'),
    format: z.string().describe('UBL, CII, ZUGFERD1, FATTURAPA, FACTURAE, FA3, PDF or IMAGE.'),
    profile: z.string().nullable().describe('The profile that it declares.'),
    kind: z.string().describe('INVOICE, CREDIT_NOTE or CORRECTION.'),
    payableAmount: z.string().nullable().describe('Where it states what is to be paid apart from the gross amount.'),
    embeddedFile: z.string().nullable().describe('The XML inside a PDF.'),
    fields: z.record(z.string(), field).describe('Where each field of the invoice comes from, by its path.'),
  })
  .meta({ id: 'ExportedDocument' });

const validation = z
  .object({
    mode: z.enum(['OFF', 'DECLARED_PROFILES', 'ALL']).describe('The mode in force.'),
    profile: z.string().nullable().describe('Whose rules ran.'),
    ruleSets: z.array(z.string()).describe('What ran, in order.'),
    schemaErrors: z
      .array(
        z.object({
          message: z.string().describe('What is wrong.'),
          location: z.string().describe('Where it is.'),
        }),
      )
      .describe('What the schema refuses.'),
    rules: z
      .array(
        z.object({
          id: z.string().describe('The id of the rule.'),
          flag: z.string().describe('FATAL, WARNING or INFORMATION.'),
          message: z.string().describe('What the rule wants.'),
          location: z.string().describe('Where it is broken.'),
          expected: z.string().nullable().describe('What an arithmetic rule computes.'),
          actual: z.string().nullable().describe('What the invoice states instead.'),
        }),
      )
      .describe('The rules that it breaks, at most 50.'),
    total: z.int().describe('How many it breaks.'),
  })
  .meta({ id: 'ExportedValidation' });

const exportedInvoice = z
  .object({
    invoiceId: shownId().describe('The id of the invoice.'),
    companyId: shownId().describe('The company that was billed.'),
    source,
    exportReady: z.boolean().describe('Whether the decision is PASS.'),
    decision,
    riskScore,
    analysisId: shownId().describe('The latest analysis.'),
    versions,
    invoice: shownInvoice,
    findings: z
      .array(
        z.object({
          id: shownId().describe('The id of the finding.'),
          type: z.string().describe('The finding type.'),
          severity,
          confidence: z.number().min(0).max(1).describe('How certain it is.'),
          disposition,
          summary: z.string().describe('What was found, in a sentence.'),
        }),
      )
      .describe('What was found, in short.'),
    lines: z.array(line).describe('The lines of a structured invoice.'),
    document: document.nullable().describe('Null for an invoice that was not read from a document.'),
    validation: validation.nullable().describe('Null where nothing was validated.'),
  })
  .meta({ id: 'ExportedInvoice' })
  .register(examples, {
    example: {
      invoiceId: EXAMPLE_IDS.invoice,
      companyId: EXAMPLE_IDS.company,
      source: 'UPLOAD',
      exportReady: true,
      decision: 'PASS',
      riskScore: 0,
      analysisId: EXAMPLE_IDS.analysis,
      versions: exampleVersions,
      invoice: exampleInvoice,
      findings: [],
      lines: [],
      document: {
        documentId: EXAMPLE_IDS.upload,
        mediaType: 'application/pdf',
        byteSize: 48_213,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        receivedAt: EXAMPLE_INSTANT,
        pages: 1,
        method: 'TEXT',
        format: 'PDF',
        profile: null,
        kind: 'INVOICE',
        payableAmount: null,
        embeddedFile: null,
        fields: {
          gross_amount: {
            value: '1190.00',
            raw: '1.190,00 €',
            page: 1,
            box: [0.71, 0.62, 0.82, 0.64],
            confidence: 0.97,
            method: 'LABEL',
            xpath: null,
          },
        },
      },
      validation: null,
    },
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
  responses: { 200: { description: 'The invoice.', schema: exportedInvoice } },
  refusals: [409],
  async handle({ params, query }, { uploadAnalyses }): Promise<Reply> {
    const exported = await uploadAnalyses.exportInvoice({
      invoiceId: params.invoiceId,
      includeUnready: query.include === 'unready',
    });
    const { id, companyId, source: from, invoice } = presentInvoice(stated(exported.invoice));
    const analysis = stated(exported.analysis);
    const decided = presentDecision(analysis.decision);
    const read = exported.document;
    const shown: z.infer<typeof exportedInvoice> = {
      invoiceId: id,
      companyId,
      source: from,
      exportReady: decided === 'PASS',
      decision: decided,
      riskScore: analysis.riskScore,
      analysisId: analysis.analysisId,
      versions: presentVersions(stated(analysis.versions)),
      invoice,
      findings: analysis.findings.map(presentShort),
      lines: (read?.reading?.lines ?? []).map(presentLine),
      document: read === undefined ? null : presentDocument(read),
      validation: read?.validation === undefined ? null : presentValidation(read.validation),
    };
    return { status: 200, body: shown };
  },
});

function presentShort(finding: Finding): z.infer<typeof exportedInvoice>['findings'][number] {
  return {
    id: finding.findingId,
    type: finding.type,
    severity: enumName(Severity, finding.severity),
    confidence: finding.confidencePercent / 100,
    disposition: disposition.parse(finding.disposition),
    summary: finding.summary,
  };
}

function presentDocument(exported: ExportedDocument): z.infer<typeof document> {
  const stored = stated(exported.document);
  const reading = stated(exported.reading);
  return {
    documentId: stored.documentId,
    mediaType: stored.mediaType,
    byteSize: stored.byteSize,
    sha256: stored.sha256,
    receivedAt: showInstant(stored.receivedTime),
    pages: reading.pages ?? null,
    method: reading.method,
    format: reading.format,
    profile: reading.profile ?? null,
    kind: reading.kind,
    payableAmount: reading.payableAmount ?? null,
    embeddedFile: reading.embeddedFile ?? null,
    fields: Object.fromEntries(exported.fields.map((one) => [one.field, presentField(one)])),
  };
}

function presentField(read: FieldProvenance): z.infer<typeof field> {
  return {
    value: read.value,
    raw: read.raw ?? null,
    page: read.page ?? null,
    box: read.box.length === 0 ? null : read.box,
    confidence: read.confidence,
    method: read.method,
    xpath: read.xpath ?? null,
    ...(read.correctedBy === undefined ? {} : { correctedBy: read.correctedBy }),
    ...(read.correctedTime === undefined ? {} : { correctedAt: showInstant(read.correctedTime) }),
  };
}

function presentLine(stored: InvoiceLine): z.infer<typeof line> {
  return {
    description: stored.description ?? null,
    quantity: stored.quantity ?? null,
    unit: stored.unit ?? null,
    unitPrice: stored.unitPrice ?? null,
    netAmount: stored.netAmount ?? null,
    taxRate: stored.taxRate ?? null,
  };
}

function presentValidation({ mode, profile, ...result }: Validation): z.infer<typeof validation> {
  return {
    mode: enumName(ValidationMode, mode),
    profile: profile ?? null,
    ruleSets: result.ruleSets,
    schemaErrors: result.schemaErrors,
    rules: result.rules.map((rule) => ({ ...rule, expected: rule.expected ?? null, actual: rule.actual ?? null })),
    total: result.total,
  };
}
