import { InvoiceSource, InvoiceStatus } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { StoredInvoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { EXAMPLE_IDS } from '../http/description/examples.js';

/**
 * Returns the invoice of the API examples as if it had been read from an uploaded file. Its invoice number is not safe
 * as a file name.
 */
export function uploadedInvoice(): StoredInvoice {
  return {
    invoiceId: EXAMPLE_IDS.invoice,
    companyId: EXAMPLE_IDS.company,
    source: InvoiceSource.UPLOAD,
    status: InvoiceStatus.ANALYZED,
    invoice: wireInvoice({ invoiceNumber: 'FV/1\u202E/2026' }),
    decision: 0,
    riskScore: undefined,
    analysisId: undefined,
    documentId: EXAMPLE_IDS.upload,
    scanId: undefined,
    createdTime: new Date(),
  };
}
