import { createCache } from '@invoicecontrol/runtime/cache';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { toMicro } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { ConvertedAmount } from '@invoicecontrol/engine/facts/exchange-rates';
import type { InvoiceStore } from '../../records/application/invoice-store.js';

/** Number of the newest invoices that determine an organization's usual amounts. */
const INVOICES_MAX = 1_000;
/** Minimum number of invoices. A smaller number does not show which amounts are rare. */
const INVOICES_MIN = 100;
const PERCENTILE = 95;
const FRESH_MS = 10 * 60_000;
const ORGANIZATIONS_MAX = 10_000;

interface Deps {
  readonly invoices: Pick<InvoiceStore, 'newestBaseAmounts'>;
  readonly logger: Logger;
}

export interface HighAmounts {
  /**
   * Returns the cached amount that an organization's invoices rarely exceed, in its base currency. If the amount is not
   * cached, the result is undefined and the amount is loaded in the background for later calls.
   */
  cached(organizationId: string, baseCurrency: string): DecimalAmount | undefined;
}

/** Caches the high amounts of each organization for a few minutes. */
export function highAmounts({ invoices, logger }: Deps): HighAmounts {
  const cache = createCache<DecimalAmount | undefined, { organizationId: string; baseCurrency: string }>({
    async load(_, { organizationId, baseCurrency }) {
      try {
        return highAmountOf(await invoices.newestBaseAmounts(organizationId, INVOICES_MAX), baseCurrency);
      } catch (error) {
        logger.warn({ error, organizationId }, 'the usual amounts of an organization could not be read');
        throw error;
      }
    },
    freshMs: FRESH_MS,
    entriesMax: ORGANIZATIONS_MAX,
  });
  return {
    cached(organizationId, baseCurrency) {
      const key = `${organizationId}|${baseCurrency}`;
      // The result of the load is not awaited, and failures are logged elsewhere.
      cache.get(key, { organizationId, baseCurrency }).catch(() => {});
      return cache.peek(key);
    },
  };
}

/**
 * Returns the 95th percentile of the positive amounts in the base currency, or undefined for fewer than 100 amounts.
 */
export function highAmountOf(amounts: readonly ConvertedAmount[], baseCurrency: string): DecimalAmount | undefined {
  const ascending = amounts
    .filter(({ currency, amount }) => currency === baseCurrency && toMicro(amount) > 0n)
    .map(({ amount }) => ({ amount, micro: toMicro(amount) }))
    .sort((left, right) => (left.micro < right.micro ? -1 : left.micro > right.micro ? 1 : 0));
  if (ascending.length < INVOICES_MIN) return undefined;
  return ascending[Math.ceil((ascending.length * PERCENTILE) / 100) - 1]?.amount;
}
