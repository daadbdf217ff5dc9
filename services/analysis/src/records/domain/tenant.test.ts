import { expect, test } from 'vitest';
import { normaliseInvoice } from '@invoicecontrol/engine/normalisation/normalise-invoice';
import { companiesAround, companyFor } from './tenant.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';

const tenant = {
  baseCurrency: 'EUR',
  plan: 'SCALE',
  hasActiveSubscription: true,
  name: 'Workspace',
  erpConnectionsLimit: 10,
  referenceValidationMode: 'DECLARED_PROFILES',
  fourEyes: false,
  defaultCompanyId: 'main',
  companies: [
    { companyId: 'main', name: 'Main GmbH', taxId: 'DE136695976' },
    { companyId: 'poland', name: 'Poland Sp. z o.o.', taxId: 'PL5260250995' },
    { companyId: 'plain', name: 'No VAT id' },
  ],
};

test.each([
  ['the company it names', { companyId: 'plain', buyerTaxId: 'PL5260250995' }, 'plain'],
  ['the company with the buyer’s VAT id', { buyerTaxId: 'PL5260250995' }, 'poland'],
  ['the company with the buyer’s VAT id, spaced and without its prefix', { buyerTaxId: '526 025 09 95' }, 'poland'],
  ['the default when no company has the buyer’s VAT id', { buyerTaxId: 'FR40303265045' }, 'main'],
  ['the default when nothing is said', {}, 'main'],
  ['the default when the VAT id holds no letter or digit', { buyerTaxId: ' - ' }, 'main'],
])('an invoice goes to %s', (_, addressee, company) => {
  expect(companyFor(addressee, tenant)).toBe(company);
});

test('refuses a company of another organization like one that does not exist', () => {
  expect(() => companyFor({ companyId: 'stranger' }, tenant)).toThrow(/^company_id: must be the id of a company/);
});

test('facts hold only the relevant ones of a thousand companies', () => {
  const others = Array.from({ length: 1000 }, (_, index) => ({ companyId: `c${index}`, name: `Branch ${index}` }));
  const many = { ...tenant, companies: [...others, ...tenant.companies] };
  const invoice = normaliseInvoice(
    invoiceOf({ buyer: { name: 'No VAT-Id', tax_id: 'PL5260250995' }, supplier: { tax_id: 'DE136695976' } }),
    { invoiceId: 'i', companyId: 'c777', source: 'API', receivedAtMs: 0 },
  );
  const near = companiesAround(invoice, many).map(({ companyId }) => companyId);
  expect(near).toHaveLength(64);
  expect(near.slice(0, 4)).toEqual(['c777', 'main', 'poland', 'plain']);
  expect(companiesAround(invoice, tenant)).toBe(tenant.companies);
});
