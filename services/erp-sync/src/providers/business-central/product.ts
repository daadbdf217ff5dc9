import { readCustomerUrl } from '@invoicecontrol/egress/customer-url';
import { invalidField } from '@invoicecontrol/errors';
import { z } from 'zod';
import { GUID, parseConfig, textLike } from '../parse-config.js';
import type { ErpProduct } from '../product.js';

const DOMAIN_NAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;
const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,119}$/;
const fieldName = () =>
  textLike(FIELD_NAME, 'Must be the name of a field: letters, digits and _, at most 120 characters.').optional();

/** Schema of the configuration of a Business Central connection (ERP reference, sections 3 and 12). */
const config = z.strictObject(
  {
    tenantId: textLike(
      new RegExp(`${GUID.source}|${DOMAIN_NAME.source}`, 'i'),
      'Must be the id of the Microsoft Entra tenant, a GUID, or its domain name such as contoso.onmicrosoft.com.',
    ),
    environmentName: textLike(
      /^[A-Za-z0-9_-]{1,30}$/,
      'Must be the name of an environment: 1 to 30 letters, digits, - and _.',
    ),
    companyId: textLike(GUID, 'Must be the id of the company in Business Central, a GUID.'),
    clientId: textLike(GUID, 'Must be the client id of the application registration, a GUID.'),
    bankAccountEndpoint: z.string('Must be a URL.').optional(),
    bankAccountVendorIdField: fieldName(),
    bankAccountIbanField: fieldName(),
  },
  { error: ({ code }) => (code === 'invalid_type' ? 'Must be an object.' : undefined) },
);

export const businessCentral: ErpProduct = {
  code: 'PROVIDER_A',
  product: 'BUSINESS_CENTRAL',
  title: 'Business Central',
  credentials: {
    secretName: 'client_secret',
    async readConfig(given, { bankOrigins }) {
      const read = parseConfig(config, given);
      if (read.bankAccountEndpoint !== undefined) {
        checkBankAccountEndpoint(read.bankAccountEndpoint, read.companyId, bankOrigins);
        for (const name of ['bankAccountVendorIdField', 'bankAccountIbanField'] as const) {
          if (read[name] === undefined)
            throw invalidField(
              `config.${name}`,
              'bankAccountEndpoint requires bankAccountVendorIdField and bankAccountIbanField. Send all three fields, or omit bankAccountEndpoint.',
            );
        }
      }
      const { tenantId, environmentName, companyId } = read;
      return { config: read, remoteKey: [tenantId, environmentName, companyId].join('/').toLowerCase() };
    },
    mayBeSameCompany(one, other) {
      const [tenant, otherTenant] = [one, other].map(({ tenantId }) => String(tenantId).toLowerCase());
      // A Microsoft Entra tenant has a GUID and several domain names, so two different names may mean the same tenant.
      const isDomain = [tenant, otherTenant].some((name = '') => !GUID.test(name));
      return (
        (isDomain || tenant === otherTenant) &&
        (['environmentName', 'companyId'] as const).every(
          (name) => String(one[name]).toLowerCase() === String(other[name]).toLowerCase(),
        )
      );
    },
  },
};

/**
 * Checks the URL to which the access token of Business Central is sent. Only origins that the installation allows are
 * accepted.
 */
function checkBankAccountEndpoint(text: string, companyId: string, origins: readonly string[]): void {
  const path = 'config.bankAccountEndpoint';
  // The allowed origins for Business Central determine whether a URL with `http:` is accepted.
  const read = readCustomerUrl(text.replaceAll('{companyId}', companyId), { isHttpAllowed: true });
  if ('problem' in read) throw invalidField(path, `${read.problem}.`);
  if (!origins.includes(read.url.origin)) {
    throw invalidField(path, `must be a page of ${origins.join(' or ')}, because the access token is sent to it.`);
  }
}
