import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { verifyKeyRing } from '@invoicecontrol/secretbox/canaries';
import { canaryStore } from '@invoicecontrol/secretbox/canary-store';
import type { SealingKeyDocument } from '@invoicecontrol/secretbox/canary-store';
import type { KeyRing } from '@invoicecontrol/secretbox/key-ring';
import { sealedDocuments } from '@invoicecontrol/secretbox/sealed-documents';
import { sealedField } from '@invoicecontrol/secretbox/sealed-field';
import { reportSealedRecords, rewrapJob } from '@invoicecontrol/secretbox/sealed-records';
import { secretbox } from '@invoicecontrol/secretbox/secretbox';
import type { Foundation } from '../foundation.js';
import type { Records } from '../records/compose.js';
import { listAccountChanges } from './application/list-account-changes.js';
import { supplierReader } from './application/read-suppliers.js';
import { confirmAccount, verifyAccount } from './application/verify-account.js';
import { contactSearch } from './clients/contact-search.js';
import { archivedVerifications } from './storage/archived-verifications.js';
import { createSupplierNameIndex, supplierRecords } from './storage/supplier-records.js';
import { ACCOUNT_VERIFICATIONS, createVerificationIndexes, verificationStore } from './storage/verifications.js';
import type { VerificationDocument } from './storage/verifications.js';
import { supplierService } from './transport/grpc/suppliers.js';

/** Creates the use cases that show suppliers with their bank accounts and record how people verified the accounts. */
export async function composeSuppliers(
  { db, outbox, clock, logger, audit, onStop }: Foundation,
  { records, documentsChannel, ring }: { records: Records; documentsChannel: Channel; ring: KeyRing },
) {
  const collection = db.collection<VerificationDocument>(ACCOUNT_VERIFICATIONS);
  await Promise.all([createVerificationIndexes(collection), createSupplierNameIndex(records.collections.suppliers)]);
  const secrets = sealedField(secretbox(ring), ACCOUNT_VERIFICATIONS, 'contact');
  const sealed = sealedDocuments(collection, { contact: secrets });
  const canaries = canaryStore(db.collection<SealingKeyDocument>('sealing_keys'), sealed.keyIds);
  await verifyKeyRing(ring, canaries);
  onStop('metrics of sealing keys', reportSealedRecords('account_verifications', sealed, ring));

  const verifications = verificationStore(collection, { outbox, clock, secrets });
  const own = supplierRecords({ ...records.collections, bankLinks: records.bankLinks });
  const reader = supplierReader({ suppliers: records.suppliers, records: own, verifications });
  const verifying = { reader, records: own, verifications, contacts: contactSearch(documentsChannel), clock };
  return {
    collection,
    archived: archivedVerifications(collection, secrets),
    rpcGroups: [
      supplierService({
        reader,
        verify: verifyAccount(verifying),
        confirm: confirmAccount(verifying),
        listChanges: listAccountChanges({ records: own, verifications, audit }),
      }),
    ],
    jobs: [rewrapJob({ name: 'verifications', records: [sealed], ring, canaries, logger })],
  };
}
