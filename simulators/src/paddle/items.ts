import { invalid } from './refusal.js';

/** Ids of the prices of the simulated payment provider by name. */
export type Prices = Readonly<Record<string, string>>;

export interface Item {
  readonly priceId: string;
  readonly quantity: number;
}

export interface KnownPrice {
  /** Product of a price at the payment provider: `CORE`, `CONTROL`, `SCALE` or `ENTITY`. */
  readonly product: string;
  readonly interval: 'month' | 'year';
}

const QUANTITY_MAX = 100;

export function findPrice(prices: Prices, priceId: string): KnownPrice | undefined {
  const [name] = Object.entries(prices).find(([, id]) => id === priceId) ?? [];
  const [product, interval] = name?.split('_') ?? [];
  if (product === undefined || interval === undefined) return undefined;
  return { product, interval: interval === 'YEAR' ? 'year' : 'month' };
}

/**
 * Checks the items of a subscription as the checkout and the API of Paddle do.
 * @param idField `priceId` in Paddle.js, `price_id` in the API
 * @throws ApiRefusal
 */
export function readItems(value: unknown, prices: Prices, idField: 'priceId' | 'price_id'): readonly Item[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid('items: send at least one item.');
  const items = value.map((item: unknown) => readItem(item, prices, idField));
  const intervals = new Set(items.map(({ priceId }) => findPrice(prices, priceId)?.interval));
  if (intervals.size > 1) throw invalid('items: all recurring items must have the same billing interval.');
  if (new Set(items.map(({ priceId }) => priceId)).size < items.length) {
    throw invalid('items: each price may appear once.');
  }
  return items;
}

function readItem(value: unknown, prices: Prices, idField: 'priceId' | 'price_id'): Item {
  const item = asObject(value, 'items');
  const unknown = Object.keys(item).filter((name) => name !== idField && name !== 'quantity');
  if (unknown.length > 0) throw invalid(`items: an item has no ${unknown.join(', ')}.`);
  const { [idField]: priceId, quantity = 1 } = item;
  const price = typeof priceId === 'string' ? findPrice(prices, priceId) : undefined;
  if (typeof priceId !== 'string' || price === undefined) throw invalid('items: there is no such price.');
  const max = price.product === 'ENTITY' ? QUANTITY_MAX : 1;
  if (typeof quantity !== 'number' || !Number.isInteger(quantity) || quantity < 1 || quantity > max) {
    throw invalid(`items: the quantity of this price is from 1 to ${max}.`);
  }
  return { priceId, quantity };
}

/**
 * Requires that a value of a Paddle request is an object.
 * @throws ApiRefusal
 */
export function asObject(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${name}: send an object.`);
  return value as Readonly<Record<string, unknown>>;
}
