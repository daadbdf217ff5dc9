import { Decision, InvoiceSource, InvoiceStatus } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { readInvoice } from '@invoicecontrol/invoice/read';
import { invoiceSchema } from '@invoicecontrol/invoice/schema';
import { toWire } from '@invoicecontrol/invoice/wire';
import { z } from 'zod';
import { conditional } from '../../http/response/etag.js';
import { examples } from '../../http/description/examples.js';
import { calendarDay, pathId, searchedText, severalOf, stated, uuid, valuesOf } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import { CSV_PAGE, csvResponse, listReply } from '../../http/response/list-reply.js';
import type { Columns } from '../../http/response/list-reply.js';
import { acceptedAnalysis } from './accepted-analysis.js';
import { decision, latestAnalysis } from './analysis-record.js';
import { exampleInvoice, source, storedInvoice } from './stored-invoice.js';

const canonicalInvoice = invoiceSchema.register(examples, { example: exampleInvoice });

const invoiceParams = z.object({ invoiceId: pathId('invoice') });

export const analyzeInvoice = route({
  operation: 'analyzeInvoice',
  method: 'post',
  path: '/invoices',
  summary: 'Analyze an invoice',
  description:
    'Stores the invoice, compares it with the history of the organization and returns the decision in the same response, usually within a second. Findings, the decision and the usage count are stored, and webhooks are notified.',
  rpc: 'invoicecontrol.analysis.v1.InvoiceService/AnalyzeInvoice',
  access: { scope: 'invoices:write' },
  // The timeout of analyzing an invoice is long, because a decision compares the invoice with the whole history of the
  // organization.
  timeoutMs: 10_000,
  body: canonicalInvoice,
  checkBody: readInvoice,
  honoursIdempotencyKey: true,
  responses: {
    202: {
      description: 'The accepted invoice with its decision.',
      schema: acceptedAnalysis.schema,
    },
  },
  refusals: [409],
  async handle({ body, fingerprint, idempotencyKey }, { invoices }) {
    const { analysis, replayed } = await invoices.analyzeInvoice({
      invoice: toWire(body),
      idempotencyKey,
      fingerprint,
    });
    return {
      status: 202,
      body: acceptedAnalysis.present(stated(analysis)),
      ...(replayed ? { headers: { 'Idempotency-Replayed': 'true' } } : {}),
    };
  },
});

/** Statuses of invoices in the list. An upload that failed has no invoice, so the list has none with the status FAILED. */
const storedStatuses = ['RECEIVED', 'ANALYZED'] as const;

const RISK_SCORE = /^(?:100|[1-9]?[0-9])$/;

const minRisk = z
  .string()
  .refine((value) => RISK_SCORE.test(value), 'Must be a whole number from 0 to 100.')
  .meta({
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'Return only invoices with at least this risk score, from 0 to 100.',
  });

