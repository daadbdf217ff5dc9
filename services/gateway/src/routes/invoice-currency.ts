import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { invoiceCurrency } from '@invoicecontrol/values/currency';
import type { z } from 'zod';
import { CURRENCY_CODE } from '../http/fields.js';

type CurrencyCheck = [
  refuse: (value: object, context: z.core.$RefinementCtx) => void,
  options: { when: (payload: { value: unknown }) => boolean },
];

/**
 * For `superRefine` on an object with `currency` and this date: which codes are currencies depends on the day, as a
 * withdrawn one may still stand on an old invoice. Said even when other fields are wrong as well, so that one answer
 * lists every fault.
 */
export function currencyOfItsDay(dateField: string): CurrencyCheck {
  return [
    (value, context) => {
      const refusal = refusalOf(value, dateField);
      if (refusal !== undefined) context.addIssue({ code: 'custom', path: ['currency'], message: refusal });
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  ];
}

/** None where code or date are not well-formed, which is said of the fields themselves. */
function refusalOf(value: object, dateField: string): string | undefined {
  const { currency, [dateField]: date } = value as Readonly<Record<string, unknown>>;
  if (typeof currency !== 'string' || typeof date !== 'string' || !CURRENCY_CODE.test(currency)) return undefined;
  const read = invoiceCurrency(currency, date);
  return 'refusal' in read && isCalendarDate(date) ? read.refusal : undefined;
}
