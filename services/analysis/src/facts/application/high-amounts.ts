import type { Clock } from '@invoicecontrol/runtime/clock';
import { createCache } from '@invoicecontrol/runtime/cache';
import { toMicro } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { ConvertedAmount } from '@invoicecontrol/engine/facts/exchange-rates';
import type { InvoiceStore } from '../../records/application/invoice-store.js';

/** Number of the newest invoices that determine an organization's usual amounts. */
const INVOICES_MAX = 1_000;
/** Minimum number of invoices that show which amounts are rare in an organization. */
const INVOICES_MIN = 100;
const PERCENTILE = 95;
/** Time in milliseconds for which the amount that counts as high in an organization does not change. */
const PERIOD_MS = 10 * 60_000;
const ORGANIZATIONS_MAX = 10_000;

interface Deps {
  readonly invoices: Pick<InvoiceStore, 'newestBaseAmounts'>;
  readonly stored: HighAmountStore;
  readonly clock: Clock;
}

/** A period for which the amount that counts as high in an organization is stored, in its base currency. */
export interface HighAmountPeriod {
  readonly organizationId: string;
  readonly baseCurrency: string;
  /** Beginning of the period in which all replicas use the same amount as the high amount of an organization. */
  readonly period: Date;
}

/**
 * Stores the amount that counts as high in an organization. All replicas use the same amount until its period ends.
 */
export interface HighAmountStore {
  /**
   * Returns the amount that counts as high in an organization in a period: null for too few invoices, and undefined if
   * no amount is stored yet.
   */
  find(of: HighAmountPeriod): Promise<{ readonly amount: DecimalAmount | null } | undefined>;
  /**
   * Stores the amount that counts as high in an organization in a period. Returns false if another replica stored an
   * amount first.
   */
  insert(of: HighAmountPeriod, amount: DecimalAmount | null): Promise<boolean>;
}

export interface HighAmounts {
  /**
   * Returns the amount that an organization's invoices rarely exceed, in its base currency. The result is undefined
   * for too few invoices.
   */
  of(organizationId: string, baseCurrency: string): Promise<DecimalAmount | undefined>;
}

/**
 * Provides the amount that counts as high in each organization. The first decision that needs the amount in a period
 * stores it, and the amount does not change until the period ends. A decision therefore does not depend on which
 * replica makes it or on what that replica has cached (ADR 0125).
 */
export function highAmounts({ invoices, stored, clock }: Deps): HighAmounts {
  const cache = createCache<DecimalAmount | null, HighAmountPeriod>({
    async load(_, of) {
      const existing = await stored.find(of);
      if (existing !== undefined) return existing.amount;
      const amounts = await invoices.newestBaseAmounts(of.organizationId, INVOICES_MAX);
      const amount = highAmountOf(amounts, of.baseCurrency) ?? null;
      if (await stored.insert(of, amount)) return amount;
      const first = await stored.find(of);
      if (first === undefined) throw new Error(`the high amount of organization ${of.organizationId} was removed`);
      return first.amount;
    },
    freshMs: PERIOD_MS,
    entriesMax: ORGANIZATIONS_MAX,
    clock,
  });
  return {
    async of(organizationId, baseCurrency) {
      const nowMs = clock.now().getTime();
      const period = new Date(nowMs - (nowMs % PERIOD_MS));
      const key = `${organizationId}|${baseCurrency}|${period.getTime()}`;
      return (await cache.get(key, { organizationId, baseCurrency, period })) ?? undefined;
    },
  };
}

/**
 * Returns the 95th percentile of positive invoice amounts in the base currency, or undefined for fewer than 100
 * amounts.
 */
export function highAmountOf(amounts: readonly ConvertedAmount[], baseCurrency: string): DecimalAmount | undefined {
  const ascending = amounts
    .filter(({ currency, amount }) => currency === baseCurrency && toMicro(amount) > 0n)
    .map(({ amount }) => ({ amount, micro: toMicro(amount) }))
    .sort((left, right) => (left.micro < right.micro ? -1 : left.micro > right.micro ? 1 : 0));
  if (ascending.length < INVOICES_MIN) return undefined;
  return ascending[Math.ceil((ascending.length * PERCENTILE) / 100) - 1]?.amount;
}
