import { electronicFormatIBAN } from 'ibantools';
import { readBankAccount } from '@invoicecontrol/values/bank-account';
import type { BankAccountProblem } from '@invoicecontrol/values/bank-account';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { invoiceCurrency, minorUnitsOf } from '@invoicecontrol/values/currency';
import { isDecimalAmount, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { PaymentAccount } from './payment-file.js';
import { refusal } from './payment-file-refused.js';
import { childrenOf, descendant, placeOf, textAt, textOf } from './xml-elements.js';
import type { XmlElement } from './xml-elements.js';

/** Longest identifier of a payment file, a block or a transaction (Max35Text). */
export const IDENTIFIER_LENGTH_MAX = 35;
/** Maximum number of digits before the decimal point of an amount in a payment file. */
const INTEGER_DIGITS_MAX = 15;

export interface Money {
  readonly amount: DecimalAmount;
  readonly currency: string;
}

/** Reads an amount of a payment file with its currency. More decimals than the currency has are refused. */
export function readMoney(element: XmlElement): Money {
  const { currency } = element;
  if (currency === undefined || !/^[A-Z]{3}$/.test(currency) || 'refusal' in invoiceCurrency(currency, undefined)) {
    throw refusal(
      placeOf(element),
      'The amount has no ISO 4217 currency code in Ccy. State the code in capital letters, such as EUR.',
    );
  }
  const amount = readDecimal(element);
  if (amount.startsWith('-'))
    throw refusal(placeOf(element), 'The amount of the payment is negative. State the amount to pay without a sign.');
  const decimals = minorUnitsOf(currency);
  if ((amount.split('.')[1]?.length ?? 0) > decimals) {
    throw refusal(
      placeOf(element),
      `The amount has more decimals than the currency ${currency}, which has ${decimals}. Round the amount.`,
    );
  }
  return { amount, currency };
}

/**
 * Reads a decimal of XML Schema as an amount of a payment file. Only decimals in a form such as `.5`, `5.` or `+5` are
 * changed.
 */
function readDecimal(element: XmlElement): DecimalAmount {
  const text = textOf(element) ?? '';
  if (isDecimalAmount(text)) return text;
  const [, sign = '', integer = '', fraction = ''] = /^([+-]?)([0-9]*)(?:\.([0-9]*))?$/.exec(text) ?? [];
  const digits = integer.replace(/^0+(?=[0-9])/, '');
  const amount = `${sign === '-' ? '-' : ''}${digits === '' ? '0' : digits}${fraction === '' ? '' : `.${fraction}`}`;
  if (integer + fraction === '' || !isDecimalAmount(amount)) {
    const limit = `at most ${INTEGER_DIGITS_MAX} digits before a decimal point`;
    throw refusal(placeOf(element), `${element.name} is not a decimal number with ${limit}. Correct the number.`);
  }
  return amount;
}

/**
 * Reads the control sum of a payment file in micro-units. It may have up to 17 decimals, but the decimals after those
 * of an amount must be zeros.
 */
export function readControlSum(element: XmlElement): bigint {
  const text = textOf(element) ?? '';
  const [, integer = '', fraction = ''] = /^\+?([0-9]{0,18})(?:\.([0-9]{0,18}))?$/.exec(text) ?? [];
  const exact = fraction.replace(/(?<!0)0+$/, '');
  if (integer + fraction === '' || exact.length > 6) {
    throw refusal(
      placeOf(element),
      'CtrlSum is not a sum of amounts. Correct CtrlSum, or export the payment file again.',
    );
  }
  return toMicro(`${integer === '' ? '0' : integer}${exact === '' ? '' : `.${exact}`}`);
}

/** Reads the number of transactions as a payment file states it. */
export function readCount(element: XmlElement): number {
  const text = textOf(element) ?? '';
  if (!/^[0-9]{1,15}$/.test(text))
    throw refusal(placeOf(element), 'NbOfTxs is not a whole number of transactions. Correct NbOfTxs.');
  return Number(text);
}

/** Reads an identifier of a payment file, or undefined if the file has none. */
export function readIdentifier(parent: XmlElement | undefined, ...path: readonly string[]): string | undefined {
  const element = descendant(parent, ...path);
  const text = element === undefined ? undefined : textOf(element);
  if (element !== undefined && text !== undefined && [...text].length > IDENTIFIER_LENGTH_MAX) {
    throw refusal(
      placeOf(element),
      `${element.name} has more than ${IDENTIFIER_LENGTH_MAX} characters. Shorten its value.`,
    );
  }
  return text;
}

/**
 * Reads the day of a date in a payment file, which may have a time zone, or of an element that contains either a date
 * (Dt) or a time (DtTm).
 */
export function readDay(element: XmlElement | undefined): CalendarDate | undefined {
  if (element === undefined) return undefined;
  const choice = element.children.length > 0;
  const text = choice ? (textAt(element, 'Dt') ?? textAt(element, 'DtTm')) : textOf(element);
  if (text === undefined) return undefined;
  const day = text.slice(0, 10);
  if (!isCalendarDate(day) || !/^(?:$|[TZ+-])/.test(text.slice(10))) {
    throw refusal(placeOf(element), `${element.name} is not a date. State a date such as 2026-12-31.`);
  }
  return day;
}

/**
 * Reads a bank account of a payment file. Returns undefined if the file states no number of the account. An IBAN that
 * cannot be paid is refused.
 */
export function readAccount(account: XmlElement | undefined): PaymentAccount | undefined {
  const id = descendant(account, 'Id');
  const ibanElement = descendant(id, 'IBAN');
  const iban = ibanElement === undefined ? undefined : readIban(ibanElement);
  const other = textAt(id, 'Othr', 'Id');
  if (id !== undefined && iban !== undefined && other !== undefined) {
    throw refusal(placeOf(id), 'The account has both an IBAN and another number. State only one of the two.');
  }
  if (iban !== undefined) return { iban };
  if (other === undefined) return undefined;
  const scheme = textAt(id, 'Othr', 'SchmeNm', 'Cd') ?? textAt(id, 'Othr', 'SchmeNm', 'Prtry');
  return { other, ...(scheme !== undefined && { scheme }) };
}

/**
 * Descriptions of the faults of an IBAN in a payment file, in order of precedence. Only the first fault of an IBAN is
 * reported, because a number that is too short also has wrong check digits.
 */
const FAULTS: Readonly<Partial<Record<BankAccountProblem, string>>> = {
  UNKNOWN_COUNTRY: 'it does not begin with the code of a country',
  WRONG_LENGTH: 'its length is wrong',
  WRONG_STRUCTURE: 'it has characters that are not possible there',
  WRONG_CHECK_DIGITS: 'its check digits are wrong',
};

/**
 * Checks an IBAN in a payment file. An IBAN that fails only the national check of its country can be paid, so the
 * detection engine reports it instead.
 */
function readIban(element: XmlElement): string | undefined {
  const text = textOf(element);
  if (text === undefined) return undefined;
  const iban = electronicFormatIBAN(text) ?? '';
  const { problems } = readBankAccount({ iban });
  if (problems.every((one) => one === 'WRONG_NATIONAL_CHECK') && /^[A-Z0-9]+$/.test(iban)) return iban;
  const fault = Object.entries(FAULTS).find(([problem]) => problems.some((one) => one === problem))?.[1];
  throw refusal(placeOf(element), `The IBAN is not valid: ${fault ?? FAULTS.WRONG_STRUCTURE}. Correct the IBAN.`);
}

/**
 * Reads the numbers by which a tax authority knows a party of a payment. Numbers with a code for something else (DUNS,
 * customer number) are left out; a number with a proprietary scheme or without a scheme may be a tax id. A number that
 * is not a tax id matches no supplier.
 */
export function readTaxIds(party: XmlElement | undefined): readonly string[] {
  const found = ['OrgId', 'PrvtId'].flatMap((kind) =>
    childrenOf(descendant(party, 'Id', kind), 'Othr').flatMap((other) => {
      const code = textAt(other, 'SchmeNm', 'Cd');
      const id = textAt(other, 'Id');
      return id !== undefined && (code === undefined || code === 'TXID') ? [id] : [];
    }),
  );
  return [...new Set(found)];
}
