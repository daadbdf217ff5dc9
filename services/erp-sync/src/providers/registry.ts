import type { Config } from '../config.js';
import { businessCentral } from './business-central/product.js';
import { odoo } from './odoo/product.js';
import type { ErpProduct } from './product.js';
import type { Provider, ProviderCode } from './provider.js';
import { quickBooks } from './quickbooks/product.js';
import { xero } from './xero/product.js';

/** Every ERP that can be connected. */
export const products: readonly ErpProduct[] = [businessCentral, odoo, quickBooks, xero];

/** How each of them is read. */
const makers: readonly ((config: Config) => Provider)[] = [];

/** The ERPs that this version can read, at the addresses of the configuration. */
export function providersOf(config: Config): ReadonlyMap<ProviderCode, Provider> {
  return new Map(makers.map((make) => make(config)).map((provider) => [provider.code, provider]));
}

const bySpelling = new Map(
  products.flatMap((erp) => [
    [erp.code as string, erp],
    [erp.product, erp],
  ]),
);

/** An ERP by its code or its product name, letters as printed. */
export function findProduct(spelling: string): ErpProduct | undefined {
  return bySpelling.get(spelling);
}

/** @throws TypeError for a code that no product has */
export function productOf(code: ProviderCode): ErpProduct {
  const erp = bySpelling.get(code);
  if (erp === undefined) throw new TypeError(`${code} is the code of no ERP.`);
  return erp;
}
