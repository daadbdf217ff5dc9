import { readName } from '@invoicecontrol/engine/normalisation/name-key';
import { notFound } from '@invoicecontrol/errors';
import { identifiesParty, parseTaxId } from '@invoicecontrol/values/tax-id';
import type { SupplierRecord, SupplierStore } from '../../records/application/counted-records.js';
import { accountsOf } from '../domain/supplier-account.js';
import type { SupplierAccount } from '../domain/supplier-account.js';
import type { Verification } from '../domain/verification.js';
import type { SupplierPosition, SupplierRecords } from './supplier-records.js';
import type { VerificationStore } from './verification-store.js';

/** Maximum number of verifications that are shown for one bank account of a supplier. */
const VERIFICATIONS_SHOWN_MAX = 20;

interface Deps {
  readonly suppliers: Pick<SupplierStore, 'find' | 'findByKeys'>;
  readonly records: Pick<SupplierRecords, 'list' | 'openFindings' | 'bankLinks'>;
  readonly verifications: Pick<VerificationStore, 'ofSuppliers'>;
}

/** A supplier with the number of its findings that wait for a review. */
export interface ListedSupplier {
  readonly supplier: SupplierRecord;
  readonly openFindings: number;
}

export interface VerifiableAccount extends SupplierAccount {
  /** Verifications of the bank account, newest first. */
  readonly verifications: readonly Verification[];
}

export interface SupplierOverview extends ListedSupplier {
  readonly accounts: readonly VerifiableAccount[];
}

export interface SupplierReader {
  /** Lists suppliers by name. `next`, the position of the next page, is undefined on the last page. */
  list(
    organizationId: string,
    query: { readonly text: string; readonly size: number; readonly after: SupplierPosition | undefined },
  ): Promise<{ readonly items: readonly ListedSupplier[]; readonly next: SupplierPosition | undefined }>;
  /**
   * Reads a supplier with its accounts.
   * @throws DomainError not_found
   */
  get(organizationId: string, supplierId: string): Promise<SupplierOverview>;
}

/** Reads the suppliers that are known from invoices. */
export function supplierReader({ suppliers, records, verifications }: Deps): SupplierReader {
  const withFindings = async (organizationId: string, found: readonly SupplierRecord[]) => {
    const counts = await records.openFindings(
      organizationId,
      found.map(({ identity }) => identity.supplierId),
    );
    return found.map((supplier) => ({ supplier, openFindings: counts.get(supplier.identity.supplierId) ?? 0 }));
  };
  return {
    async list(organizationId, { text, size, after }) {
      const taxId = parseTaxId(text);
      const byTaxId =
        after === undefined && taxId !== undefined && identifiesParty(taxId)
          ? await suppliers.findByKeys(organizationId, [`t:${taxId.body}`])
          : [];
      if (byTaxId.length > 0) {
        return { items: await withFindings(organizationId, byTaxId.slice(0, size)), next: undefined };
      }
      const nameKeyPrefix = text === '' ? '' : readName(text).key;
      // No supplier name begins with a search text without letters or digits, so the list is empty.
      if (text !== '' && nameKeyPrefix === '') return { items: [], next: undefined };
      const found = await records.list(organizationId, { nameKeyPrefix, after, size: size + 1 });
      const page = found.slice(0, size);
      const last = page.at(-1)?.identity;
      return {
        items: await withFindings(organizationId, page),
        next: found.length > size && last !== undefined ? { nameKey: last.nameKey, id: last.supplierId } : undefined,
      };
    },
    async get(organizationId, supplierId) {
      const supplier = await suppliers.find(organizationId, supplierId);
      if (supplier === undefined) throw notFound('supplier');
      const [links, stored, [listed]] = await Promise.all([
        records.bankLinks(
          organizationId,
          supplier.profile.accounts.map(({ key }) => key),
        ),
        verifications.ofSuppliers(organizationId, [supplierId]),
        withFindings(organizationId, [supplier]),
      ]);
      const accounts = accountsOf(organizationId, supplierId, supplier.profile, links).map((account) => ({
        ...account,
        verifications: stored
          .filter(({ accountId }) => accountId === account.accountId)
          .slice(0, VERIFICATIONS_SHOWN_MAX),
      }));
      return { supplier, openFindings: listed?.openFindings ?? 0, accounts };
    },
  };
}
