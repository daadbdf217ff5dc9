import { enumName } from '@invoicecontrol/contracts/enum-name';
import { Decision, InvoiceSource, InvoiceStatus } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, StoredInvoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { readInvoice } from '@invoicecontrol/invoice/read';
import { invoiceSchema } from '@invoicecontrol/invoice/schema';
import { fromWire, toWire } from '@invoicecontrol/invoice/wire';
import { z } from 'zod';
import { conditional } from '../../http/etag.js';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples, exampleOf } from '../../http/examples.js';
import { pathId, shownId, shownInstant, showInstant, stated, uuid } from '../../http/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/pagination.js';
import { route } from '../../http/route.js';
import type { Reply } from '../../http/route.js';
import {
  decision,
  exampleVersions,
  latestAnalysis,
  presentAnalysis,
  presentVersions,
  riskScore,
  versions,
} from './analysis-record.js';
import { findingSummary, presentFindingSummary } from './finding-record.js';

const exampleInvoice = {
  supplier: {
    name: 'Nordlicht Energie GmbH',
    tax_id: 'DE994175284',
    bank_account: { iban: 'DE89 3704 0044 0532 0130 00' },
  },
  invoice_number: 'RE-2026-0147',
  issue_date: '2026-03-05',
  due_date: '2026-04-04',
  currency: 'EUR',
  net_amount: '1000.00',
  tax_amount: '190.00',
  gross_amount: '1190.00',
};

const canonicalInvoice = invoiceSchema.register(examples, { example: exampleInvoice });

const source = z.enum(['API', 'UPLOAD', 'SCAN', 'ERP']).describe('How the invoice came in.');
const acceptedAnalysis = z
  .object({
    id: shownId().describe('The id of the invoice.'),
    status: z.literal('ANALYZING').describe('Always ANALYZING, although the decision is already included.'),
    decision,
    risk_score: riskScore,
    findings: z.array(findingSummary).describe('What was found, without what reviews have called false alarms.'),
    versions,
  })
  .meta({ id: 'AcceptedAnalysis' })
  .register(examples, {
    example: {
      id: EXAMPLE_IDS.invoice,
      status: 'ANALYZING',
      decision: 'REVIEW',
      risk_score: 58,
      findings: [exampleOf(findingSummary)],
      versions: exampleVersions,
    },
  });

const storedInvoice = z
  .object({
    id: shownId().describe('The id of the invoice.'),
    companyId: shownId().describe('The company that was billed.'),
    source,
    status: z.enum(['RECEIVED', 'ANALYZED', 'FAILED']).describe('ANALYZED as soon as it has a decision.'),
    invoice: canonicalInvoice,
    decision: decision.nullable(),
    riskScore: riskScore.nullable(),
    analysisId: shownId().nullable().describe('The latest analysis.'),
    documentId: shownId().nullable().describe('The document that it was read from.'),
    scanId: shownId().nullable().describe('The scan that brought it.'),
    createdAt: shownInstant().describe('When it came in.'),
  })
  .meta({ id: 'StoredInvoice' })
  .register(examples, {
    example: {
      id: EXAMPLE_IDS.invoice,
      companyId: EXAMPLE_IDS.company,
      source: 'API',
      status: 'ANALYZED',
      invoice: exampleInvoice,
      decision: 'REVIEW',
      riskScore: 58,
      analysisId: EXAMPLE_IDS.analysis,
      documentId: null,
      scanId: null,
      createdAt: EXAMPLE_INSTANT,
    },
  });

const invoiceParams = z.object({ invoiceId: pathId('invoice') });

export const analyzeInvoice = route({
  operation: 'analyzeInvoice',
  method: 'post',
  path: '/invoices',
  summary: 'Analyze an invoice',
  rpc: 'invoicecontrol.analysis.v1.InvoiceService/AnalyzeInvoice',
  access: { scope: 'invoices:write' },
  // A decision over the whole history of an organization.
  timeoutMs: 10_000,
  body: canonicalInvoice,
  checkBody: readInvoice,
  honoursIdempotencyKey: true,
  responses: {
    202: {
      description: 'Accepted and decided.',
      schema: acceptedAnalysis,
    },
  },
  refusals: [409],
  async handle({ body, fingerprint, idempotencyKey, principal }, { invoices }): Promise<Reply> {
    const { analysis, replayed } = await invoices.analyzeInvoice({
      invoice: toWire(body),
      idempotencyKey,
      fingerprint,
      analysesPerMonthLimit: principal.limits?.analysesPerMonth,
    });
    return {
      status: 202,
      body: presentAccepted(stated(analysis)),
      ...(replayed ? { headers: { 'Idempotency-Replayed': 'true' } } : {}),
    };
  },
});

