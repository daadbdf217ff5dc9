import { wordOf } from '../../http/description/fields.js';

/** ERP provider codes, with the name of each product. */
export const spellings = {
  businessCentral: ['PROVIDER_A', 'BUSINESS_CENTRAL'],
  odoo: ['PROVIDER_B', 'ODOO'],
  quickBooks: ['PROVIDER_C', 'QUICKBOOKS_ONLINE'],
  xero: ['PROVIDER_D', 'XERO'],
} as const;

const all: readonly string[] = Object.values(spellings).flat();

/** Schema for an ERP in a filter, as provider code or product name. */
export const erpProvider = wordOf(all, `Must be one of ${all.join(', ')}.`).meta({
  id: 'ErpProvider',
  description:
    'An ERP: PROVIDER_A or BUSINESS_CENTRAL, PROVIDER_B or ODOO, PROVIDER_C or QUICKBOOKS_ONLINE, PROVIDER_D or XERO.',
});

const byConsent: ReadonlySet<unknown> = new Set([...spellings.quickBooks, ...spellings.xero]);

/** Explains why a provider cannot be connected with credentials. */
export function refusalOfProvider(provider: unknown): string {
  if (provider === undefined) return 'Required.';
  return byConsent.has(provider)
    ? 'QuickBooks Online and Xero are connected by consent in the browser: call POST /v1/erp-connections/oauth/start.'
    : `Must be one of ${[...spellings.businessCentral, ...spellings.odoo].join(', ')}.`;
}
