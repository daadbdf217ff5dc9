import type { RelatedSupplier, KnownSupplier, SupplierProfile } from '../facts/supplier.js';
import type { Candidate } from '../facts/invoice.js';
import { compareText } from '../facts/record-order.js';
import { isSameName } from './identity.js';
import { likenessOf } from './lookalike.js';

/** Related suppliers of one kind in facts, those with most invoices first. */
const RELATED_MAX = 8;

/** A stored supplier with what it has sent. */
export interface ProfiledSupplier {
  readonly identity: KnownSupplier;
  readonly profile: SupplierProfile;
}

/** Suppliers of exactly the invoice's supplier name, other than the one that the invoice belongs to. */
export function namesakesOf(
  invoice: Candidate,
  supplierId: string,
  known: readonly ProfiledSupplier[],
): RelatedSupplier[] {
  return related(known, (other) => other.supplierId !== supplierId && isSameName(other, invoice));
}

/** Suppliers whose name may be mistaken for that on the invoice. */
export function lookalikesOf(
  invoice: Candidate,
  supplierId: string,
  found: readonly ProfiledSupplier[],
): RelatedSupplier[] {
  return related(found, (other) => other.supplierId !== supplierId && likenessOf(invoice, other) !== undefined);
}

function related(
  suppliers: readonly ProfiledSupplier[],
  isRelated: (other: KnownSupplier) => boolean,
): RelatedSupplier[] {
  return suppliers
    .filter(({ identity, profile }) => profile.count > 0 && isRelated(identity))
    .map(({ identity: { keys: _keys, lookalikeKeys: _lookalikeKeys, ...identity }, profile }) => ({
      ...identity,
      invoices: profile.count,
      ...(profile.firstDay === null ? {} : { firstDay: profile.firstDay }),
    }))
    .sort((left, right) => right.invoices - left.invoices || compareText(left.supplierId, right.supplierId))
    .slice(0, RELATED_MAX);
}
