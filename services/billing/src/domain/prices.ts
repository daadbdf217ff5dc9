/** Plans that can be bought in a checkout. The operator grants ENTERPRISE. */
export const planCodes = ['CORE', 'CONTROL', 'SCALE'] as const;
export type PlanCode = (typeof planCodes)[number];

export const intervals = ['month', 'year'] as const;
export type Interval = (typeof intervals)[number];

/** Products at the payment provider: the plans, and the legal entities beyond the first. */
export type Product = PlanCode | 'ENTITY';

type PriceName = `${Product}_${Uppercase<Interval>}`;

/** Names of all prices of plans, in the order of the configuration. */
export const priceNames = [
  'CORE_MONTH',
  'CORE_YEAR',
  'CONTROL_MONTH',
  'CONTROL_YEAR',
  'SCALE_MONTH',
  'SCALE_YEAR',
  'ENTITY_MONTH',
  'ENTITY_YEAR',
] as const satisfies readonly PriceName[];

/** Ids that the prices have at the payment provider, by the name of the price. */
export type Prices = Readonly<Record<(typeof priceNames)[number], string>>;

export function priceOf(prices: Prices, product: Product, interval: Interval): string {
  return prices[`${product}_${interval === 'month' ? 'MONTH' : 'YEAR'}`];
}

export interface KnownPrice {
  readonly product: Product;
  readonly interval: Interval;
}

/**
 * Returns the plan or addition for a price id of the payment provider, or undefined for a price that is not in the
 * configuration.
 */
export function findPrice(prices: Prices | undefined, priceId: string): KnownPrice | undefined {
  if (prices === undefined) return undefined;
  for (const product of [...planCodes, 'ENTITY'] as const) {
    for (const interval of intervals) {
      if (priceOf(prices, product, interval) === priceId) return { product, interval };
    }
  }
  return undefined;
}
