import { readCustomerUrl } from '@invoicecontrol/egress/customer-url';
import type { Egress } from '@invoicecontrol/egress/egress';
import type { ConfigChecks } from '../providers/product.js';

/**
 * Checks the addresses in configurations of ERP connections. A customer URL must be public, or have an origin that the
 * installation allows.
 */
export function configChecks(
  egress: Pick<Egress, 'checkUrl'>,
  {
    allowedOrigins,
    bankOrigins,
  }: { readonly allowedOrigins: readonly string[]; readonly bankOrigins: readonly string[] },
): ConfigChecks {
  return {
    bankOrigins,
    async checkUrl(text) {
      const read = readCustomerUrl(text, { isHttpAllowed: true });
      return 'url' in read && allowedOrigins.includes(read.url.origin) ? read : egress.checkUrl(text);
    },
  };
}
