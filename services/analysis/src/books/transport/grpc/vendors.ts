import { VendorStatus } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { VendorServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/vendor_service';
import type { Vendor } from '@invoicecontrol/contracts/analysis/v1/vendor_service';
import { invalidField } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { MALFORMED_CURSOR, readPageRequest } from '@invoicecontrol/runtime/page';
import type { ListedVendor, VendorReader } from '../../application/read-vendors.js';
import type { VendorPosition } from '../../application/vendor-store.js';

/** Implements the gRPC service invoicecontrol.analysis.v1.VendorService. */
export function vendorService({ reader }: { readonly reader: VendorReader }): Binding {
  return bind(VendorServiceDefinition, {
    async listVendors({ organizationId, pageSize, pageToken, companyId, connectionId, namePrefix }) {
      const { size } = readPageRequest({ pageSize, pageToken: '' });
      const query = { size, after: readPosition(pageToken), companyId, connectionId, namePrefix };
      const { items, next } = await reader.list(organizationId, query);
      return { vendors: items.map(encodeVendor), nextPageToken: next === undefined ? '' : writePosition(next) };
    },
    async getVendor({ organizationId, vendorId }) {
      const { invoiceIds, openFindingIds, ...vendor } = await reader.get(organizationId, vendorId);
      return {
        vendor: encodeVendor(vendor),
        invoiceIds: [...invoiceIds],
        openFindingIds: [...openFindingIds],
      };
    },
  });
}

function encodeVendor({ vendor, isMaster }: ListedVendor): Vendor {
  const { details, accounts } = vendor;
  return {
    vendorId: vendor.id,
    connectionId: vendor.connectionId,
    companyId: vendor.companyId,
    externalId: vendor.externalId,
    number: details.number,
    name: details.name,
    taxId: details.taxId,
    registrationNumber: details.registrationNumber,
    address: details.address,
    email: details.email,
    phone: details.phone,
    currency: details.currency,
    status: VendorStatus[details.status],
    maskedAccounts: accounts.map(({ masked }) => masked),
    url: details.url,
    modifiedTime: details.modifiedAt,
    createdTime: vendor.createdAt,
    isMaster,
    deletedTime: vendor.deletedAt,
  };
}

/** Encodes a position in the list of ERP vendors, which is sorted by name. Positions in all other lists are numbers. */
function writePosition({ nameOrder, id }: VendorPosition): string {
  return Buffer.from(`${id}|${nameOrder}`).toString('base64url');
}

function readPosition(token: string): VendorPosition | undefined {
  if (token === '') return undefined;
  const [, id, nameOrder] = /^([0-9a-f-]{36})\|(.{0,200})$/su.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  // The decoder of page tokens in the vendor list also accepts other spellings of a token, so the token is compared
  // with its encoding.
  if (id === undefined || nameOrder === undefined || writePosition({ nameOrder, id }) !== token) {
    throw invalidField('cursor', MALFORMED_CURSOR);
  }
  return { nameOrder, id };
}
