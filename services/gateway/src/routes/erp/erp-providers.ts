import { z } from 'zod';
import { wordOf } from '../../http/description/fields.js';

/** ERP provider codes, with the name of each product. */
export const spellings = {
  businessCentral: ['PROVIDER_A', 'BUSINESS_CENTRAL'],
  odoo: ['PROVIDER_B', 'ODOO'],
  quickBooks: ['PROVIDER_C', 'QUICKBOOKS_ONLINE'],
  xero: ['PROVIDER_D', 'XERO'],
} as const;

const products = ['BUSINESS_CENTRAL', 'ODOO', 'QUICKBOOKS_ONLINE', 'XERO'] as const;

/** Schema for the product name of the ERP in an ERP connection. */
export const erpProduct = z.enum(products);

/** Returns the product of a provider code or product name. Throws a TypeError for another text. */
export function productOf(provider: string): z.infer<typeof erpProduct> {
  const spelling = Object.values(spellings).find((names) => (names as readonly string[]).includes(provider));
  if (spelling === undefined) throw new TypeError(`The ERP provider ${provider} is not known.`);
  return spelling[1];
}

const all: readonly string[] = Object.values(spellings).flat();

/** Schema for an ERP in a filter. The caller may send its provider code or its product name. */
export const erpProvider = wordOf(all, `Must be one of ${all.join(', ')}.`).meta({
  id: 'ErpProvider',
  description:
    'The code or the product name of an ERP: PROVIDER_A or BUSINESS_CENTRAL, PROVIDER_B or ODOO, PROVIDER_C or QUICKBOOKS_ONLINE, PROVIDER_D or XERO.',
});

const byConsent: ReadonlySet<unknown> = new Set([...spellings.quickBooks, ...spellings.xero]);

/** Explains why an ERP provider cannot be connected with credentials. */
export function refusalOfProvider(provider: unknown): string {
  if (provider === undefined) return 'Required.';
  return byConsent.has(provider)
    ? 'QuickBooks Online and Xero are connected by consent in the browser: call POST /v1/erp-connections/oauth/start.'
    : `Must be one of ${[...spellings.businessCentral, ...spellings.odoo].join(', ')}.`;
}
