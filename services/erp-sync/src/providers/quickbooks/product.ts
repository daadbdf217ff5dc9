import type { ErpProduct } from '../product.js';

export const quickBooks: ErpProduct = {
  code: 'PROVIDER_C',
  product: 'QUICKBOOKS_ONLINE',
  title: 'QuickBooks Online',
};
