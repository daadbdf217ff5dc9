import type { ErpAddress } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { VendorStatus } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import type { GetVendorResponse, Vendor } from '@invoicecontrol/contracts/analysis/v1/vendor_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT } from '../../http/description/examples.js';
import { LABEL_LENGTH_MAX, pathId, shownId, text, uuid } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';

const address = shown.record<ErpAddress>('VendorAddress')({
  line1: shown.textOrNull('Hafenstraße 1', 'The first line of the vendor address, or null if not stated.'),
  line2: shown.textOrNull(null, 'The second line of the vendor address, or null if not stated.'),
  city: shown.textOrNull('Hamburg', 'The city of the vendor address, or null if not stated.'),
  region: shown.textOrNull(null, 'The region or state of the vendor address, or null if not stated.'),
  postalCode: shown.textOrNull('20457', 'The postal code of the vendor address, or null if not stated.'),
  country: shown.textOrNull('DE', 'The country of the vendor address as stated in the ERP, or null if not stated.'),
});

const vendor = shown.record<Vendor>('Vendor')({
  id: shown.id(
    EXAMPLE_IDS.vendor,
    'The id of the vendor. The id stays the same if the ERP is connected again.',
    'vendorId',
  ),
  connectionId: shown.id(EXAMPLE_IDS.connection, 'The id of the ERP connection that last imported the vendor.'),
  companyId: shown.id(EXAMPLE_IDS.company, 'The id of the company that the vendor was imported for.'),
  externalId: shown.text('f7a5738a-44e3-ea11-bb43-000d3a2feca1', 'The id of the vendor in the ERP.'),
  number: shown.textOrNull('10000', 'The number of the vendor in the ERP, or null if there is none.'),
  name: shown.text('Nordlicht Energie GmbH', 'The name of the vendor in the ERP.'),
  taxId: shown.textOrNull('DE994175284', 'The tax id of the vendor as far as the ERP shows it, or null if not stated.'),
  registrationNumber: shown.textOrNull(null, 'The number of the vendor in a company register, or null if not stated.'),
  address: shown.partOrNull(address, 'The address of the vendor, or null if not stated.'),
  email: shown.textOrNull('billing@nordlicht.example', 'The e-mail address of the vendor, or null if not stated.'),
  phone: shown.textOrNull(null, 'The phone number of the vendor, or null if not stated.'),
  currency: shown.textOrNull('EUR', 'The currency of the bills of the vendor, or null if not stated.'),
  status: shown.name(
    z
      .enum(['ACTIVE', 'BLOCKED', 'ARCHIVED'])
      .describe(
        'The status of the vendor in the ERP: ACTIVE (in use), BLOCKED (must not be paid) or ARCHIVED (no longer used).',
      ),
    VendorStatus,
    'ACTIVE',
  ),
  accounts: shown.field(
    z.array(z.string()).describe('The bank accounts of the vendor, with masked account numbers.'),
    ['DE89**************3000'],
    'maskedAccounts',
  ),
  isMaster: shown.flag(
    true,
    'Whether invoices are compared with the vendor. False if the vendor was deleted in the ERP or its connection was disconnected.',
  ),
  url: shown.textOrNull(null, 'The URL of the vendor in the ERP, or null if not known.'),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the vendor was first imported.', 'createdTime'),
  modifiedAt: shown.instantOrNull(
    EXAMPLE_INSTANT,
    'The time when the vendor was last changed in the ERP, or null if not known.',
    'modifiedTime',
  ),
  deletedAt: shown.instantOrNull(
    null,
    'The time when the vendor was found to be deleted in the ERP, or null if the vendor still exists.',
    'deletedTime',
  ),
});

const vendorOverview = shown.record<GetVendorResponse>('VendorOverview')({
  ...shown.within('vendor', vendor),
  invoiceIds: shown.field(
    z
      .array(shownId())
      .describe(
        'The ids of the 20 newest bills and invoices of the vendor: its bills in the ERP, and the invoices that the same supplier sent to the same company.',
      ),
    [EXAMPLE_IDS.invoice],
  ),
  openFindingIds: shown.field(
    z
      .array(shownId())
      .describe(
        'The ids of the 100 newest findings that wait for a review and concern the vendor, its newest bills, or the same supplier and company.',
      ),
    [EXAMPLE_IDS.finding],
  ),
});

export const listVendors = route({
  operation: 'listVendors',
  method: 'get',
  path: '/vendors',
  summary: 'List vendors by name',
  description: 'Returns the vendors that were imported from ERP systems, except vendors that were deleted in the ERP.',
  rpc: 'invoicecontrol.analysis.v1.VendorService/ListVendors',
  access: { minimumRole: 'ANALYST', scope: 'invoices:read' },
  query: pageQuery.omit({ created_from: true, created_to: true }).extend({
    company_id: uuid().optional().describe('Return only vendors of the company with this id.'),
    connection_id: uuid()
      .optional()
      .describe('Return only vendors that the ERP connection with this id imported last.'),
    name: text(LABEL_LENGTH_MAX)
      .optional()
      .describe('Return only vendors whose name begins with this string. Case and accents are ignored.'),
  }),
  responses: { 200: { description: 'A page of imported vendors.', schema: pageOf('imported vendors', vendor.schema) } },
  async handle({ query }, { vendors }) {
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
  access: { minimumRole: 'ANALYST', scope: 'invoices:read' },
  params: z.object({ vendorId: pathId('vendor') }),
  responses: { 200: { description: 'The vendor with its invoices and open findings.', schema: vendorOverview.schema } },
  async handle({ params }, { vendors }) {
    const reply = await vendors.getVendor({ vendorId: params.vendorId });
    return { status: 200, body: vendorOverview.present(reply) };
  },
});
