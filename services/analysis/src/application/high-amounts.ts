import type { Logger } from '@invoicecontrol/runtime/logger';
import { toMicro } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { ConvertedAmount } from '@invoicecontrol/engine/facts/exchange-rates';
import type { InvoiceStore } from './invoice-store.js';

/** Invoices of which an organization's usual amounts are taken. */
const INVOICES_MAX = 1_000;
/** Of fewer invoices nothing can be said about what is seldom. */
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
   * What the amounts of an organization are seldom above, in its base currency. Undefined while it is not known: it is
   * then being read, for later questions, and nobody waits for it.
   */
  atHand(organizationId: string, baseCurrency: string): DecimalAmount | undefined;
}

/** Remembers for minutes what is much for each organization. */
export function highAmounts({ invoices, logger }: Deps): HighAmounts {
  const known = new Map<string, { readonly amount: DecimalAmount | undefined; readonly at: number }>();
  const asking = new Set<string>();

  const read = async (organizationId: string, baseCurrency: string, key: string): Promise<void> => {
    asking.add(key);
    try {
      const amounts = await invoices.newestBaseAmounts(organizationId, INVOICES_MAX);
      known.delete(key);
      const oldest = known.keys().next().value;
      if (known.size >= ORGANIZATIONS_MAX && oldest !== undefined) known.delete(oldest);
      known.set(key, { amount: highAmountOf(amounts, baseCurrency), at: Date.now() });
    } catch (error) {
      logger.warn({ error, organizationId }, 'the usual amounts of an organization could not be read');
    } finally {
      asking.delete(key);
    }
  };
  return {
    atHand(organizationId, baseCurrency) {
      const key = `${organizationId}|${baseCurrency}`;
      const remembered = known.get(key);
      const isFresh = remembered !== undefined && Date.now() - remembered.at < FRESH_MS;
      if (!isFresh && !asking.has(key)) void read(organizationId, baseCurrency, key);
      return remembered?.amount;
    },
  };
}

/** The 95th percentile of the positive amounts in the base currency; undefined for fewer than 100. */
export function highAmountOf(amounts: readonly ConvertedAmount[], baseCurrency: string): DecimalAmount | undefined {
  const ascending = amounts
    .filter(({ currency, amount }) => currency === baseCurrency && toMicro(amount) > 0n)
    .map(({ amount }) => ({ amount, micro: toMicro(amount) }))
    .sort((left, right) => (left.micro < right.micro ? -1 : left.micro > right.micro ? 1 : 0));
  if (ascending.length < INVOICES_MIN) return undefined;
  return ascending[Math.ceil((ascending.length * PERCENTILE) / 100) - 1]?.amount;
}
