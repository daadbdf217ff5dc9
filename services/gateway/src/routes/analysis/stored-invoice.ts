import { enumName } from '@invoicecontrol/contracts/enum-name';
import { Decision, InvoiceSource, InvoiceStatus } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { ErpOrigin, StoredInvoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { shownInvoiceSchema } from '@invoicecontrol/invoice/schema';
import { fromWire } from '@invoicecontrol/invoice/wire';
import { z } from 'zod';
import * as shown from '../../http/description/shown.js';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { stated } from '../../http/description/fields.js';
import { ksefNumberOf } from '../ksef/ksef-number.js';
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
  connectionId: shown.id(EXAMPLE_IDS.connection, 'The id of the ERP connection that last imported the bill.'),
  externalId: shown.text('103017', 'The id of the bill in the ERP.'),
  erpNumber: shown.textOrNull('103017', 'The number that the ERP assigned to the bill, or null if there is none.'),
  kind: shown.word(
    z
      .enum(['BILL', 'CREDIT_NOTE'])
      .describe('The kind of document in the ERP: BILL or CREDIT_NOTE. Amounts of a credit note are negative.'),
    'BILL',
  ),
  state: shown.word(
    z
      .enum(['DRAFT', 'IN_APPROVAL', 'OPEN', 'PARTIALLY_PAID', 'PAID', 'VOID'])
      .describe('The state of the bill in the ERP. VOID means that the bill was canceled or deleted in the ERP.'),
    'OPEN',
  ),
  linkedInvoiceId: shown.idOrNull(
    null,
    'The id of the invoice that was entered in the ERP as this bill, or null if no such invoice is known.',
  ),
});

export const source = z
  .enum(['API', 'UPLOAD', 'SCAN', 'ERP', 'KSEF'])
  .describe(
    'The source of the invoice: API (sent to POST /v1/invoices), UPLOAD (an uploaded document), SCAN (a row of a scan), ERP (imported from an ERP) or KSEF (received from KSeF).',
  );

export const storedInvoice = shown.record<StoredInvoice>('StoredInvoice')({
  id: shown.id(EXAMPLE_IDS.invoice, 'The id of the invoice.', 'invoiceId'),
  companyId: shown.id(EXAMPLE_IDS.company, 'The id of the company to which the invoice is addressed.'),
  source: shown.name(source, InvoiceSource, 'API'),
  status: shown.name(
    z
      .enum(['RECEIVED', 'ANALYZED', 'FAILED'])
      .describe(
        'The status of the invoice: RECEIVED (no decision yet), ANALYZED (has a decision) or FAILED (no decision could be made).',
      ),
    InvoiceStatus,
    'ANALYZED',
  ),
  invoice: shown.made(
    shownInvoice.describe(
      'The content of the invoice as it was sent, or as it was read from a document. Empty if no invoice could be read from the document.',
    ),
    ({ invoice }: StoredInvoice) => fromWire(stated(invoice)),
    exampleInvoice,
  ),
  decision: shown.made(
    decision
      .nullable()
      .describe(
        'The decision on the invoice: PASS (pay), REVIEW (someone must review the invoice before it is paid) or BLOCK (do not pay). Null if there is no decision.',
      ),
    (stored: StoredInvoice) => (stored.decision === Decision.UNSPECIFIED ? null : enumName(Decision, stored.decision)),
    'REVIEW',
  ),
  riskScore: shown.orNull(
    riskScore,
    58,
    'The risk score of the invoice, from 0 (no risk) to 100 (highest risk), or null if there is no decision.',
  ),
  analysisId: shown.idOrNull(
    EXAMPLE_IDS.analysis,
    'The id of the latest analysis of the invoice, or null if there is none.',
  ),
  documentId: shown.idOrNull(
    null,
    'The id of the document that the invoice was read from, or null if the invoice did not come from a document.',
  ),
  scanId: shown.idOrNull(
    null,
    'The id of the history scan that imported the invoice, or null if the invoice did not come from a history scan.',
  ),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the invoice was received.', 'createdTime'),
  erp: shown.made(
    erpOrigin.schema
      .optional()
      .describe('The ERP bill from which the invoice was imported. Present only if the source of the invoice is ERP.'),
    ({ erp }: StoredInvoice) => (erp === undefined ? undefined : erpOrigin.present(erp)),
    undefined,
  ),
  ksefNumber: shown.made(
    z
      .string()
      .optional()
      .describe(
        'The number under which KSeF registered the invoice. Present only if the source of the invoice is KSEF.',
      ),
    ({ channel }: StoredInvoice) => ksefNumberOf(channel),
    undefined,
  ),
});
