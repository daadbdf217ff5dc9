import type { Collection, UpdateFilter, WithId } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import type { SealedField } from '@invoicecontrol/secretbox/sealed-field';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { VerificationStore } from '../application/verification-store.js';
import type { Verification } from '../domain/verification.js';

export const ACCOUNT_VERIFICATIONS = 'account_verifications';
/** Maximum number of account verifications that are read for the suppliers of one page. */
const VERIFICATIONS_MAX = 5_000;

/**
 * A stored verification of a bank account. Each verification has its own database document, so that its audit event is
 * stored in the same write.
 */
export interface VerificationDocument
  extends Aggregate, Omit<Verification, 'verificationId' | 'organizationId' | 'version' | 'contact' | 'confirmation'> {
  readonly contact: SealedValue;
  readonly confirmedBy?: string;
  readonly confirmedAt?: Date;
}

export async function createVerificationIndexes(collection: Collection<VerificationDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1, supplierId: 1, createdAt: -1, _id: -1 }, name: 'of_supplier' },
    { key: { organizationId: 1, createdAt: 1, supplierId: 1 }, name: 'verified' },
    { key: { organizationId: 1, confirmedAt: 1, supplierId: 1 }, name: 'confirmed' },
    { key: { organizationId: 1, _id: 1 }, name: 'of_organization' },
    { key: { 'contact.keyId': 1 }, name: 'sealing_key' },
  ]);
}

/** Decrypts the contact of a stored verification of a bank account. */
export function contactOf(
  { _id: id, organizationId, contact }: WithId<VerificationDocument>,
  secrets: SealedField,
): string {
  return secrets.open({ id, organizationId }, contact);
}

export function verificationStore(
  collection: Collection<VerificationDocument>,
  { outbox, clock, secrets }: { outbox: Outbox; clock: Clock; secrets: SealedField },
): VerificationStore {
  const aggregates = aggregateStore(collection, outbox, clock);
  const toVerification = (document: WithId<VerificationDocument>): Verification => {
    const { _id: verificationId, organizationId, version, confirmedBy, confirmedAt } = document;
    const isConfirmed = confirmedBy !== undefined && confirmedAt !== undefined;
    return {
      verificationId,
      organizationId,
      version,
      supplierId: document.supplierId,
      accountId: document.accountId,
      account: document.account,
      method: document.method,
      contactSource: document.contactSource,
      contact: contactOf(document, secrets),
      note: document.note,
      verifiedBy: document.verifiedBy,
      createdAt: document.createdAt,
      confirmation: isConfirmed ? { by: confirmedBy, at: confirmedAt } : undefined,
    };
  };
  const verifiedIn = async (match: Readonly<Record<string, unknown>>, limit: number): Promise<readonly string[]> => {
    const found = await collection
      .aggregate<{ _id: string }>([
        { $match: match },
        { $group: { _id: '$supplierId' } },
        { $sort: { _id: 1 } },
        { $limit: limit },
      ])
      .toArray();
    return found.map(({ _id }) => _id);
  };
  return {
    async insert({ verificationId: id, version: _version, contact, confirmation: _none, ...own }, events) {
      const { organizationId } = own;
      await aggregates.insert({ _id: id, ...own, contact: secrets.seal({ id, organizationId }, contact) }, { events });
    },
    async find(organizationId, verificationId) {
      const document = await collection.findOne({ _id: verificationId, organizationId });
      return document === null ? undefined : toVerification(document);
    },
    async save({ verificationId: id, organizationId, version, confirmation }, events) {
      const $set = { confirmedBy: confirmation?.by, confirmedAt: confirmation?.at };
      const change = { $set } as unknown as UpdateFilter<VerificationDocument>;
      return toVerification(await aggregates.save({ id, organizationId, version }, change as never, { events }));
    },
    async ofSuppliers(organizationId, supplierIds) {
      if (supplierIds.length === 0) return [];
      const documents = await collection
        .find({ organizationId, supplierId: { $in: [...supplierIds] } })
        .sort({ createdAt: -1, _id: -1 })
        .limit(VERIFICATIONS_MAX)
        .toArray();
      return documents.map(toVerification);
    },
    async suppliersVerified(organizationId, { from, to }, afterId, limit) {
      const within = { $gte: from, $lt: to };
      const own = { organizationId, supplierId: { $gt: afterId } };
      const [verified, confirmed] = await Promise.all([
        verifiedIn({ ...own, createdAt: within }, limit),
        verifiedIn({ ...own, confirmedAt: within }, limit),
      ]);
      return [...new Set([...verified, ...confirmed])].sort().slice(0, limit);
    },
  };
}
