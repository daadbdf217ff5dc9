import { readBankAccount } from './bank-account.js';
import type { BankAccount } from './bank-account.js';

/** The kinds of text that name an account: an IBAN, something that should be one, or another number. */
export type PrintedIban =
  { readonly kind: 'IBAN'; readonly iban: string } | { readonly kind: 'INVALID_IBAN' } | { readonly kind: 'OTHER' };

const POLISH_ACCOUNT = /^[0-9]{26}$/;
const LOOKS_LIKE_IBAN = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{8,30}$/;
/** A sort code and an account number in one text. */
const UK_ACCOUNT = /^([0-9]{6})([0-9]{8})$/;

/**
 * Reads an account as documents and ERPs print it: blanks, signs, small letters and the word IBAN before it do not count.
 * Only what passes structure, length and check digits is an IBAN (documents reference, section 6). A number that fails
 * the check of its country alone is kept as one: the engine names that fault. 26 digits are a Polish account without its
 * country.
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
 * The account that a text of an ERP states; undefined for another number, which is compared with nothing.
 * @param country of the ERP's company, where it is known: British ones write sort code and account number in one
 */
export function readPrintedAccount(printed: string, country?: string): BankAccount | undefined {
  const read = readPrintedIban(printed);
  if (read.kind === 'IBAN') return { iban: read.iban };
  const [, sortCode, accountNumber] = (country === 'GB' && UK_ACCOUNT.exec(compactOf(printed))) || [];
  return sortCode === undefined || accountNumber === undefined ? undefined : { sortCode, accountNumber };
}

/** Letters and digits without the word IBAN; two spellings of one number are equal. */
export function compactOf(printed: string): string {
  return printed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replace(/^IBAN(?=[A-Z]{2}[0-9]{2})/, '');
}
