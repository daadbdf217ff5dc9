import { withGross, withInvoice } from './bill.js';
import type { Change } from './mutation.js';
import { isTelling, regrossed, writtenAgain } from './mutation.js';

/** Mutations that misread the amount of an invoice, or replace it by another amount of the invoice. */
export const misreadAmounts = {
  'digits of the amount swapped': regrossed((value) => {
    const swapped = String(value).replace(/^(\d)(\d)/, '$2$1');
    return swapped.startsWith('0') ? undefined : Number(swapped);
  }),
  'net for gross': (bill, { vatPercent }) => withGross(bill, bill.invoice.net_amount ?? '0', vatPercent),
  'amount rounded': regrossed((value) => Math.round(value / 100) * 100),
  'a cent off': regrossed((value) => value + 1),
  'decimal slip': regrossed((value) => value * 10),
  'decimal slip to the left': regrossed((value) => Math.round(value / 10)),
  'currency mistaken': (bill, { currency }) => withInvoice(bill, { currency: currency === 'EUR' ? 'USD' : 'EUR' }),
  'wrong digit in the amount': regrossed((value, random) => {
    const digits = String(value);
    const place = random.integer(0, digits.length - 1);
    const wrong = (Number(digits[place]) + random.integer(1, 9)) % 10;
    return place === 0 && wrong === 0 ? undefined : Number(digits.slice(0, place) + wrong + digits.slice(place + 1));
  }),
  'digit of the amount left out': regrossed((value, random) => {
    const digits = String(value);
    const place = random.integer(1, digits.length - 2);
    return digits.length < 5 ? undefined : Number(digits.slice(0, place) + digits.slice(place + 1));
  }),
} as const satisfies Record<string, Change>;

/** Mutations that change the amount by a small discount or surcharge. */
export const adjustedAmounts = {
  'cash discount taken': regrossed((value, random) => Math.round(value * random.pick([0.98, 0.97]))),
  'freight added': regrossed((value, random) => value + random.pick([590, 690, 990, 1_250, 1_500, 2_500])),
  'bank fee taken or added': regrossed(
    (value, random) => value + random.pick([-1, 1]) * random.pick([150, 350, 500, 1_000]),
  ),
  'billed again with a fee': (bill, party, random) => {
    if (!isTelling(bill.invoice.invoice_number)) return undefined;
    const withFee = regrossed((value) => value + random.pick([500, 1_000, 4_000]))(bill, party, random);
    return withFee === undefined ? undefined : writtenAgain(withFee, random.integer(20, 50));
  },
} as const satisfies Record<string, Change>;
