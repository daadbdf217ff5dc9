import type { RelatedSupplier, KnownSupplier, SupplierProfile } from '../facts/supplier.js';
import type { Candidate } from '../facts/invoice.js';
import { compareSuppliers } from '../facts/record-order.js';
import { isSameName } from './identity.js';
import { likenessToSupplier } from './lookalike.js';
import { isKnownAccount, undoubtedInvoices } from './profile.js';

/** Maximum number of related suppliers of one kind in the facts. Suppliers with the most invoices are kept. */
const RELATED_MAX = 8;

/** A stored supplier and the profile built from its invoices. */
export interface ProfiledSupplier {
  readonly identity: KnownSupplier;
  readonly profile: SupplierProfile;
}

/** Lists other suppliers with exactly the name of the invoice's supplier. */
export function namesakesOf(
  invoice: Candidate,
  supplierId: string,
  known: readonly ProfiledSupplier[],
): RelatedSupplier[] {
  return related(
    invoice,
    known,
    (other) =>
      other.supplierId !== supplierId &&
      (isSameName(other, invoice) || other.otherNames?.includes(invoice.nameKey) === true),
  );
}

/** Lists suppliers whose name may be mistaken for the name on the invoice. */
export function lookalikesOf(
  invoice: Candidate,
  supplierId: string,
  found: readonly ProfiledSupplier[],
): RelatedSupplier[] {
  return related(
    invoice,
    found,
    (other) => other.supplierId !== supplierId && likenessToSupplier(invoice, other) !== undefined,
  );
}

/**
 * Compares suppliers by their number of invoices, highest first. If the numbers are equal, the supplier that billed
 * first precedes the other.
 */
export function compareRelated(left: RelatedSupplier, right: RelatedSupplier): number {
  return (
    right.invoices - left.invoices ||
    (left.firstDay ?? Infinity) - (right.firstDay ?? Infinity) ||
    compareSuppliers(left, right)
  );
}

function related(
  { bankKey }: Candidate,
  suppliers: readonly ProfiledSupplier[],
  isRelated: (other: RelatedSupplier) => boolean,
): RelatedSupplier[] {
  return suppliers
    .filter(({ profile }) => profile.count > 0)
    .map(({ identity, profile }) => ({
      ...publicIdentity(identity, profile),
      invoices: undoubtedInvoices(profile),
      ...(profile.doubted === undefined ? {} : { doubtedInvoices: profile.doubted.count }),
      ...(bankKey === undefined ? {} : { knowsAccount: isKnownAccount(profile, bankKey) }),
      ...(profile.firstDay === null ? {} : { firstDay: profile.firstDay }),
    }))
    .filter(isRelated)
    .sort(compareRelated)
    .slice(0, RELATED_MAX);
}

function publicIdentity(identity: KnownSupplier, { names }: SupplierProfile) {
  const { keys: _keys, lookalikeKeys: _lookalikeKeys, lookalikeKeysVersion: _version, ...shown } = identity;
  const otherNames = names.filter((name) => name !== identity.nameKey);
  return otherNames.length === 0 ? shown : { ...shown, otherNames };
}
