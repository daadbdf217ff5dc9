import { extractIBAN, validateIBAN, ValidationErrorsIBAN } from 'ibantools';
import { isCountryCode } from './country.js';

/** A bank account as an invoice states it (specification 2.2): an IBAN, or a UK sort code with an account number. */
export type BankAccount = { readonly iban: string } | { readonly sortCode: string; readonly accountNumber: string };

/** Reasons why a bank account is invalid. They are part of the evidence of BANK_ACCOUNT_INVALID. */
export type BankAccountProblem =
  | 'UNKNOWN_COUNTRY'
  | 'WRONG_LENGTH'
  | 'WRONG_STRUCTURE'
  | 'WRONG_CHECK_DIGITS'
  | 'WRONG_NATIONAL_CHECK'
  | 'WRONG_SORT_CODE'
  | 'WRONG_ACCOUNT_NUMBER';

/** The parsed bank account, which is computed once for each invoice. */
export interface BankAccountFacts {
  /**
   * Text that identifies the bank account in comparisons. It is `GB:` with 6 + 8 digits for a UK account in either
   * form, the IBAN for any other valid account, and `X:` with the raw text for an invalid account, which therefore
   * equals only the same text.
   */
  readonly key: string;
  /**
   * Masked form that may be shown: the first four and last four characters of an IBAN, or `NN****\/****NNNN` for a UK
   * account.
   */
  readonly masked: string;
  /** Country code of two letters. Also present for an invalid IBAN that begins with a country code. */
  readonly country?: string;
  /** Problems of the bank account. Empty if it is valid. */
  readonly problems: readonly BankAccountProblem[];
}

/** Maximum length of the stored text of an invalid bank account. The longest IBAN has 34 characters. */
const RAW_LENGTH_MAX = 64;

/** Parses a bank account (detection reference, section 3). Never throws; faults are listed in `problems`. */
export function readBankAccount(account: BankAccount): BankAccountFacts {
  return 'iban' in account ? readIban(account.iban) : readUkAccount(account.sortCode, account.accountNumber);
}

/** Returns the identity of a bank account (see `BankAccountFacts.key`). */
export function bankAccountKey(account: BankAccount): string {
  return readBankAccount(account).key;
}

/** Checks whether two bank accounts are the same. A GB IBAN equals its sort code and account number. */
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
 * Keeps only letters and digits, and removes a leading word "IBAN". Compatibility characters become ASCII (NFKC),
 * because otherwise a blocked account could pass in another spelling.
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

/** Returns the masked form of a bank account of which only the key is known. */
export function maskedOfKey(key: string): string {
  if (key.startsWith('GB:')) return maskUk(key.slice(3, 9), key.slice(9));
  return maskText(key.startsWith('X:') ? key.slice(2) : key);
}

/**
 * Masks a bank account number except for its first four and last four characters. A short text is masked completely.
 */
function maskText(text: string): string {
  if (text.length < 12) return '*'.repeat(text.length);
  return `${text.slice(0, 4)}${'*'.repeat(text.length - 8)}${text.slice(-4)}`;
}

/** Length of the bank code in countries whose IBAN has no bank identifier in the registry. */
const BANK_CODE_LENGTH = 4;

/**
 * Returns the part of an account key that identifies the bank: the sort code of a UK account, or the bank identifier of
 * an IBAN.
 */
export function bankCodeOfKey(key: string): string {
  if (key.startsWith('GB:')) return key.slice(0, 9);
  if (key.startsWith('X:')) return key.slice(0, 10);
  const { bankIdentifier, branchIdentifier } = extractIBAN(key);
  return `${key.slice(0, 2)}${bankIdentifier ?? branchIdentifier ?? key.slice(4, 4 + BANK_CODE_LENGTH)}`;
}
