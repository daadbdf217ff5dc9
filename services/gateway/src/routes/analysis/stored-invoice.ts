import { enumName } from '@invoicecontrol/contracts/enum-name';
import { Decision, InvoiceSource, InvoiceStatus } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { ErpOrigin, StoredInvoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { shownInvoiceSchema } from '@invoicecontrol/invoice/schema';
import { fromWire } from '@invoicecontrol/invoice/wire';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { shownId, shownInstant, showInstant, stated } from '../../http/description/fields.js';
import { decision, riskScore } from './analysis-record.js';

export const exampleInvoice = {
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

export const shownInvoice = shownInvoiceSchema.register(examples, { example: exampleInvoice });

const erpOrigin = z
  .object({
    connectionId: shownId().describe('The connection that brought it last.'),
    externalId: z.string().describe('Its id in the ERP.'),
    erpNumber: z.string().nullable().describe('The number that the ERP gave it.'),
    kind: z.enum(['BILL', 'CREDIT_NOTE']).describe('What it is in the ERP. Amounts of a credit note are negative.'),
    state: z
      .enum(['DRAFT', 'IN_APPROVAL', 'OPEN', 'PARTIALLY_PAID', 'PAID', 'VOID'])
      .describe('How far it is in the ERP. VOID: canceled or deleted there.'),
    linkedInvoiceId: shownId().nullable().describe('The invoice that was entered in the ERP as this bill.'),
  })
  .meta({ id: 'ErpOrigin' });

export const source = z.enum(['API', 'UPLOAD', 'SCAN', 'ERP']).describe('How the invoice came in.');
export const storedInvoice = z
  .object({
    id: shownId().describe('The id of the invoice.'),
    companyId: shownId().describe('The company that was billed.'),
    source,
    status: z.enum(['RECEIVED', 'ANALYZED', 'FAILED']).describe('ANALYZED as soon as it has a decision.'),
    invoice: shownInvoice.describe('As it was sent or read. Empty where no invoice could be read from a document.'),
    decision: decision.nullable(),
    riskScore: riskScore.nullable(),
    analysisId: shownId().nullable().describe('The latest analysis.'),
    documentId: shownId().nullable().describe('The document that it was read from.'),
    scanId: shownId().nullable().describe('The scan that brought it.'),
    createdAt: shownInstant().describe('When it came in.'),
    erp: erpOrigin.optional().describe('Of bills with source ERP: where they come from.'),
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

export function presentDecision(value: Decision): z.infer<typeof decision> {
  return enumName(Decision, value);
}

export function presentInvoice(stored: StoredInvoice): z.infer<typeof storedInvoice> {
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
    ...(stored.erp === undefined ? {} : { erp: presentOrigin(stored.erp) }),
  };
}

function presentOrigin(origin: ErpOrigin): z.infer<typeof erpOrigin> {
  const { kind, state } = erpOrigin.shape;
  return {
    connectionId: origin.connectionId,
    externalId: origin.externalId,
    erpNumber: origin.erpNumber ?? null,
    kind: kind.parse(origin.kind),
    state: state.parse(origin.state),
    linkedInvoiceId: origin.linkedInvoiceId ?? null,
  };
}
