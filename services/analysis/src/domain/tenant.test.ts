import { expect, test } from '@jest/globals';
import { companyFor } from './tenant.js';

const tenant = {
  baseCurrency: 'EUR',
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
  ['the default when nobody has the buyer’s VAT id', { buyerTaxId: 'FR40303265045' }, 'main'],
  ['the default when nothing is said', {}, 'main'],
  ['the default when the VAT id holds no letter or digit', { buyerTaxId: ' - ' }, 'main'],
])('an invoice goes to %s', (_, addressee, company) => {
  expect(companyFor(addressee, tenant)).toBe(company);
});

test('a company of somebody else is refused in the words for a company that does not exist', () => {
  expect(() => companyFor({ companyId: 'stranger' }, tenant)).toThrow(/^company_id: names no company/);
});
