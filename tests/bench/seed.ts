import { InvoiceServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import { invoiceAt } from './invoices.js';
import { toWire } from './wire-invoice.js';

const IN_FLIGHT = 48;
const TIMEOUT_MS = 60_000;

/**
 * Fills an organization by the way of every invoice, AnalyzeInvoice, so that what is stored is what the product
 * stores. Leaves out HTTP, keys and limits, which leave nothing behind.
 */
export async function seed(
  analysisAddress: string,
  organizationId: string,
  count: number,
  onProgress: (done: number) => void = () => {},
): Promise<void> {
  const channel = openChannel(analysisAddress);
  const invoices = client(InvoiceServiceDefinition, channel);
  const context = { requestId: 'bench-seed', actor: { type: 'SYSTEM', id: 'bench' } } as const;
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      await invoices.analyzeInvoice(
        {
          organizationId,
          invoice: toWire(invoiceAt(index, count)),
          idempotencyKey: '',
          fingerprint: '',
          analysesPerMonthLimit: undefined,
        },
        { context, timeoutMs: TIMEOUT_MS },
      );
      if (index % 1_000 === 0) onProgress(index);
    }
  };
  try {
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  } finally {
    channel.close();
  }
}
