import type { Schemas } from '@invoicecontrol/client/browser';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../client.js';
import { useList } from '../../lists.js';

export type Supplier = Schemas['Supplier'];
export type SupplierOverview = Schemas['SupplierOverview'];
export type SupplierAccount = Schemas['SupplierAccount'];
export type Vendor = Schemas['Vendor'];
export type VendorOverview = Schemas['VendorOverview'];

export const SUPPLIERS = 'suppliers';
const VENDORS = 'vendors';

export function useSuppliers(search: string) {
  return useList([SUPPLIERS, 'list', search], (page, signal) => {
    const query = { ...page, ...(search === '' ? {} : { q: search }) };
    return client.get('/suppliers', { query, signal });
  });
}

export function useSupplier(supplierId: string) {
  return useQuery({
    queryKey: [SUPPLIERS, supplierId],
    queryFn: async ({ signal }) => (await client.get('/suppliers/{supplierId}', { path: { supplierId }, signal })).data,
  });
}

export function useVendors(search: string) {
  return useList([VENDORS, 'list', search], (page, signal) => {
    const query = { ...page, ...(search === '' ? {} : { name: search }) };
    return client.get('/vendors', { query, signal });
  });
}

export function useVendor(vendorId: string) {
  return useQuery({
    queryKey: [VENDORS, vendorId],
    queryFn: async ({ signal }) => (await client.get('/vendors/{vendorId}', { path: { vendorId }, signal })).data,
  });
}
