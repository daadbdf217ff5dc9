import type { CalendarDate } from '@invoicecontrol/values/calendar-date';

/**
 * Currencies that were replaced by another currency, with the first day of the new currency. Only currencies that an
 * invoice may state are listed. Reviewed 2026-11.
 */
const successors: Readonly<Record<string, { readonly currency: string; readonly from: CalendarDate }>> = {
  ANG: { currency: 'XCG', from: '2025-03-31' },
  BGN: { currency: 'EUR', from: '2026-01-01' },
  BYR: { currency: 'BYN', from: '2016-07-01' },
  CUC: { currency: 'CUP', from: '2021-01-01' },
  HRK: { currency: 'EUR', from: '2023-01-01' },
  LTL: { currency: 'EUR', from: '2015-01-01' },
  MRO: { currency: 'MRU', from: '2018-01-01' },
  SLL: { currency: 'SLE', from: '2022-07-01' },
  STD: { currency: 'STN', from: '2018-01-01' },
  VEF: { currency: 'VES', from: '2018-08-20' },
  ZWL: { currency: 'ZWG', from: '2024-04-08' },
};

/** Checks whether one currency had replaced another currency by a given day. */
export function isSuccessor(currency: string, of: string, day: CalendarDate): boolean {
  const successor = successors[of];
  return successor !== undefined && successor.currency === currency && day >= successor.from;
}
