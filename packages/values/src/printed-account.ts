import { readBankAccount } from './bank-account.js';
import type { BankAccount } from './bank-account.js';

/** Kinds of text that state a bank account: a valid IBAN, a text that should be an IBAN, or another number. */
export type PrintedIban =
  { readonly kind: 'IBAN'; readonly iban: string } | { readonly kind: 'INVALID_IBAN' } | { readonly kind: 'OTHER' };

const POLISH_ACCOUNT = /^[0-9]{26}$/;
const LOOKS_LIKE_IBAN = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{8,30}$/;
/** Matches a UK sort code that is followed directly by the account number. */
const UK_ACCOUNT = /^([0-9]{6})([0-9]{8})$/;

/**
 * Reads a bank account as documents and ERPs print it. Spaces, punctuation, lower case and a preceding word "IBAN" are
 * ignored. Only a text with the right structure, length and check digits is an IBAN (documents reference, section 6). A
 * number that fails only the national check of its country is still an IBAN; the engine reports that fault. 26 digits
 * are a Polish account without its country code.
 */
export function readPrintedIban(printed: string): PrintedIban {
  const compact = compactOf(printed);
  const candidate = POLISH_ACCOUNT.test(compact) ? `PL${compact}` : compact;
  if (!LOOKS_LIKE_IBAN.test(candidate)) return { kind: 'OTHER' };
  const { problems } = readBankAccount({ iban: candidate });
  if (problems.every((problem) => problem === 'WRONG_NATIONAL_CHECK')) return { kind: 'IBAN', iban: candidate };
  return problems.includes('UNKNOWN_COUNTRY') || candidate !== compact ? { kind: 'OTHER' } : { kind: 'INVALID_IBAN' };
}

/**
 * Returns the bank account in a text from an ERP. Returns undefined for any other number, because such a number is
 * never compared.
 * @param country country of the company in the ERP, if known; UK companies may write sort code and account number as
 * one number
 */
export function readPrintedAccount(printed: string, country?: string): BankAccount | undefined {
  const read = readPrintedIban(printed);
  if (read.kind === 'IBAN') return { iban: read.iban };
  const [, sortCode, accountNumber] = (country === 'GB' && UK_ACCOUNT.exec(compactOf(printed))) || [];
  return sortCode === undefined || accountNumber === undefined ? undefined : { sortCode, accountNumber };
}

/**
 * Returns the letters and digits of a bank account without the word "IBAN". Two spellings of one account number give
 * the same result.
 */
export function compactOf(printed: string): string {
  return printed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replace(/^IBAN(?=[A-Z]{2}[0-9]{2})/, '');
}
