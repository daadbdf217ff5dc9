import { enumName } from '@invoicecontrol/contracts/enum-name';
import { Decision, InvoiceSource, InvoiceStatus } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Invoice, StoredInvoice, Supplier } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { sameAccount } from '@invoicecontrol/values/bank-account';
import { z } from 'zod';
import { conditional } from '../../http/etag.js';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples, exampleOf } from '../../http/examples.js';
import {
  amount,
  calendarDate,
  currencyCode,
  NAME_LENGTH_MAX,
  pathId,
  shownId,
  shownInstant,
  showInstant,
  stated,
  text,
  ukAccountNumber,
  ukSortCode,
  uuid,
} from '../../http/fields.js';
import { page, pageOf, pageQuery, pageRequest } from '../../http/pagination.js';
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
import { currencyOfItsDay } from '../invoice-currency.js';

const bankAccount = z
  .strictObject({
    iban: text().optional().describe('An IBAN, blanks allowed. One that is not valid raises BANK_ACCOUNT_INVALID.'),
    sort_code: ukSortCode().optional().describe('A UK sort code, with account_number.'),
    account_number: ukAccountNumber().optional().describe('A UK account number, with sort_code.'),
  })
  .superRefine(({ iban, sort_code, account_number }, context) => {
    const half = 'sort_code and account_number are given together.';
    if (sort_code !== undefined && account_number === undefined) {
      context.addIssue({ code: 'custom', path: ['account_number'], message: `Required: ${half}` });
    } else if (sort_code === undefined && account_number !== undefined) {
      context.addIssue({ code: 'custom', path: ['sort_code'], message: `Required: ${half}` });
    } else if (sort_code !== undefined && account_number !== undefined) {
      if (iban !== undefined && !sameAccount({ iban }, { sortCode: sort_code, accountNumber: account_number })) {
        context.addIssue({
          code: 'custom',
          message: 'The iban is another account than sort_code and account_number. Send one of them.',
        });
      }
    } else if (iban === undefined) {
      context.addIssue({
        code: 'custom',
        message: 'Must have an iban, or sort_code and account_number. Leave bank_account out when it is unknown.',
      });
    }
  })
  .meta({
    description: 'An IBAN, or sort_code with account_number. Both only when they are the same account.',
    minProperties: 1,
    dependentRequired: { sort_code: ['account_number'], account_number: ['sort_code'] },
  });

const exampleInvoice = {
  supplier: {
    name: 'Nordlicht Energie GmbH',
    tax_id: 'DE136695976',
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

/** The canonical invoice (specification 2.2). */
const canonicalInvoice = z
  .strictObject({
    supplier: z
      .strictObject({
        name: text(NAME_LENGTH_MAX).describe('The name on the invoice.'),
        tax_id: text().optional().describe('The tax id on the invoice.'),
        bank_account: bankAccount.optional(),
      })
      .describe('Who sent it and wants to be paid.'),
    invoice_number: text().describe('The number that the supplier gave it.'),
    issue_date: calendarDate().describe('The date on the invoice.'),
    due_date: calendarDate().optional().describe('Until when it is to be paid.'),
    currency: currencyCode(),
    net_amount: amount().optional().describe('The amount without tax.'),
    tax_amount: amount().optional().describe('The tax.'),
    gross_amount: amount().describe('What is to be paid, tax included. Negative for a credit note.'),
    purchase_order_ref: text().optional().describe('The order that it belongs to.'),
    buyer: z
      .strictObject({
        name: text(NAME_LENGTH_MAX).optional().describe('The name on the invoice.'),
        tax_id: text().optional().describe('Names the company with this VAT id, where company_id is absent.'),
      })
      .optional()
      .describe('Whom it is addressed to.'),
    company_id: uuid()
      .optional()
      .describe('The company of the organization that was billed. Absent: see buyer.tax_id.'),
  })
  .superRefine(...currencyOfItsDay('issue_date'))
  .meta({ id: 'Invoice', description: 'An invoice as it is sent, whatever it came from.' })
  .register(examples, { example: exampleInvoice });

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
      invoice: toInvoice(body),
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
    const reply = await invoices.listInvoices({
      ...pageRequest(query),
      companyId: query.company_id?.toLowerCase(),
      source: query.source === undefined ? InvoiceSource.UNSPECIFIED : InvoiceSource[query.source],
      decision: query.decision === undefined ? Decision.UNSPECIFIED : Decision[query.decision],
    });
    return { status: 200, body: page(reply.invoices.map(presentInvoice), reply.nextPageToken) };
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

/** The checked body as the analysis service takes it: free text trimmed, the currency in upper case. */
function toInvoice(body: z.infer<typeof canonicalInvoice>): Invoice {
  const { supplier, buyer } = body;
  return {
    supplier: toSupplier(supplier),
    invoiceNumber: body.invoice_number.trim(),
    issueDate: body.issue_date,
    dueDate: body.due_date,
    currency: body.currency.toUpperCase(),
    netAmount: body.net_amount,
    taxAmount: body.tax_amount,
    grossAmount: body.gross_amount,
    purchaseOrderRef: body.purchase_order_ref?.trim(),
    buyer: buyer === undefined ? undefined : { name: buyer.name?.trim(), taxId: buyer.tax_id?.trim() },
    companyId: body.company_id?.toLowerCase(),
  };
}

function toSupplier(supplier: z.infer<typeof canonicalInvoice>['supplier']): Supplier {
  const account = supplier.bank_account;
  return {
    name: supplier.name.trim(),
    taxId: supplier.tax_id?.trim(),
    bankAccount:
      account === undefined
        ? undefined
        : { iban: account.iban?.trim(), sortCode: account.sort_code?.trim(), accountNumber: account.account_number },
  };
}

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
    invoice: presentCanonical(stated(stored.invoice)),
    decision: stored.decision === Decision.UNSPECIFIED ? null : enumName(Decision, stored.decision),
    riskScore: stored.riskScore ?? null,
    analysisId: stored.analysisId ?? null,
    documentId: stored.documentId ?? null,
    scanId: stored.scanId ?? null,
    createdAt: showInstant(stored.createdTime),
  };
}

/** The canonical invoice as it was sent, without fields that were absent. */
function presentCanonical(invoice: Invoice): z.infer<typeof canonicalInvoice> {
  const { buyer } = invoice;
  return {
    supplier: presentSupplier(stated(invoice.supplier)),
    invoice_number: invoice.invoiceNumber,
    issue_date: invoice.issueDate,
    due_date: invoice.dueDate,
    currency: invoice.currency,
    net_amount: invoice.netAmount,
    tax_amount: invoice.taxAmount,
    gross_amount: invoice.grossAmount,
    purchase_order_ref: invoice.purchaseOrderRef,
    buyer: buyer === undefined ? undefined : { name: buyer.name, tax_id: buyer.taxId },
    company_id: invoice.companyId,
  };
}

function presentSupplier({
  name,
  taxId,
  bankAccount: account,
}: Supplier): z.infer<typeof canonicalInvoice>['supplier'] {
  return {
    name,
    tax_id: taxId,
    bank_account:
      account === undefined
        ? undefined
        : { iban: account.iban, sort_code: account.sortCode, account_number: account.accountNumber },
  };
}
