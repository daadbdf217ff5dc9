import { cents, withGross, withInvoice } from './bill.js';
import type { Mutation } from './mutation.js';
import { grossCents } from './mutation.js';

/** Mutations that split the invoice into parts with the same total. */
export const splitMutations = {
  'split in two parts': split(/\d{4}$/, (number, part) => `${number}/${part}`),
  'split in two lettered parts': split(/\d{3}$/, (number, part) => `${number}${part === 1 ? 'A' : 'B'}`),
  'split in two parts, the first with the number of the whole': split(/\d{3}$/, (number, part) =>
    part === 1 ? number : `${number}-2`,
  ),
  'split in two parts, counted 1/2 and 2/2': split(/\d{3}/, (number, part) => `${number} ${part}/2`),
  'split in two parts under the number of the whole': split(/\d{3}/, (number) => number),
} as const satisfies Record<string, Mutation>;

/** Returns a mutation that splits the invoice into two parts of different size, if its number has a suitable form. */
function split(fitting: RegExp, numberOf: (number: string, part: 1 | 2) => string): Mutation {
  return (bill, { vatPercent }, random) => {
    const { invoice_number: number } = bill.invoice;
    if (!fitting.test(number)) return undefined;
    const total = grossCents(bill);
    const first = Math.floor(total * random.pick([0.3, 0.4, 0.45]));
    const part = (which: 1 | 2, value: number): typeof bill =>
      withGross(withInvoice(bill, { invoice_number: numberOf(number, which) }), cents(value), vatPercent);
    return [part(1, first), part(2, total - first)];
  };
}