export const listInvoices = route({
  operation: 'listInvoices',
  method: 'get',
  path: '/invoices',
  summary: 'List invoices, newest first',
  description: `${CSV_PAGE} Bank accounts are returned only in JSON.`,
  rpc: 'invoicecontrol.analysis.v1.InvoiceService/ListInvoices',
  access: { scope: 'invoices:read' },
  query: pageQuery.extend({
    company_id: uuid().optional().describe('Return only invoices that were billed to the company with this id.'),
    source: severalOf(source.options, 'Each must be API, UPLOAD, SCAN, ERP or KSEF.')
      .optional()
      .describe(
        'Return only invoices from one of these sources, separated by commas. If absent, invoices from all sources except ERP are returned, because bills from an ERP are not decided separately. ERP must be sent alone.',
      ),
    decision: severalOf(decision.options, 'Each must be PASS, REVIEW or BLOCK.')
      .optional()
      .describe('Return only invoices with one of these decisions, separated by commas.'),
    status: severalOf(storedStatuses, 'Each must be RECEIVED or ANALYZED.')
      .optional()
      .describe('Return only invoices with one of these statuses, separated by commas: RECEIVED or ANALYZED.'),
    min_risk: minRisk.optional(),
    issue_from: calendarDay().optional().describe('Return only invoices that were issued on or after this day.'),
    issue_to: calendarDay().optional().describe('Return only invoices that were issued on or before this day.'),
    scan_id: uuid().optional().describe('Return only invoices that the history scan with this id imported.'),
    supplier_id: uuid().optional().describe('Return only invoices from the supplier with this id.'),
    q: searchedText()
      .optional()
      .describe(
        'Return only invoices whose number begins with this string, whose supplier has a name that begins with this string, or whose supplier has this tax id. Punctuation, spaces, case and accents are ignored. At most 100 suppliers may match.',
      ),
  }),
  responses: {
    200: {
      description: 'A page of invoices.',
      schema: pageOf('invoices', storedInvoice.schema),
      ...csvResponse,
    },
  },
  async handle({ query, headers, rawQuery, isHead }, { invoices }) {
    const list = listRequest('listInvoices', query);
    const reply = await invoices.listInvoices({
      ...list.request,
      companyId: query.company_id,
      source: InvoiceSource.UNSPECIFIED,
      decision: Decision.UNSPECIFIED,
      sources: valuesOf<keyof typeof InvoiceSource>(query.source).map((name) => InvoiceSource[name]),
      decisions: valuesOf<keyof typeof Decision>(query.decision).map((name) => Decision[name]),
      statuses: valuesOf<keyof typeof InvoiceStatus>(query.status).map((name) => InvoiceStatus[name]),
      minRiskScore: query.min_risk === undefined ? undefined : Number(query.min_risk),
      issueDateFrom: query.issue_from,
      issueDateTo: query.issue_to,
      scanId: query.scan_id,
      supplierId: query.supplier_id,
      query: query.q?.trim(),
    });
    const page = list.page(reply.invoices.map(storedInvoice.present), reply.nextPageToken);
    return listReply('/invoices', page, invoiceColumns, { headers, rawQuery, isHead });
  },
});

const invoiceColumns: Columns<ReturnType<typeof storedInvoice.present>> = {
  id: ({ id }) => id,
  decision: (item) => item.decision,
  risk_score: ({ riskScore }) => riskScore,
  status: ({ status }) => status,
  source: (item) => item.source,
  supplier_name: ({ invoice }) => invoice.supplier?.name,
  supplier_tax_id: ({ invoice }) => invoice.supplier?.tax_id,
  invoice_number: ({ invoice }) => invoice.invoice_number,
  issue_date: ({ invoice }) => invoice.issue_date,
  due_date: ({ invoice }) => invoice.due_date,
  currency: ({ invoice }) => invoice.currency,
  net_amount: ({ invoice }) => invoice.net_amount,
  tax_amount: ({ invoice }) => invoice.tax_amount,
  gross_amount: ({ invoice }) => invoice.gross_amount,
  purchase_order_ref: ({ invoice }) => invoice.purchase_order_ref,
  company_id: ({ companyId }) => companyId,
  ksef_number: ({ ksefNumber }) => ksefNumber,
  created_at: ({ createdAt }) => createdAt,
};

export const getInvoice = route({
  operation: 'getInvoice',
  method: 'get',
  path: '/invoices/:invoiceId',
  summary: 'Read an invoice',
  rpc: 'invoicecontrol.analysis.v1.InvoiceService/GetInvoice',
  access: { scope: 'invoices:read' },
  params: invoiceParams,
  responses: { 200: { description: 'The invoice that was requested.', schema: storedInvoice.schema } },
  async handle({ params }, { invoices }) {
    const { invoice } = await invoices.getInvoice({ invoiceId: params.invoiceId });
    return { status: 200, body: storedInvoice.present(stated(invoice)) };
  },
});

export const getLatestAnalysis = route({
  operation: 'getLatestAnalysis',
  method: 'get',
  path: '/invoices/:invoiceId/analysis/latest',
  summary: 'Read the latest analysis of an invoice',
  rpc: 'invoicecontrol.analysis.v1.InvoiceService/GetLatestAnalysis',
  access: { scope: 'invoices:read' },
  params: invoiceParams,
  isConditional: true,
  responses: {
    200: {
      description: 'The latest analysis of the invoice.',
      schema: latestAnalysis.schema,
    },
    304: {
      description:
        'The analysis of the invoice has not changed since the response whose ETag is sent as If-None-Match.',
    },
  },
  async handle({ params, ifNoneMatch }, { invoices }) {
    const { invoiceId } = params;
    const { analysis } = await invoices.getLatestAnalysis({ invoiceId });
    return conditional(invoiceId, latestAnalysis.present(stated(analysis)), ifNoneMatch);
  },
});
