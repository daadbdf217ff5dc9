import { readBankAccount } from '@invoicecontrol/values/bank-account';

/** What an account number of an invoice is: an IBAN, something that should be one, or another number. */
export type AccountReading =
  { readonly kind: 'IBAN'; readonly iban: string } | { readonly kind: 'INVALID_IBAN' } | { readonly kind: 'OTHER' };

const POLISH_ACCOUNT = /^[0-9]{26}$/;
const LOOKS_LIKE_IBAN = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{8,30}$/;

/**
 * Only what passes structure, length and check digits is an IBAN (documents reference, section 6). A number that fails
 * the check of its country alone is kept as one: the engine names that fault. 26 digits are a Polish account without its
 * country.
 */
export function readAccount(raw: string): AccountReading {
  const compact = raw
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replace(/^IBAN(?=[A-Z]{2}[0-9]{2})/, '');
  const candidate = POLISH_ACCOUNT.test(compact) ? `PL${compact}` : compact;
  if (!LOOKS_LIKE_IBAN.test(candidate)) return { kind: 'OTHER' };
  const { problems } = readBankAccount({ iban: candidate });
  if (problems.every((problem) => problem === 'WRONG_NATIONAL_CHECK')) return { kind: 'IBAN', iban: candidate };
  return problems.includes('UNKNOWN_COUNTRY') || candidate !== compact ? { kind: 'OTHER' } : { kind: 'INVALID_IBAN' };
}

/** A UK account; undefined where the numbers have another form. */
export function readUkAccount(
  sortCode: string,
  accountNumber: string,
): { readonly sortCode: string; readonly accountNumber: string } | undefined {
  if (!/^\s*[0-9]{2}[- ]?[0-9]{2}[- ]?[0-9]{2}\s*$/.test(sortCode)) return undefined;
  const number = accountNumber.trim();
  return /^[0-9]{6,8}$/.test(number) ? { sortCode: sortCode.replace(/[\s-]/g, ''), accountNumber: number } : undefined;
}
