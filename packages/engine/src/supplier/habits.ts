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

// The functions in this file compare the checked invoice with the habits of its supplier. Several families of detection
// rules use these functions.

/**
 * Returns the supplier's positive amounts in a currency, by default the currency of the invoice, sorted by day. Old
 * amounts are left out. The amount of an invoice with an open finding is left out too, unless the invoice is in the
 * same history scan as the checked invoice, because people cannot review one row of a scan before the next row is
 * checked.
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

/**
 * Compares the amount of the checked invoice with the supplier's usual amounts. Returns undefined if the supplier has
 * no earlier amounts.
 */
export function usualAmountStatistics(facts: Facts, parameters: AmountParameters): AmountStatistics | undefined {
  const uses = comparableAmounts(facts, parameters);
  const usual = uses.slice(-usualCount(amountsOf(uses), parameters));
  return amountStatistics(usual, facts.invoice.amountMinor, parameters.logMadFloor);
}

/**
 * Returns the number of newest comparable amounts that count as usual. All amounts count, unless the amounts of the
 * supplier grow (detection reference, section 7.4).
 */
export function usualCount(amounts: readonly number[], { trendAmounts, trendRatioMin }: AmountParameters): number {
  const older = amounts.slice(0, -trendAmounts);
  const isGrowing = older.length > 0 && median(amounts.slice(-trendAmounts)) >= median(older) * trendRatioMin;
  return isGrowing ? trendAmounts : amounts.length;
}

/**
 * Returns the usual and the new payment terms if the new terms are clearly shorter than the usual terms and the
 * supplier has hardly stated such short terms before. Undefined otherwise.
 */
export function shortenedTerms(
  { invoice, supplier }: Facts,
  { termsHistoryMin, termsModeShare, shortenedTermsDays, termsAcceptedAfter }: DateParameters,
): { readonly usualDays: number; readonly newDays: number } | undefined {
  const { terms } = supplier.profile;
  if (invoice.dueDay === undefined || terms.length < termsHistoryMin) return undefined;
  const newDays = invoice.dueDay - invoice.issueDay;
  // Short payment terms that the supplier has stated before are accepted, because some suppliers sometimes print the
  // last day of a discount as the due date.
  if (terms.filter(({ value }) => value <= newDays).length >= termsAcceptedAfter) return undefined;
  const usualDays = modeOf(terms, termsModeShare);
  if (usualDays === undefined || newDays >= usualDays) return undefined;
  return newDays <= usualDays - shortenedTermsDays || newDays * 2 <= usualDays ? { usualDays, newDays } : undefined;
}

/** Returns the country stated in the supplier's tax id, or undefined if the country is only presumed. */
export function statedTaxCountry({ taxCountry, taxCountryPresumed }: NormalisedInvoice): string | undefined {
  return taxCountryPresumed === true ? undefined : taxCountry;
}

/** Checks whether a supplier with known accounts requests payment to a bank account that it has never used. */
export function isOtherAccount({ invoice: { bankKey }, supplier }: Facts): boolean {
  const { accounts } = supplier.profile;
  return bankKey !== undefined && accounts.length > 0 && accounts.every(({ key }) => key !== bankKey);
}

/**
 * Checks whether the supplier gives each customer or invoice a separate account at one bank. Always false for an
 * invalid account.
 */
export function isVirtualAccount(
  { invoice: { bankKey, bankProblems, scanId }, supplier }: Facts,
  { virtualAccountsMin }: BankParameters,
): boolean {
  if (bankKey === undefined || bankProblems.length > 0) return false;
  const bankCode = bankCodeOfKey(bankKey);
  const { accounts, recentAccounts } = supplier.profile;
  const recent = new Set(recentAccounts.map((use) => use.text));
  // Bank accounts that are waiting for a review do not show a habit of the supplier.
  const areAllOfScan = areOfScan(accounts, scanId);
  const isHabit = (key: string): boolean =>
    accounts.some((use) => use.key === key && (isTrusted(use.trust) || use.earning !== undefined || areAllOfScan));
  return [...recent].filter((key) => bankCodeOfKey(key) === bankCode && isHabit(key)).length >= virtualAccountsMin;
}
