import type { Config } from '../config.js';
import { businessCentral } from './business-central/product.js';
import { businessCentralProvider } from './business-central/provider.js';
import { odoo } from './odoo/product.js';
import { odooProvider } from './odoo/provider.js';
import type { ErpProduct } from './product.js';
import type { Provider, ProviderCode } from './provider.js';
import { quickBooks } from './quickbooks/product.js';
import { quickBooksProvider } from './quickbooks/provider.js';
import { xero } from './xero/product.js';
import { xeroProvider } from './xero/provider.js';

/** ERP products that can be connected. */
export const products: readonly ErpProduct[] = [businessCentral, odoo, quickBooks, xero];

/** Creates the ERP providers with the configured URLs. */
export function providersOf(config: Config): ReadonlyMap<ProviderCode, Provider> {
  const providers = [
    businessCentralProvider({ loginUrl: config.BUSINESS_CENTRAL_LOGIN_URL, apiUrl: config.BUSINESS_CENTRAL_API_URL }),
    odooProvider,
    quickBooksProvider({ apiUrl: config.QUICKBOOKS_API_URL }),
    xeroProvider({ apiUrl: config.XERO_API_URL }),
  ];
  return new Map(providers.map((provider) => [provider.code, provider]));
}

const bySpelling = new Map(
  products.flatMap((erp) => [
    [erp.code as string, erp],
    [erp.product, erp],
  ]),
);

/** Returns the ERP that has exactly the given code or product name. */
export function findProduct(spelling: string): ErpProduct | undefined {
  return bySpelling.get(spelling);
}

/**
 * Returns the ERP product with the given provider code.
 * @throws TypeError for an unknown code
 */
export function productOf(code: ProviderCode): ErpProduct {
  const erp = bySpelling.get(code);
  if (erp === undefined) throw new TypeError(`${code} is not the code of an ERP provider.`);
  return erp;
}
