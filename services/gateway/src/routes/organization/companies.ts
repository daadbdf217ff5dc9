import type { Company } from '@invoicecontrol/contracts/organization/v1/company_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { companyTaxId, country, LABEL_LENGTH_MAX, pathId, stated, text } from '../../http/description/fields.js';
import * as shown from '../../http/description/shown.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import { hasAnyField, NOTHING_TO_CHANGE } from '../../http/body/validate.js';

export const company = shown.record<Company>('Company')({
  id: shown.id(EXAMPLE_IDS.company, 'The id of the company of the organization.', 'companyId'),
  name: shown.text('Acme Polska', 'The name of the company.'),
  taxId: shown.textOrNull(
    'PL9994172031',
    'The VAT id of the company, or null if no VAT id is set. An invoice with this `buyer.tax_id` is assigned to the company.',
  ),
  country: shown.textOrNull(
    'PL',
    'The country in which the company is registered, as an ISO 3166-1 alpha-2 code, or null if no country is set.',
  ),
  isDefault: shown.flag(
    false,
    'Whether the company is the default company, to which invoices without a company are assigned.',
  ),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the company was created.', 'createdTime'),
});

const fields = {
  name: text(LABEL_LENGTH_MAX).describe('The name of the company.'),
  tax_id: companyTaxId()
    .optional()
    .describe(
      'The VAT id of the company, with at least three digits. An invoice with this `buyer.tax_id` is assigned to the company. No two companies can have the same VAT id.',
    ),
  country: country.optional(),
  is_default: z
    .boolean()
    .optional()
    .describe('Whether the company becomes the default company, to which invoices without a company are assigned.'),
};

const companyParams = z.object({ companyId: pathId('company') });

export const listCompanies = route({
  operation: 'listCompanies',
  method: 'get',
  path: '/companies',
  summary: 'List companies, newest first',
  rpc: 'invoicecontrol.organization.v1.CompanyService/ListCompanies',
  access: { minimumRole: 'ADMIN', scope: 'organization:read' },
  query: pageQuery,
  responses: { 200: { description: 'A page of companies.', schema: pageOf('companies', company.schema) } },
  async handle({ query }, { companies }) {
    const list = listRequest('listCompanies', query);
    const reply = await companies.listCompanies(list.request);
    return { status: 200, body: list.page(reply.companies.map(company.present), reply.nextPageToken) };
  },
});

export const createCompany = route({
  operation: 'createCompany',
  method: 'post',
  path: '/companies',
  summary: 'Create a company',
  description:
    'Creates a company. A repeated request is refused with 409 if the company has a tax id, and otherwise creates a second company.',
  rpc: 'invoicecontrol.organization.v1.CompanyService/CreateCompany',
  access: { minimumRole: 'ADMIN', scope: 'organization:write' },
  body: z
    .strictObject(fields)
    .meta({ id: 'CompanyCreation' })
    .register(examples, { example: { name: 'Acme Polska', tax_id: 'PL9994172031', country: 'PL' } }),
  responses: {
    201: { description: 'The new company of the organization.', schema: company.schema, headers: ['Location'] },
  },
  refusals: [409],
  async handle({ body }, { companies }) {
    const reply = await companies.createCompany({
      name: body.name.trim(),
      taxId: body.tax_id?.trim(),
      country: body.country,
      isDefault: body.is_default ?? false,
    });
    const created = company.present(stated(reply.company));
    return { status: 201, body: created, headers: { Location: `/v1/companies/${created.id}` } };
  },
});

export const getCompany = route({
  operation: 'getCompany',
  method: 'get',
  path: '/companies/:companyId',
  summary: 'Read a company',
  rpc: 'invoicecontrol.organization.v1.CompanyService/GetCompany',
  access: { minimumRole: 'ADMIN', scope: 'organization:read' },
  params: companyParams,
  responses: { 200: { description: 'The company that was requested.', schema: company.schema } },
  async handle({ params }, { companies }) {
    const reply = await companies.getCompany({ companyId: params.companyId });
    return { status: 200, body: company.present(stated(reply.company)) };
  },
});

export const updateCompany = route({
  operation: 'updateCompany',
  method: 'patch',
  path: '/companies/:companyId',
  summary: 'Update a company',
  rpc: 'invoicecontrol.organization.v1.CompanyService/UpdateCompany',
  access: { minimumRole: 'ADMIN', scope: 'organization:write' },
  params: companyParams,
  body: z
    .strictObject({ ...fields, name: fields.name.optional() })
    .refine(hasAnyField, NOTHING_TO_CHANGE)
    .meta({ id: 'CompanyChange', minProperties: 1 })
    .register(examples, { example: { name: 'Acme Polska sp. z o.o.' } }),
  responses: { 200: { description: 'The updated company.', schema: company.schema } },
  refusals: [409],
  async handle({ params, body }, { companies }) {
    const reply = await companies.updateCompany({
      companyId: params.companyId,
      name: body.name?.trim(),
      taxId: body.tax_id?.trim(),
      country: body.country,
      isDefault: body.is_default,
    });
    return { status: 200, body: company.present(stated(reply.company)) };
  },
});

export const deleteCompany = route({
  operation: 'deleteCompany',
  method: 'delete',
  path: '/companies/:companyId',
  summary: 'Delete a company',
  rpc: 'invoicecontrol.organization.v1.CompanyService/DeleteCompany',
  access: { minimumRole: 'ADMIN', scope: 'organization:write' },
  params: companyParams,
  responses: { 204: { description: 'The company has been deleted.' } },
  refusals: [409],
  async handle({ params }, { companies }) {
    await companies.deleteCompany({ companyId: params.companyId });
    return { status: 204 };
  },
});