export const listInvoices = route({
  operation: 'listInvoices',
  method: 'get',
  path: '/invoices',
  summary: 'List invoices, newest first',
  rpc: 'invoicecontrol.analysis.v1.InvoiceService/ListInvoices',
  access: { scope: 'invoices:read' },
  query: pageQuery.extend({
    company_id: uuid().optional().describe('Only invoices for this company.'),
    source: source.optional().describe('Absent: all but ERP, whose bills have no decision of their own.'),
    decision: decision.optional(),
  }),
  responses: { 200: { description: 'A page of invoices.', schema: pageOf(storedInvoice) } },
  async handle({ query }, { invoices }): Promise<Reply> {
    const list = listRequest('listInvoices', query);
    const reply = await invoices.listInvoices({
      ...list.request,
      companyId: query.company_id?.toLowerCase(),
      source: query.source === undefined ? InvoiceSource.UNSPECIFIED : InvoiceSource[query.source],
      decision: query.decision === undefined ? Decision.UNSPECIFIED : Decision[query.decision],
    });
    return { status: 200, body: list.page(reply.invoices.map(presentInvoice), reply.nextPageToken) };
  },
});

export const getInvoice = route({
  operation: 'getInvoice',
  method: 'get',
  path: '/invoices/:invoiceId',
  summary: 'Read an invoice',
  rpc: 'invoicecontrol.analysis.v1.InvoiceService/GetInvoice',
  resourceName: 'invoice',
  access: { scope: 'invoices:read' },
  params: invoiceParams,
  responses: { 200: { description: 'The invoice.', schema: storedInvoice } },
  async handle({ params }, { invoices }): Promise<Reply> {
    const { invoice } = await invoices.getInvoice({ invoiceId: params.invoiceId.toLowerCase() });
    return { status: 200, body: presentInvoice(stated(invoice)) };
  },
});

export const getLatestAnalysis = route({
  operation: 'getLatestAnalysis',
  method: 'get',
  path: '/invoices/:invoiceId/analysis/latest',
  summary: 'Read the latest analysis of an invoice',
  rpc: 'invoicecontrol.analysis.v1.InvoiceService/GetLatestAnalysis',
  resourceName: 'invoice',
  access: { scope: 'invoices:read' },
  params: invoiceParams,
  isConditional: true,
  responses: {
    200: {
      description: 'The latest analysis.',
      schema: latestAnalysis,
    },
    304: { description: 'The caller has this answer already (If-None-Match).' },
  },
  async handle({ params, ifNoneMatch }, { invoices }): Promise<Reply> {
    const invoiceId = params.invoiceId.toLowerCase();
    const { analysis } = await invoices.getLatestAnalysis({ invoiceId });
    return conditional(invoiceId, presentAnalysis(stated(analysis)), ifNoneMatch);
  },
});

/** Findings that were reviewed as false alarms do not count; only the latest analysis shows them. */
function presentAccepted(analysis: Analysis): z.infer<typeof acceptedAnalysis> {
  return {
    id: analysis.invoiceId,
    status: 'ANALYZING',
    decision: enumName(Decision, analysis.decision),
    risk_score: analysis.riskScore,
    findings: analysis.findings
      .filter(({ disposition }) => disposition !== 'FALSE_POSITIVE')
      .map((finding) => presentFindingSummary(finding)),
    versions: presentVersions(stated(analysis.versions)),
  };
}

function presentInvoice(stored: StoredInvoice): z.infer<typeof storedInvoice> {
  return {
    id: stored.invoiceId,
    companyId: stored.companyId,
    source: enumName(InvoiceSource, stored.source),
    status: enumName(InvoiceStatus, stored.status),
    invoice: fromWire(stated(stored.invoice)),
    decision: stored.decision === Decision.UNSPECIFIED ? null : enumName(Decision, stored.decision),
    riskScore: stored.riskScore ?? null,
    analysisId: stored.analysisId ?? null,
    documentId: stored.documentId ?? null,
    scanId: stored.scanId ?? null,
    createdAt: showInstant(stored.createdTime),
  };
}
