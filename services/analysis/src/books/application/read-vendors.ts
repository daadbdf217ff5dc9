import { supplierKeysOf } from '@invoicecontrol/engine/normalisation/match-keys';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { resolveSupplier } from '@invoicecontrol/engine/supplier/identity';
import type { SupplierParty } from '@invoicecontrol/engine/supplier/identity';
import { notFound } from '@invoicecontrol/errors';
import type { SupplierRecord, SupplierStore } from '../../records/application/counted-records.js';
import type { FindingStore } from '../../records/application/finding-store.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';
import { nameOrderOf } from '../domain/vendor-identity.js';
import type { BillStore } from './bill-store.js';
import type { ErpSourceStore } from './import-source.js';
import type { StoredVendor, VendorPosition, VendorQuery, VendorStore } from './vendor-store.js';

/** Maximum number of invoices that are shown for one ERP vendor. */
const INVOICES_MAX = 20;
const FINDINGS_MAX = 100;

interface Deps {
  readonly sources: ErpSourceStore;
  readonly vendors: VendorStore;
  readonly bills: Pick<BillStore, 'newestOfVendor'>;
  readonly suppliers: Pick<SupplierStore, 'find' | 'findByKeys'>;
  readonly invoices: Pick<InvoiceStore, 'newestOf'>;
  readonly findings: Pick<FindingStore, 'list' | 'openOfVendor'>;
  /** Detection policy. Its limits for similar names decide to which supplier a vendor belongs. */
  readonly policy: Policy;
}

/** An ERP vendor, with a flag that shows if invoices are compared with it. */
export interface ListedVendor {
  readonly vendor: StoredVendor;
  readonly isMaster: boolean;
}

export interface VendorOverview extends ListedVendor {
  /**
   * Ids of the newest bills of an ERP vendor, and of the newest invoices from the same supplier to the same company.
   */
  readonly invoiceIds: readonly string[];
  /** Ids of the findings that are waiting for a review and concern an ERP vendor, its newest bills or its supplier. */
  readonly openFindingIds: readonly string[];
}

export interface VendorReader {
  /** Lists ERP vendors, sorted by name. `next`, the position of the next page, is undefined on the last page. */
  list(
    organizationId: string,
    query: VendorQuery,
  ): Promise<{ readonly items: readonly ListedVendor[]; readonly next: VendorPosition | undefined }>;
  /**
   * Reads an ERP vendor, including one that no longer exists in the ERP.
   * @throws DomainError not_found
   */
  get(organizationId: string, vendorId: string): Promise<VendorOverview>;
}

/** Reads the vendors that were imported from ERP systems. */
export function vendorReader(deps: Deps): VendorReader {
  const { sources, vendors, bills, suppliers, invoices, findings, policy } = deps;
  const live = async (organizationId: string): Promise<ReadonlySet<string>> => {
    const known = await sources.ofOrganization(organizationId);
    return new Set(known.map(({ connectionId }) => connectionId));
  };
  const supplierOf = async (organizationId: string, vendor: StoredVendor) => {
    const party = partyOf(vendor);
    const known = await suppliers.findByKeys(organizationId, supplierKeysOf(party));
    const identities = known.map(({ identity }) => identity);
    const { similarNameMin } = policy.duplicates;
    const supplierId =
      vendor.supplierId ?? resolveSupplier(organizationId, party, identities, { similarNameMin }).supplierId;
    const supplier = known.find(({ identity }) => identity.supplierId === supplierId);
    return { supplierId, supplier: supplier ?? (await suppliers.find(organizationId, supplierId)) };
  };
  return {
    async list(organizationId, { namePrefix, ...query }) {
      const prefix = namePrefix === undefined ? undefined : nameOrderOf(namePrefix);
      const [found, connections] = await Promise.all([
        vendors.list(organizationId, { ...query, namePrefix: prefix, size: query.size + 1 }),
        live(organizationId),
      ]);
      const items = found.slice(0, query.size).map((vendor) => listed(vendor, connections));
      const last = items.at(-1)?.vendor;
      const next = found.length > query.size && last !== undefined ? positionOf(last) : undefined;
      return { items, next };
    },
    async get(organizationId, vendorId) {
      const vendor = (await vendors.find(organizationId, [vendorId])).get(vendorId);
      if (vendor === undefined) throw notFound('vendor');
      const { companyId } = vendor;
      const [connections, { supplierId, supplier }, newestBills] = await Promise.all([
        live(organizationId),
        supplierOf(organizationId, vendor),
        bills.newestOfVendor(organizationId, vendorId, INVOICES_MAX),
      ]);
      const billIds = newestBills.map(({ invoiceId }) => invoiceId);
      const [ofSupplier, ofBooks] = await Promise.all([
        openFindingsOf(findings, organizationId, { supplierId, companyId }),
        findings.openOfVendor(organizationId, { vendorId, billIds }, FINDINGS_MAX),
      ]);
      const openFindings = newestFirst([...ofSupplier, ...ofBooks]).slice(0, FINDINGS_MAX);
      const others = await invoices.newestOf(organizationId, companyId, [
        ...recentInvoices(supplier),
        ...openFindings.flatMap(({ invoiceId }) => invoiceId ?? []),
      ]);
      const newest = [...new Map([...newestBills, ...others].map((one) => [one.invoiceId, one])).values()]
        .sort((left, right) => right.createdAt.getTime() - left.createdAt.getTime())
        .slice(0, INVOICES_MAX);
      return {
        ...listed(vendor, connections),
        invoiceIds: newest.map(({ invoiceId }) => invoiceId),
        openFindingIds: openFindings.map(({ findingId }) => findingId),
      };
    },
  };
}

function listed(vendor: StoredVendor, connections: ReadonlySet<string>): ListedVendor {
  return { vendor, isMaster: vendor.deletedAt === undefined && connections.has(vendor.connectionId) };
}

function positionOf({ nameOrder, id }: StoredVendor): VendorPosition {
  return { nameOrder, id };
}

function partyOf({ nameKey, nameFold, taxKey, taxCountry, taxValid, details, accounts }: StoredVendor): SupplierParty {
  const bankKey = accounts.find(({ key }) => key !== undefined)?.key;
  return {
    supplierName: details.name,
    nameKey,
    ...(nameFold === undefined ? {} : { nameFold }),
    ...(taxKey === undefined ? {} : { taxKey }),
    ...(taxCountry === undefined ? {} : { taxCountry }),
    ...(taxValid === undefined ? {} : { taxValid }),
    ...(bankKey === undefined ? {} : { bankKey }),
  };
}

/** Returns the newest invoices in a supplier's profile. */
function recentInvoices(supplier: SupplierRecord | undefined): readonly string[] {
  return supplier?.profile.recentBills?.map(({ invoiceId }) => invoiceId) ?? [];
}

async function openFindingsOf(
  findings: Deps['findings'],
  organizationId: string,
  of: { readonly supplierId: string; readonly companyId: string },
) {
  const pages = await Promise.all(
    (['OPEN', 'UNDER_REVIEW'] as const).map((disposition) =>
      findings.list(organizationId, {
        ...of,
        dispositions: [disposition],
        sort: 'newest',
        size: FINDINGS_MAX,
        after: undefined,
        createdFrom: undefined,
        createdTo: undefined,
      }),
    ),
  );
  return pages.flatMap(({ items }) => items);
}

function newestFirst<F extends { readonly createdAt: Date }>(found: readonly F[]): readonly F[] {
  return found.toSorted((left, right) => right.createdAt.getTime() - left.createdAt.getTime());
}
