import type { Candidate } from '../facts/invoice.js';
import type { RecentBill } from '../facts/supplier.js';

/**
 * Checks whether an invoice and other bills of its supplier each state a different purchase order. Bills without an
 * order do not count.
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
