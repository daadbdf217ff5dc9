import type { ErpProduct } from '../product.js';

export const xero: ErpProduct = { code: 'PROVIDER_D', product: 'XERO', title: 'Xero' };
