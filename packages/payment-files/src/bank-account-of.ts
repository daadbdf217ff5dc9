import { composeIBAN } from 'ibantools';
import { readBankAccount } from '@invoicecontrol/values/bank-account';
import type { BankAccount } from '@invoicecontrol/values/bank-account';
import { compactOf, readPrintedIban } from '@invoicecontrol/values/printed-account';
import type { PaymentAccount } from './payment-file.js';
import { swedishBban } from './swedish-bban.js';

/**
 * Facts in a payment file about the bank of an account, which show the country of an account number without IBAN
 * (BBAN).
 */
export interface AccountAgent {
  readonly bic?: string;
  /** Code of the clearing system of a bank account in a payment file, such as GBDSC. */
  readonly clearing?: string;
  /** Number of a payment's bank in its clearing system, such as a sort code. */
  readonly memberId?: string;
  /**
   * Countries that are presumed for a bank account if neither the clearing system nor the BIC shows the country, the
   * most likely country first.
   */
  readonly countries?: readonly string[];
}

/** Countries of the clearing systems whose account numbers (BBAN) can be converted to an IBAN. */
const COUNTRY_OF_CLEARING: Readonly<Record<string, string>> = { GBDSC: 'GB', PLKNR: 'PL', SESBA: 'SE' };

/** Schemes of numbers that identify a payee but are not account numbers of a bank, such as Bankgiro and Plusgiro. */
const NO_ACCOUNT = /BANKGIRO|PLUSGIRO|BGNR|PGNR|GIRO|CARD|PROXY/i;

/**
 * Returns a bank account of a payment file in the form in which accounts are compared: an IBAN, or a UK sort code with
 * an account number. Returns undefined for a number that cannot be converted. Such a number equals no other account.
 */
export function bankAccountOf(account: PaymentAccount | undefined, agent: AccountAgent): BankAccount | undefined {
  if (account === undefined) return undefined;
  if (account.iban !== undefined) return { iban: account.iban };
  const uk = isIn('GB', agent) ? ukAccountOf(account, agent) : undefined;
  if (uk !== undefined) return uk;
  const iban = ibanOfBban(account, agent);
  return iban === undefined ? undefined : { iban };
}

/**
 * Returns the IBAN of an account of Poland, Denmark, Sweden, Norway or the United Kingdom. Returns undefined if the
 * number is not an account number of one of these countries, or can be read in two ways. A UK account needs a BIC,
 * which begins with the bank code of the IBAN.
 */
export function ibanOfBban(account: PaymentAccount, agent: AccountAgent): string | undefined {
  if (account.iban !== undefined) return account.iban;
  const { other, scheme = '' } = account;
  if (other === undefined || NO_ACCOUNT.test(scheme)) return undefined;
  // A printed IBAN, or 26 digits of a Polish account, whose check digits leave no doubt about the country.
  const printed = readPrintedIban(other);
  if (printed.kind === 'IBAN') return printed.iban;
  const digits = compactOf(other);
  for (const country of countriesOf(agent)) {
    const bban = bbanOf(country, digits, account, agent);
    const iban = bban === undefined ? null : composeIBAN({ countryCode: country, bban });
    if (iban !== null && readBankAccount({ iban }).problems.length === 0) return iban;
  }
  return undefined;
}

function bbanOf(country: string, digits: string, account: PaymentAccount, agent: AccountAgent): string | undefined {
  switch (country) {
    case 'GB':
      return ukBbanOf(account, agent);
    case 'SE':
      return swedishBban(withMember(digits, agent, 4));
    case 'NO':
      return /^[0-9]{11}$/.test(digits) ? digits : undefined;
    case 'DK':
      return danishBban(withMember(digits, agent, 4));
    default:
      return undefined;
  }
}

/**
 * Returns the BBAN of a Danish account: a registration number of four digits, and an account number of up to ten digits
 * that is filled with zeros.
 */
function danishBban(digits: string): string | undefined {
  return /^[0-9]{8,14}$/.test(digits) ? digits.slice(0, 4) + digits.slice(4).padStart(10, '0') : undefined;
}

function ukBbanOf(account: PaymentAccount, agent: AccountAgent): string | undefined {
  const digits = compactOf(account.other ?? '');
  if (/^[A-Z]{4}[0-9]{14}$/.test(digits)) return digits;
  const bank = /^[A-Z]{4}/.exec(agent.bic ?? '')?.[0];
  const uk = ukAccountOf(account, agent);
  return bank === undefined || uk === undefined ? undefined : `${bank}${uk.sortCode}${uk.accountNumber}`;
}

/** Reads a UK account: 8 digits with the sort code of the bank, both in one number, or the BBAN with the bank code. */
function ukAccountOf(
  { other = '', scheme = '' }: PaymentAccount,
  { clearing, memberId = '' }: AccountAgent,
): { readonly sortCode: string; readonly accountNumber: string } | undefined {
  if (NO_ACCOUNT.test(scheme)) return undefined;
  const digits = compactOf(other).replace(/^[A-Z]{4}(?=[0-9]{14}$)/, '');
  const sortCode = clearing === undefined || clearing === 'GBDSC' ? compactOf(memberId) : '';
  const whole = /^[0-9]{14}$/.test(digits) ? digits : `${sortCode}${digits.padStart(8, '0')}`;
  if (!/^[0-9]{14}$/.test(whole) || digits.length < 6) return undefined;
  return { sortCode: whole.slice(0, 6), accountNumber: whole.slice(6) };
}

/** Puts the number of the bank before a bank account number that is stated without it. */
function withMember(digits: string, { memberId = '' }: AccountAgent, length: number): string {
  const member = compactOf(memberId);
  return member.length >= length && member.length <= length + 1 && !digits.startsWith(member)
    ? member + digits
    : digits;
}

function isIn(country: string, agent: AccountAgent): boolean {
  return countriesOf(agent)[0] === country;
}

/** Returns the country of the bank of an account, if it is known, or otherwise the presumed countries. */
function countriesOf({ bic, clearing, countries = [] }: AccountAgent): readonly string[] {
  const ofClearing = COUNTRY_OF_CLEARING[clearing ?? ''];
  if (ofClearing !== undefined) return [ofClearing];
  const ofBic = /^[A-Z0-9]{4}([A-Z]{2})/.exec(bic ?? '')?.[1];
  return ofBic === undefined ? countries : [ofBic];
}
