import type { Candidate } from '../facts/invoice.js';
import type { RecentBill } from '../facts/supplier.js';

/**
 * Checks whether a record and these bills of its supplier each state an order of their own. Bills without an order do
 * not count.
 * @param ordersMin minimum number of bills with an order
 */
export function haveOwnOrders(
  { poKey }: Pick<Candidate, 'poKey'>,
  bills: readonly Pick<RecentBill, 'poKey'>[],
  ordersMin = 0,
): boolean {
  const orders = bills.flatMap((bill) => bill.poKey ?? []);
  return orders.length >= ordersMin && new Set([...orders, poKey]).size > orders.length;
}
