import type { NormalisedInvoice } from '../facts/invoice.js';
import { earnsTrust, withEarning } from '../facts/links.js';
import type { LateTaxId, SupplierProfile } from '../facts/supplier.js';
import { isEstablished, isLongHistory } from './established-use.js';

const LATE_TAX_IDS_MAX = 8;

/**
 * Checks whether a tax id identifies the supplier. A tax id that was first stated after invoices without a tax id (a
 * late tax id) identifies the supplier only after a person accepted it or long use confirmed it, because a forger needs
 * to know only the name of the supplier.
 */
export function isOwnTaxId(
  profile: Pick<SupplierProfile, 'count' | 'lateTaxIds' | 'taxIdCount'>,
  taxKey: string,
): boolean {
  const { count, lateTaxIds, taxIdCount } = profile;
  if (lateTaxIds === undefined) return count === 0 || taxIdCount > 0;
  const late = lateTaxIds.find((use) => use.taxKey === taxKey);
  if (late === undefined) return false;
  const { accepted, earning, onlyScanId } = late;
  return (
    accepted === true ||
    (earning !== undefined && isEstablished(earning)) ||
    (onlyScanId !== undefined && isLongHistory(late))
  );
}

/**
 * Returns the late tax ids of a supplier (those first stated after invoices without a tax id) after one more invoice.
 * `profile` is the supplier profile before the invoice.
 */
export function lateTaxIdsAfter(
  { count, taxIdCount, lateTaxIds }: SupplierProfile,
  invoice: NormalisedInvoice,
): Pick<SupplierProfile, 'lateTaxIds'> {
  const { taxKey } = invoice;
  const isLate = lateTaxIds !== undefined || (count > 0 && taxIdCount === 0);
  if (taxKey === undefined || !isLate) return lateTaxIds === undefined ? {} : { lateTaxIds };
  const known = lateTaxIds ?? [];
  const before = known.find((use) => use.taxKey === taxKey);
  const after = withUse(before, taxKey, invoice);
  if (before !== undefined) return { lateTaxIds: known.map((use) => (use === before ? after : use)) };
  // If a supplier has too many tax ids, the earliest are kept, so that invented tax ids cannot displace them.
  return { lateTaxIds: known.length < LATE_TAX_IDS_MAX ? [...known, after] : known };
}

function withUse(before: LateTaxId | undefined, taxKey: string, invoice: NormalisedInvoice): LateTaxId {
  const { issueDay, scanId, invoiceNumber } = invoice;
  // Rows of a history scan do not earn trust for a tax id if an earlier row of the same scan raised a finding about the
  // tax id.
  const isEarning = earnsTrust(invoice) && !(scanId !== undefined && before?.asked !== undefined);
  const { onlyScanId, ...rest } = before ?? { taxKey, count: 0, firstInvoiceNumber: invoiceNumber };
  const isOnlyScan = scanId !== undefined && (before === undefined || onlyScanId === scanId);
  return {
    ...rest,
    ...(isEarning
      ? { earning: withEarning(before?.earning, invoice) }
      : { asked: withEarning(before?.asked, invoice) }),
    ...(isOnlyScan ? { onlyScanId: scanId } : {}),
    count: rest.count + 1,
    firstDay: Math.min(before?.firstDay ?? issueDay, issueDay),
    lastDay: Math.max(before?.lastDay ?? issueDay, issueDay),
  };
}

/**
 * Returns the late tax ids of a supplier after one counted invoice was removed. Counting one invoice too few is safer
 * than counting one too many.
 */
export function lateTaxIdsWithout(
  { lateTaxIds }: SupplierProfile,
  { taxKey }: NormalisedInvoice,
): Pick<SupplierProfile, 'lateTaxIds'> {
  if (lateTaxIds === undefined) return {};
  const left = lateTaxIds.flatMap(({ earning, ...use }) => {
    if (use.taxKey !== taxKey) return [{ ...use, ...(earning === undefined ? {} : { earning }) }];
    const kept =
      earning === undefined || earning.count <= 1 ? {} : { earning: { ...earning, count: earning.count - 1 } };
    return use.count <= 1 && use.accepted !== true ? [] : [{ ...use, ...kept, count: use.count - 1 }];
  });
  return { lateTaxIds: left };
}

/** Records or withdraws that a person accepted a late tax id for a supplier. */
export function withAcceptedTaxId(profile: SupplierProfile, taxKey: string, isAccepted: boolean): SupplierProfile {
  if (profile.lateTaxIds === undefined) return profile;
  const lateTaxIds = profile.lateTaxIds.map((use) => {
    if (use.taxKey !== taxKey || isAccepted === (use.accepted === true)) return use;
    const { accepted: _before, ...rest } = use;
    return isAccepted ? { ...rest, accepted: true as const } : rest;
  });
  return { ...profile, lateTaxIds };
}

/**
 * Returns the given earlier supplier profile with the current acceptance of its late tax ids: each is accepted only if
 * the current profile accepts it.
 */
export function withAcceptedTaxIds(
  profile: SupplierProfile,
  { lateTaxIds: now = [] }: SupplierProfile,
): SupplierProfile {
  return (profile.lateTaxIds ?? []).reduce(
    (reviewed, { taxKey }) =>
      withAcceptedTaxId(reviewed, taxKey, now.find((use) => use.taxKey === taxKey)?.accepted === true),
    profile,
  );
}
