import { addDays } from '@invoicecontrol/values/calendar-date';
import { adjustedAmounts, misreadAmounts } from './amount-mutations.js';
import type { Bill } from './bill.js';
import { dateMutations } from './date-mutations.js';
import { both } from './mutation.js';
import type { Change, Mutation } from './mutation.js';
import {
  extendedNumbers,
  misreadNumbers,
  replacedNumbers,
  rewrittenNumbers,
  unrelatedNumbers,
} from './number-mutations.js';
import type { Party } from './parties.js';
import type { Random } from './random.js';
import { splitMutations } from './split-mutations.js';
import { supplierMutations } from './supplier-mutations.js';

/** Changes that write the same invoice number in another spelling. */
const numberSpellings: readonly Change[] = [
  rewrittenNumbers['other separators'],
  rewrittenNumbers['leading zeros lost'],
  rewrittenNumbers['label before the number'],
  rewrittenNumbers['year of the number in two digits'],
  extendedNumbers['letter appended'],
  extendedNumbers['word for a copy appended'],
  misreadNumbers['O for 0'],
];
const numberErrors: readonly Change[] = [
  ...numberSpellings,
  misreadNumbers['digits swapped'],
  misreadNumbers['digit left out'],
];
const amountErrors: readonly Change[] = [
  misreadAmounts['digits of the amount swapped'],
  misreadAmounts['net for gross'],
  misreadAmounts['amount rounded'],
  misreadAmounts['a cent off'],
];
/**
 * Mutations that change the amount of a duplicate but not its invoice number. Only the number then identifies the
 * original.
 */
const amountErrorsUnderTheNumber: readonly Change[] = [...amountErrors, adjustedAmounts['cash discount taken']];
const dateErrors: readonly Change[] = [
  dateMutations['day and month swapped'],
  dateMutations['dated some days later'],
  dateMutations['due date for the issue date'],
];
const supplierErrors: readonly Change[] = [
  supplierMutations['tax id left out'],
  supplierMutations['account left out'],
  supplierMutations['legal form left out, no tax id'],
  supplierMutations['misspelled name, no tax id'],
];

/**
 * Changes that turn a bill into a duplicate. Duplicates that cannot be distinguished from a clean bill are left out: a
 * neighbouring number, a digit misread in both number and amount, a new number months later, a pro forma.
 */
export const mutations: Readonly<Record<string, Mutation>> = {
  'exact copy': (bill) => bill,
  ...rewrittenNumbers,
  ...extendedNumbers,
  ...misreadNumbers,
  ...replacedNumbers,
  ...unrelatedNumbers,
  ...dateMutations,
  ...misreadAmounts,
  ...adjustedAmounts,
  ...supplierMutations,
  ...splitMutations,
  'errors in number and date': both(numberErrors, dateErrors),
  'errors in number and amount': both(numberSpellings, amountErrors),
  'errors in number and supplier': both(numberErrors, supplierErrors),
  'errors in date and amount': both(dateErrors, amountErrorsUnderTheNumber),
  'errors in date and supplier': both(dateErrors, supplierErrors),
  'errors in amount and supplier': both(amountErrorsUnderTheNumber, supplierErrors),
};

/**
 * Returns duplicates of the bill, made by the mutation with the given name. They arrive some days after the bill and
 * have the same `claim`, because they bill the same supply. Empty if the mutation is not possible for the bill.
 */
export function duplicatesOf(bill: Bill, mutation: string, party: Party, random: Random): Bill[] {
  const made = mutations[mutation]?.(bill, party, random);
  if (made === undefined) return [];
  const delayDays = random.integer(6, 40);
  return [made].flat().map((copy) => ({ ...copy, arrival: addDays(copy.arrival, delayDays), mutation }));
}
