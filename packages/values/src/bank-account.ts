import { extractIBAN, validateIBAN, ValidationErrorsIBAN } from 'ibantools';
import { isCountryCode } from './country.js';

/** An account as an invoice states it (specification 2.2): an IBAN, or a UK sort code with its account number. */
export type BankAccount = { readonly iban: string } | { readonly sortCode: string; readonly accountNumber: string };

/** The reasons why an account cannot be paid to. Part of the evidence of BANK_ACCOUNT_INVALID. */
export type BankAccountProblem =
  | 'UNKNOWN_COUNTRY'
  | 'WRONG_LENGTH'
  | 'WRONG_STRUCTURE'
  | 'WRONG_CHECK_DIGITS'
  | 'WRONG_NATIONAL_CHECK'
  | 'WRONG_SORT_CODE'
  | 'WRONG_ACCOUNT_NUMBER';

/** The parsed account; computed once per invoice. */
export interface BankAccountFacts {
  /**
   * The identity of the account: `GB:` with 6 + 8 digits for a UK account in either form, the IBAN for others,
   * `X:` with the raw text for an invalid account, so that it still equals itself.
   */
  readonly key: string;
  /** Safe to show: first four and last four of an IBAN, `NN****\/****NNNN` of a UK account. */
  readonly masked: string;
  /** Two letters, also of an invalid IBAN as long as it names a country. */
  readonly country?: string;
  /** Empty for a valid account. */
  readonly problems: readonly BankAccountProblem[];
}

/** Limit of the text kept of an invalid account. The longest IBAN has 34 characters. */
const RAW_LENGTH_MAX = 64;

/** Reads an account (detection reference, section 3). Never throws: what is wrong is listed in `problems`. */
export function readBankAccount(account: BankAccount): BankAccountFacts {
  return 'iban' in account ? readIban(account.iban) : readUkAccount(account.sortCode, account.accountNumber);
}

/** The identity of an account; see `BankAccountFacts.key`. */
export function bankAccountKey(account: BankAccount): string {
  return readBankAccount(account).key;
}

/** A GB IBAN and its sort code with account number are the same account. */
export function sameAccount(left: BankAccount, right: BankAccount): boolean {
  return bankAccountKey(left) === bankAccountKey(right);
}

function readIban(raw: string): BankAccountFacts {
  const iban = normaliseIban(raw);
  const country = iban.slice(0, 2);
  const known = isCountryCode(country) ? { country } : {};
  const problems = ibanProblems(iban);
  if (problems.length > 0) return { key: `X:${iban}`, masked: maskText(iban), ...known, problems };
  return { key: country === 'GB' ? `GB:${iban.slice(8)}` : iban, masked: maskText(iban), ...known, problems };
}

/**
 * Keeps letters and digits only and removes a leading word IBAN. Compatibility characters become ASCII (NFKC), or a
 * blocked account would pass in another spelling.
 */
function normaliseIban(raw: string): string {
  const compact = raw
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
    .slice(0, RAW_LENGTH_MAX);
  return compact.replace(/^IBAN(?=[A-Z]{2}[0-9]{2})/, '');
}

function ibanProblems(iban: string): BankAccountProblem[] {
  const { valid, errorCodes } = validateIBAN(iban);
  if (valid) return [];
  return [...new Set(errorCodes.map(toProblem))].sort();
}

function toProblem(code: ValidationErrorsIBAN): BankAccountProblem {
  switch (code) {
    case ValidationErrorsIBAN.NoIBANProvided:
    case ValidationErrorsIBAN.WrongBBANFormat:
    case ValidationErrorsIBAN.QRIBANNotAllowed:
      return 'WRONG_STRUCTURE';
    case ValidationErrorsIBAN.NoIBANCountry:
      return 'UNKNOWN_COUNTRY';
    case ValidationErrorsIBAN.WrongBBANLength:
      return 'WRONG_LENGTH';
    case ValidationErrorsIBAN.ChecksumNotNumber:
    case ValidationErrorsIBAN.WrongIBANChecksum:
      return 'WRONG_CHECK_DIGITS';
    case ValidationErrorsIBAN.WrongAccountBankBranchChecksum:
      return 'WRONG_NATIONAL_CHECK';
  }
}

function readUkAccount(rawSortCode: string, rawAccountNumber: string): BankAccountFacts {
  const sortCode = rawSortCode.replace(/[\s-]/g, '');
  const accountNumber = rawAccountNumber.replace(/[\s-]/g, '');
  const problems: BankAccountProblem[] = [];
  if (!/^[0-9]{6}$/.test(sortCode)) problems.push('WRONG_SORT_CODE');
  if (!/^[0-9]{6,8}$/.test(accountNumber)) problems.push('WRONG_ACCOUNT_NUMBER');
  const raw = `${sortCode}${accountNumber}`.toUpperCase().slice(0, RAW_LENGTH_MAX);
  if (problems.length > 0) return { key: `X:${raw}`, masked: maskText(raw), country: 'GB', problems };
  const padded = accountNumber.padStart(8, '0');
  return { key: `GB:${sortCode}${padded}`, masked: maskUk(sortCode, padded), country: 'GB', problems };
}

function maskUk(sortCode: string, accountNumber: string): string {
  return `${sortCode.slice(0, 2)}****/****${accountNumber.slice(-4)}`;
}

/** Shows the first four and last four characters; masks a short text completely. */
function maskText(text: string): string {
  if (text.length < 12) return '*'.repeat(text.length);
  return `${text.slice(0, 4)}${'*'.repeat(text.length - 8)}${text.slice(-4)}`;
}

/** Used for countries whose IBAN has no bank identifier in the registry. */
const BANK_CODE_LENGTH = 4;

/** The part of an account key that names the bank: the sort code of a UK account, else the IBAN's bank identifier. */
export function bankCodeOfKey(key: string): string {
  if (key.startsWith('GB:')) return key.slice(0, 9);
  if (key.startsWith('X:')) return key.slice(0, 10);
  const { bankIdentifier, branchIdentifier } = extractIBAN(key);
  return `${key.slice(0, 2)}${bankIdentifier ?? branchIdentifier ?? key.slice(4, 4 + BANK_CODE_LENGTH)}`;
}
