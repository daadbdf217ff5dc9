import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import { normaliseInvoice } from '@invoicecontrol/engine/normalisation/normalise-invoice';
import type { InvoiceRecord } from './invoice-store.js';

/** Returns the invoice of a stored record, normalised in the same way as on its arrival. */
export function renormalise({ invoiceId, companyId, source, invoice, match }: InvoiceRecord): NormalisedInvoice {
  const { receivedAtMs, scanId, rowNo, position, externalId, documentSha256, ksefReference, otherBankKeys } = match;
  return normaliseInvoice(invoice, {
    invoiceId,
    companyId,
    source,
    receivedAtMs,
    ...(scanId === undefined ? {} : { scanId }),
    ...(rowNo === undefined ? {} : { rowNo }),
    ...(position === undefined ? {} : { position }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(documentSha256 === undefined ? {} : { documentSha256 }),
    ...(ksefReference === undefined ? {} : { ksefReference }),
    ...(otherBankKeys === undefined ? {} : { otherBankKeys }),
  });
}
