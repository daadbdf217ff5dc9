import { bankCodeOfKey } from '@invoicecontrol/values/bank-account';
import type { Facts } from '../facts/facts.js';
import type { NormalisedInvoice } from '../facts/invoice.js';
import type { AmountParameters } from '../policy/amounts.js';
import type { BankParameters } from '../policy/bank-accounts.js';
import type { DateParameters } from '../policy/dates.js';
import type { AmountUse } from '../facts/supplier.js';
import { areOfScan, isTrusted } from './profile.js';
import { amountsOf, amountStatistics, median, modeOf } from './statistics.js';
import type { AmountStatistics } from './statistics.js';

// Compares the checked invoice with the habits of its supplier, for several families.

/**
 * Positive amounts of the supplier in a currency, that of the invoice if none is given, by day: those that are young enough
 * to say what is usual, and that nobody asks about. Rows of one scan were received at once, and nobody could answer for one
 * before the next.
 */
export function comparableAmounts(
  { invoice, supplier }: Facts,
  { amountWindowDays }: AmountParameters,
  currency: string = invoice.currency,
): readonly AmountUse[] {
  const uses = supplier.profile.amounts[currency] ?? [];
  return uses.filter(
    ({ day, askedOn, askedInScan }) =>
      invoice.issueDay - day <= amountWindowDays &&
      (askedOn === undefined || (askedInScan !== undefined && askedInScan === invoice.scanId)),
  );
}

/** Statistics of the amount against the supplier's usual ones; undefined without any. */
export function usualAmountStatistics(facts: Facts, parameters: AmountParameters): AmountStatistics | undefined {
  const uses = comparableAmounts(facts, parameters);
  const usual = uses.slice(-usualCount(amountsOf(uses), parameters));
  return amountStatistics(usual, facts.invoice.amountMinor, parameters.logMadFloor);
}

/**
 * Number of newest comparable amounts that count as usual: all of them, except for a supplier that grows (detection reference,
 * section 7.4).
 */
export function usualCount(amounts: readonly number[], { trendAmounts, trendRatioMin }: AmountParameters): number {
  const older = amounts.slice(0, -trendAmounts);
  const isGrowing = older.length > 0 && median(amounts.slice(-trendAmounts)) >= median(older) * trendRatioMin;
  return isGrowing ? trendAmounts : amounts.length;
}

/** Usual and new payment terms, when the new ones are clearly shorter than ever; undefined otherwise. */
export function shortenedTerms(
  { invoice, supplier }: Facts,
  { termsHistoryMin, termsModeShare, shortenedTermsDays, termsAcceptedAfter }: DateParameters,
): { readonly usualDays: number; readonly newDays: number } | undefined {
  const { terms } = supplier.profile;
  if (invoice.dueDay === undefined || terms.length < termsHistoryMin) return undefined;
  const newDays = invoice.dueDay - invoice.issueDay;
  // Some suppliers print the day until which a discount is granted now and then.
  if (terms.filter(({ value }) => value <= newDays).length >= termsAcceptedAfter) return undefined;
  const usualDays = modeOf(terms, termsModeShare);
  if (usualDays === undefined || newDays >= usualDays) return undefined;
  return newDays <= usualDays - shortenedTermsDays || newDays * 2 <= usualDays ? { usualDays, newDays } : undefined;
}

/** The country that the supplier's tax id states; undefined when it is only presumed. */
export function statedTaxCountry({ taxCountry, taxCountryPresumed }: NormalisedInvoice): string | undefined {
  return taxCountryPresumed === true ? undefined : taxCountry;
}

/** Tells whether a supplier with known accounts asks for payment to one it never used. */
export function isOtherAccount({ invoice: { bankKey }, supplier }: Facts): boolean {
  const { accounts } = supplier.profile;
  return bankKey !== undefined && accounts.length > 0 && accounts.every(({ key }) => key !== bankKey);
}

/** Tells whether the supplier gives every customer or invoice its own account at one bank; false for an invalid account. */
export function isVirtualAccount(
  { invoice: { bankKey, bankProblems, scanId }, supplier }: Facts,
  { virtualAccountsMin }: BankParameters,
): boolean {
  if (bankKey === undefined || bankProblems.length > 0) return false;
  const bankCode = bankCodeOfKey(bankKey);
  const { accounts, recentAccounts } = supplier.profile;
  const recent = new Set(recentAccounts.map((use) => use.text));
  // Accounts that wait for a review are not a habit of the supplier.
  const areAllOfScan = areOfScan(accounts, scanId);
  const isHabit = (key: string): boolean =>
    accounts.some((use) => use.key === key && (isTrusted(use.trust) || use.earning !== undefined || areAllOfScan));
  return [...recent].filter((key) => bankCodeOfKey(key) === bankCode && isHabit(key)).length >= virtualAccountsMin;
}
