import type { ErpAddress } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { VendorStatus } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import type { GetVendorResponse, Vendor } from '@invoicecontrol/contracts/analysis/v1/vendor_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT } from '../../http/description/examples.js';
import { LABEL_LENGTH_MAX, pathId, shownId, text, uuid } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';

const address = shown.record<ErpAddress>('VendorAddress')({
  line1: shown.textOrNull('line1', 'Hafenstraße 1', 'The first line.'),
  line2: shown.textOrNull('line2', null, 'The second line.'),
  city: shown.textOrNull('city', 'Hamburg', 'The place.'),
  region: shown.textOrNull('region', null, 'The region or state.'),
  postalCode: shown.textOrNull('postalCode', '20457', 'The postal code.'),
  country: shown.textOrNull('country', 'DE', 'The country, as the ERP has it.'),
});

const vendor = shown.record<Vendor>('Vendor')({
  id: shown.id('vendorId', EXAMPLE_IDS.vendor, 'The id of the vendor; the same when its ERP is connected anew.'),
  connectionId: shown.id('connectionId', EXAMPLE_IDS.connection, 'The connection that brought it last.'),
  companyId: shown.id('companyId', EXAMPLE_IDS.company, 'The company of the connection.'),
  externalId: shown.text('externalId', 'f7a5738a-44e3-ea11-bb43-000d3a2feca1', 'Its id in the ERP.'),
  number: shown.textOrNull('number', '10000', 'Its number in the ERP.'),
  name: shown.text('name', 'Nordlicht Energie GmbH', 'Its name in the ERP.'),
  taxId: shown.textOrNull('taxId', 'DE994175284', 'Its tax id, as far as the ERP shows it.'),
  registrationNumber: shown.textOrNull('registrationNumber', null, 'Its number in a register of companies.'),
  address: shown.partOrNull(address, 'address', 'Where it is.'),
  email: shown.textOrNull('email', 'billing@nordlicht.example', 'Its e-mail address.'),
  phone: shown.textOrNull('phone', null, 'Its phone number.'),
  currency: shown.textOrNull('currency', 'EUR', 'The currency of its bills.'),
  status: shown.name(
    z
      .enum(['ACTIVE', 'BLOCKED', 'ARCHIVED'])
      .describe('Whether it is in use. BLOCKED: the ERP pays it nothing. ARCHIVED: it is not used any more.'),
    VendorStatus,
    'status',
    'ACTIVE',
  ),
  accounts: shown.field(z.array(z.string()).describe('Its bank accounts, masked.'), 'maskedAccounts', [
    'DE89**************3000',
  ]),
  isMaster: shown.flag(
    'isMaster',
    true,
    'Whether invoices are compared with it: false when it was deleted, or its connection disconnected.',
  ),
  url: shown.textOrNull('url', null, 'Its page in the ERP.'),
  createdAt: shown.instant('createdTime', EXAMPLE_INSTANT, 'When it was first imported.'),
  modifiedAt: shown.instantOrNull('modifiedTime', EXAMPLE_INSTANT, 'When it was last changed in the ERP.'),
  deletedAt: shown.instantOrNull('deletedTime', null, 'Since when the ERP does not have it any more.'),
});

const vendorOverview = shown.record<GetVendorResponse>('VendorOverview')({
  ...shown.within('vendor', vendor),
  invoiceIds: shown.field(
    z
      .array(shownId())
      .describe('The 20 newest of its bills and of the invoices of the same supplier to the same company.'),
    'invoiceIds',
    [EXAMPLE_IDS.invoice],
  ),
  openFindingIds: shown.field(
    z
      .array(shownId())
      .describe(
        'The 100 newest findings about the vendor, its newest bills, or the supplier and the company, that wait for a person.',
      ),
    'openFindingIds',
    [EXAMPLE_IDS.finding],
  ),
});

export const listVendors = route({
  operation: 'listVendors',
  method: 'get',
  path: '/vendors',
  summary: 'List vendors by name',
  description: 'Vendors that were imported from ERP systems, without those that were deleted there.',
  rpc: 'invoicecontrol.analysis.v1.VendorService/ListVendors',
  access: { minimumRole: 'ANALYST', scope: 'invoices:read' },
  query: pageQuery.omit({ created_from: true, created_to: true }).extend({
    company_id: uuid().optional().describe('Only vendors of this company.'),
    connection_id: uuid().optional().describe('Only vendors that this connection brought last.'),
    name: text(LABEL_LENGTH_MAX)
      .optional()
      .describe('Only vendors whose name begins so, without regard to case and accents.'),
  }),
  responses: { 200: { description: 'A page of vendors.', schema: pageOf(vendor.schema) } },
  async handle({ query }, { vendors }): Promise<Reply> {
    const list = listRequest('listVendors', query);
    const { pageSize, pageToken } = list.request;
    const reply = await vendors.listVendors({
      pageSize,
      pageToken,
      companyId: query.company_id,
      connectionId: query.connection_id,
      namePrefix: query.name?.trim(),
    });
    return { status: 200, body: list.page(reply.vendors.map(vendor.present), reply.nextPageToken) };
  },
});

export const getVendor = route({
  operation: 'getVendor',
  method: 'get',
  path: '/vendors/:vendorId',
  summary: 'Read a vendor with its invoices and open findings',
  rpc: 'invoicecontrol.analysis.v1.VendorService/GetVendor',
  resourceName: 'vendor',
  access: { minimumRole: 'ANALYST', scope: 'invoices:read' },
  params: z.object({ vendorId: pathId('vendor') }),
  responses: { 200: { description: 'The vendor.', schema: vendorOverview.schema } },
  async handle({ params }, { vendors }): Promise<Reply> {
    const reply = await vendors.getVendor({ vendorId: params.vendorId });
    return { status: 200, body: vendorOverview.present(reply) };
  },
});
