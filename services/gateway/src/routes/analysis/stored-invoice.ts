import { enumName } from '@invoicecontrol/contracts/enum-name';
import { Decision, InvoiceSource, InvoiceStatus } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { ErpOrigin, StoredInvoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { shownInvoiceSchema } from '@invoicecontrol/invoice/schema';
import { fromWire } from '@invoicecontrol/invoice/wire';
import { z } from 'zod';
import * as shown from '../../http/description/shown.js';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { stated } from '../../http/description/fields.js';
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

const erpOrigin = shown.record<ErpOrigin>('ErpOrigin')({
  connectionId: shown.id('connectionId', EXAMPLE_IDS.connection, 'The connection that brought it last.'),
  externalId: shown.text('externalId', '103017', 'Its id in the ERP.'),
  erpNumber: shown.textOrNull('erpNumber', '103017', 'The number that the ERP gave it.'),
  kind: shown.word(
    z.enum(['BILL', 'CREDIT_NOTE']).describe('What it is in the ERP. Amounts of a credit note are negative.'),
    'kind',
    'BILL',
  ),
  state: shown.word(
    z
      .enum(['DRAFT', 'IN_APPROVAL', 'OPEN', 'PARTIALLY_PAID', 'PAID', 'VOID'])
      .describe('How far it is in the ERP. VOID: canceled or deleted there.'),
    'state',
    'OPEN',
  ),
  linkedInvoiceId: shown.idOrNull('linkedInvoiceId', null, 'The invoice that was entered in the ERP as this bill.'),
});

export const source = z.enum(['API', 'UPLOAD', 'SCAN', 'ERP']).describe('How the invoice came in.');

export const storedInvoice = shown.record<StoredInvoice>('StoredInvoice')({
  id: shown.id('invoiceId', EXAMPLE_IDS.invoice, 'The id of the invoice.'),
  companyId: shown.id('companyId', EXAMPLE_IDS.company, 'The company that was billed.'),
  source: shown.name(source, InvoiceSource, 'source', 'API'),
  status: shown.name(
    z.enum(['RECEIVED', 'ANALYZED', 'FAILED']).describe('ANALYZED as soon as it has a decision.'),
    InvoiceStatus,
    'status',
    'ANALYZED',
  ),
  invoice: shown.made(
    shownInvoice.describe('As it was sent or read. Empty where no invoice could be read from a document.'),
    ({ invoice }: StoredInvoice) => fromWire(stated(invoice)),
    exampleInvoice,
  ),
  decision: shown.made(
    decision.nullable(),
    (stored: StoredInvoice) => (stored.decision === Decision.UNSPECIFIED ? null : enumName(Decision, stored.decision)),
    'REVIEW',
  ),
  riskScore: shown.orNull(riskScore, 'riskScore', 58),
  analysisId: shown.idOrNull('analysisId', EXAMPLE_IDS.analysis, 'The latest analysis.'),
  documentId: shown.idOrNull('documentId', null, 'The document that it was read from.'),
  scanId: shown.idOrNull('scanId', null, 'The scan that brought it.'),
  createdAt: shown.instant('createdTime', EXAMPLE_INSTANT, 'When it came in.'),
  erp: shown.made(
    erpOrigin.schema.optional().describe('Of bills with source ERP: where they come from.'),
    ({ erp }: StoredInvoice) => (erp === undefined ? undefined : erpOrigin.present(erp)),
    undefined,
  ),
});
