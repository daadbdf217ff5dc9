import type { Reading } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { InvoiceOrigin } from '@invoicecontrol/engine/facts/invoice';
import { readBankAccount } from '@invoicecontrol/values/bank-account';

/**
 * Returns the fields of a document reading that connect the document with an invoice in KSeF, and the fields by which
 * the two are compared. Old readings lack fields that were added later.
 */
export function originOfDocument(reading: Partial<Reading>): Pick<InvoiceOrigin, 'ksefReference' | 'otherBankKeys'> {
  const { ksefNumber: number, ksefCode: code, otherIbans = [] } = reading;
  const otherBankKeys = otherIbans.map((iban) => readBankAccount({ iban }).key);
  return {
    ...(number === undefined && code === undefined
      ? {}
      : {
          ksefReference: {
            ...(number === undefined ? {} : { number }),
            ...(code === undefined
              ? {}
              : { code: { sellerNip: code.sellerNip, issueDate: code.issueDate, sha256: code.sha256 } }),
          },
        }),
    ...(otherBankKeys.length === 0 ? {} : { otherBankKeys }),
  };
}
