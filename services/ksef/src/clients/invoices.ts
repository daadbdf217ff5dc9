import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { InvoiceServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import { notFound } from '@invoicecontrol/errors';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { Invoices } from '../application/submissions/stores.js';

const GET_INVOICE_MS_MAX = 5_000;

/** Reads invoices and their decisions from the analysis service. */
export function invoicesOfAnalysis(channel: Channel): Invoices {
  const analysis = client(InvoiceServiceDefinition, channel);
  return {
    async find(organizationId, invoiceId, context) {
      const { invoice } = await analysis.getInvoice(
        { organizationId, invoiceId },
        { context, timeoutMs: GET_INVOICE_MS_MAX },
      );
      if (invoice === undefined) throw notFound('invoice');
      const { companyId, documentId, decision } = invoice;
      return { companyId, documentId, isPass: decision === Decision.PASS };
    },
  };
}
