import { enumName } from '@invoicecontrol/contracts/enum-name';
import { VendorStatus } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import type { Vendor } from '@invoicecontrol/contracts/analysis/v1/vendor_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import {
  LABEL_LENGTH_MAX,
  pathId,
  shownId,
  shownInstant,
  showInstant,
  stated,
  text,
  uuid,
} from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';

const address = z
  .object({
    line1: z.string().nullable().describe('The first line.'),
    line2: z.string().nullable().describe('The second line.'),
    city: z.string().nullable().describe('The place.'),
    region: z.string().nullable().describe('The region or state.'),
    postalCode: z.string().nullable().describe('The postal code.'),
    country: z.string().nullable().describe('The country, as the ERP has it.'),
  })
  .meta({ id: 'VendorAddress' });

const vendorFields = {
  id: shownId().describe('The id of the vendor; the same when its ERP is connected anew.'),
  connectionId: shownId().describe('The connection that brought it last.'),
  companyId: shownId().describe('The company of the connection.'),
  externalId: z.string().describe('Its id in the ERP.'),
  number: z.string().nullable().describe('Its number in the ERP.'),
  name: z.string().describe('Its name in the ERP.'),
  taxId: z.string().nullable().describe('Its tax id, as far as the ERP shows it.'),
  registrationNumber: z.string().nullable().describe('Its number in a register of companies.'),
  address: address.nullable().describe('Where it is.'),
  email: z.string().nullable().describe('Its e-mail address.'),
  phone: z.string().nullable().describe('Its phone number.'),
  currency: z.string().nullable().describe('The currency of its bills.'),
  status: z
    .enum(['ACTIVE', 'BLOCKED', 'ARCHIVED'])
    .describe('Whether it is in use. BLOCKED: the ERP pays it nothing. ARCHIVED: it is not used any more.'),
  accounts: z.array(z.string()).describe('Its bank accounts, masked.'),
  isMaster: z
    .boolean()
    .describe('Whether invoices are compared with it: false when it was deleted, or its connection disconnected.'),
  url: z.string().nullable().describe('Its page in the ERP.'),
  createdAt: shownInstant().describe('When it was first imported.'),
  modifiedAt: shownInstant().nullable().describe('When it was last changed in the ERP.'),
  deletedAt: shownInstant().nullable().describe('Since when the ERP does not have it any more.'),
};

const exampleVendor = {
  id: EXAMPLE_IDS.vendor,
  connectionId: EXAMPLE_IDS.connection,
  companyId: EXAMPLE_IDS.company,
  externalId: 'f7a5738a-44e3-ea11-bb43-000d3a2feca1',
  number: '10000',
  name: 'Nordlicht Energie GmbH',
  taxId: 'DE994175284',
  registrationNumber: null,
  address: {
    line1: 'Hafenstraße 1',
    line2: null,
    city: 'Hamburg',
    region: null,
    postalCode: '20457',
    country: 'DE',
  },
  email: 'billing@nordlicht.example',
  phone: null,
  currency: 'EUR',
  status: 'ACTIVE' as const,
  accounts: ['DE89**************3000'],
  isMaster: true,
  url: null,
  createdAt: EXAMPLE_INSTANT,
  modifiedAt: EXAMPLE_INSTANT,
  deletedAt: null,
};

const vendor = z.object(vendorFields).meta({ id: 'Vendor' }).register(examples, { example: exampleVendor });

const vendorOverview = z
  .object({
    ...vendorFields,
    invoiceIds: z
      .array(shownId())
      .describe('The 20 newest of its bills and of the invoices of the same supplier to the same company.'),
    openFindingIds: z
      .array(shownId())
      .describe(
        'The 100 newest findings about the vendor, its newest bills, or the supplier and the company, that wait for a person.',
      ),
  })
  .meta({ id: 'VendorOverview' })
  .register(examples, {
    example: { ...exampleVendor, invoiceIds: [EXAMPLE_IDS.invoice], openFindingIds: [EXAMPLE_IDS.finding] },
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
  responses: { 200: { description: 'A page of vendors.', schema: pageOf(vendor) } },
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
    return { status: 200, body: list.page(reply.vendors.map(presentVendor), reply.nextPageToken) };
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
  responses: { 200: { description: 'The vendor.', schema: vendorOverview } },
  async handle({ params }, { vendors }): Promise<Reply> {
    const reply = await vendors.getVendor({ vendorId: params.vendorId });
    const { invoiceIds, openFindingIds } = reply;
    const body: z.infer<typeof vendorOverview> = {
      ...presentVendor(stated(reply.vendor)),
      invoiceIds,
      openFindingIds,
    };
    return { status: 200, body };
  },
});

function presentVendor(message: Vendor): z.infer<typeof vendor> {
  const { address: stored } = message;
  return {
    id: message.vendorId,
    connectionId: message.connectionId,
    companyId: message.companyId,
    externalId: message.externalId,
    number: message.number ?? null,
    name: message.name,
    taxId: message.taxId ?? null,
    registrationNumber: message.registrationNumber ?? null,
    address:
      stored === undefined
        ? null
        : {
            line1: stored.line1 ?? null,
            line2: stored.line2 ?? null,
            city: stored.city ?? null,
            region: stored.region ?? null,
            postalCode: stored.postalCode ?? null,
            country: stored.country ?? null,
          },
    email: message.email ?? null,
    phone: message.phone ?? null,
    currency: message.currency ?? null,
    status: enumName(VendorStatus, message.status),
    accounts: message.maskedAccounts,
    isMaster: message.isMaster,
    url: message.url ?? null,
    createdAt: showInstant(message.createdTime),
    modifiedAt: message.modifiedTime === undefined ? null : showInstant(message.modifiedTime),
    deletedAt: message.deletedTime === undefined ? null : showInstant(message.deletedTime),
  };
}
