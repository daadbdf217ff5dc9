import { recordsById } from '@invoicecontrol/retention/archive-pages';
import type { SealedField } from '@invoicecontrol/secretbox/sealed-field';
import type { Collection } from 'mongodb';
import { contactOf } from './verifications.js';
import type { VerificationDocument } from './verifications.js';

/**
 * Returns a function that reads the verifications of suppliers' bank accounts, with their contacts, for the data export
 * of an organization.
 */
export function archivedVerifications(collection: Collection<VerificationDocument>, secrets: SealedField) {
  return recordsById(collection, (document) => ({
    id: document._id,
    supplierId: document.supplierId,
    accountId: document.accountId,
    account: document.account.masked,
    firstSeen: document.account.firstSeen,
    firstInvoiceNumber: document.account.firstInvoiceNumber,
    method: document.method,
    contactSource: document.contactSource,
    contact: contactOf(document, secrets),
    note: document.note,
    verifiedBy: document.verifiedBy,
    createdAt: document.createdAt,
    confirmedBy: document.confirmedBy ?? null,
    confirmedAt: document.confirmedAt ?? null,
  }));
}
