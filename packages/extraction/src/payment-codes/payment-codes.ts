import { ACCOUNT_FIELDS } from '../reading.js';
import type { FieldConflict, FieldPath, FieldReading } from '../reading.js';
import type { TextReading } from '../text/read-text.js';
import { readPrintedIban } from '@invoicecontrol/values/printed-account';
import { readPayBySquare } from './pay-by-square.js';
import { compareWithPage } from '../page-comparison/compare-with-page.js';
import type { VisiblePage } from '../page-comparison/compare-with-page.js';

/** The payment that a payment code describes for a banking app. */
export type PaymentCode = Readonly<Partial<Record<FieldPath, { readonly value: string }>>>;

/**
 * Line numbers in the Swiss QR-bill, whose lines are header, version, coding, account, creditor, ultimate creditor,
 * amount and currency.
 */
const SWISS = { account: 3, amount: 18, currency: 19 } as const;
/**
 * Line numbers in the European QR code, whose lines are service tag, version, coding, SCT, BIC, name, account, and
 * amount with currency.
 */
const EPC = { service: 3, account: 6, amount: 7 } as const;
/** Part numbers in the Polish 2D code, whose parts are NIP, country, account, and amount in grosze. */
const POLISH = { account: 2, amount: 3 } as const;
/**
 * Numbers of the lines in the Slovenian UPN payment code, which names the payer before the amount and the payee after
 * it.
 */
const SLOVENIAN = { amount: 8, account: 14 } as const;
/**
 * Numbers of the lines in the Hungarian payment code, whose lines are kind, version, coding, BIC, name, account and
 * amount.
 */
const HUNGARIAN = { account: 5, amount: 6 } as const;

/** Compares payment codes with the printed values of the document pages (detection reference, 7.6). */
export function compareCodes(texts: readonly string[], visible: VisiblePage): FieldConflict[] {
  const codes = texts.flatMap((text) => readPaymentCode(text) ?? []);
  return codes.flatMap((code) => compareWithPage(code, visible, 'QR'));
}

/**
 * Confidence of an account that only a payment code states. The check digits of such an account are right, but people
 * do not see it.
 */
const CONFIDENCE_OF_CODE = 0.95;

/**
 * Adds the account of a payment code to a reading that names no account. A banking app pays this account, so it is
 * compared with the accounts of the supplier. If codes state different accounts, none is added.
 */
export function withAccountOfCode(reading: TextReading, texts: readonly string[], pageCount: number): TextReading {
  const hasAccount =
    reading.invalidIban !== null || ACCOUNT_FIELDS.some((field) => reading.fields[field] !== undefined);
  const ibans = texts.flatMap((text) => readPaymentCode(text)?.['supplier.bank_account.iban']?.value ?? []);
  const [iban] = ibans;
  if (hasAccount || iban === undefined || ibans.some((other) => other !== iban)) return reading;
  const field: FieldReading = {
    value: iban,
    raw: iban,
    page: pageCount === 1 ? 1 : null,
    box: null,
    confidence: CONFIDENCE_OF_CODE,
    method: 'PATTERN',
    xpath: null,
  };
  return { ...reading, fields: { ...reading.fields, 'supplier.bank_account.iban': field } };
}

/**
 * Returns the account, the amount and the currency of a payment code, or the tax number and the amount of a ZATCA code.
 * Undefined for any other text.
 */
export function readPaymentCode(text: string): PaymentCode | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  for (const read of readers) {
    const code = read(text, lines);
    if (code !== undefined) return code;
  }
  return undefined;
}

type Reader = (text: string, lines: readonly string[]) => PaymentCode | undefined;

/** Readers of payment codes, one for each kind of code. */
const readers: readonly Reader[] = [
  readEuropean,
  readSwiss,
  readPolish,
  readCzech,
  readSlovenian,
  readHungarian,
  readIndian,
  readSaudi,
  readSlovak,
];

function readEuropean(_: string, lines: readonly string[]): PaymentCode | undefined {
  if (lines[0] !== 'BCD' || lines[EPC.service] !== 'SCT') return undefined;
  const [, currency, amount] = /^([A-Z]{3})(\d+(?:\.\d{1,2})?)$/.exec(lines[EPC.amount] ?? '') ?? [];
  return toCode(lines[EPC.account], amount, currency);
}

function readSwiss(_: string, lines: readonly string[]): PaymentCode | undefined {
  if (lines[0] !== 'SPC') return undefined;
  const amount = /^\d+\.\d{2}$/.exec(lines[SWISS.amount] ?? '')?.[0];
  return toCode(lines[SWISS.account], amount, lines[SWISS.currency]);
}

function readPolish(text: string): PaymentCode | undefined {
  const parts = text.split('|');
  if (parts.length < 6 || !/^\d{26}$/.test(parts[POLISH.account] ?? '')) return undefined;
  const amount = inMajorUnits(/^\d{1,12}$/.exec(parts[POLISH.amount] ?? '')?.[0]);
  return toCode(parts[POLISH.account], amount, amount === undefined ? undefined : 'PLN');
}

/**
 * Reads a Czech payment code (SPAYD), as in `SPD*1.0*ACC:CZ58...+FIOBCZPP*AM:480.50*CC:CZK`. The account ends before
 * the BIC.
 */
function readCzech(text: string): PaymentCode | undefined {
  if (!/^SPD\*\d/i.test(text)) return undefined;
  const values = new Map(
    text.split('*').flatMap((part): [string, string][] => {
      const [, key, value] = /^([A-Z-]{1,12}):(.*)$/is.exec(part.trim()) ?? [];
      return key === undefined || value === undefined ? [] : [[key.toUpperCase(), value.trim()]];
    }),
  );
  const amount = /^\d+(?:\.\d{1,2})?$/.exec(values.get('AM') ?? '')?.[0];
  const currency = values.get('CC') ?? (amount === undefined ? undefined : 'CZK');
  return toCode(values.get('ACC')?.split('+')[0], amount, currency?.toUpperCase());
}

/** Reads a Slovenian payment code (UPN), in which each line has a fixed meaning. The amount is in cents. */
function readSlovenian(_: string, lines: readonly string[]): PaymentCode | undefined {
  if (lines[0] !== 'UPNQR') return undefined;
  const amount = inMajorUnits(/^\d{11}$/.exec(lines[SLOVENIAN.amount] ?? '')?.[0]);
  return toCode(lines[SLOVENIAN.account], amount, 'EUR');
}

/** Reads a payment code of the Hungarian National Bank, in which HCT is a transfer and RTP a request to pay. */
function readHungarian(_: string, lines: readonly string[]): PaymentCode | undefined {
  if (!/^(?:HCT|RTP)$/.test(lines[0] ?? '') || !/^\d{3}$/.test(lines[1] ?? '')) return undefined;
  const [, currency, amount] = /^([A-Z]{3})(\d{1,12})$/.exec(lines[HUNGARIAN.amount] ?? '') ?? [];
  return toCode(lines[HUNGARIAN.account], amount, currency);
}

/**
 * Reads a payment code of the Indian system UPI. Such a code names an alias of the account. The alias is not printed on
 * the page, so only the amount is compared.
 */
function readIndian(text: string): PaymentCode | undefined {
  if (!/^upi:\/\/pay\?/i.test(text)) return undefined;
  const values = new URLSearchParams(text.slice(text.indexOf('?') + 1));
  const amount = /^\d+(?:\.\d{1,2})?$/.exec(values.get('am') ?? '')?.[0];
  return toCode(undefined, amount, amount === undefined ? undefined : (values.get('cu') ?? 'INR'));
}

/** Reads a Slovak payment code (PAY by square). If it names several accounts, the first one is read. */
function readSlovak(text: string): PaymentCode | undefined {
  const payment = readPayBySquare(text.trim());
  if (payment === undefined) return undefined;
  const amount = /^\d+(?:\.\d{1,2})?$/.exec(payment.amount)?.[0];
  return toCode(payment.account, amount, payment.currency);
}

/** Tags in the ZATCA code of Saudi Arabia, which has a tag, a length and a value for each field, in Base64. */
const SAUDI = { taxId: 2, amount: 4 } as const;

function readSaudi(text: string): PaymentCode | undefined {
  const compact = text.trim();
  if (!/^AQ[A-Za-z0-9+/]{20,2000}={0,2}$/.test(compact)) return undefined;
  const bytes = Buffer.from(compact, 'base64');
  const values = new Map<number, string>();
  for (let at = 0; at + 2 <= bytes.length;) {
    const end = at + 2 + (bytes[at + 1] ?? 0);
    if (end > bytes.length) return undefined;
    values.set(bytes[at] ?? 0, bytes.toString('utf8', at + 2, end));
    at = end;
  }
  const taxId = /^3\d{13}3$/.exec(values.get(SAUDI.taxId) ?? '')?.[0];
  const amount = /^\d+(?:\.\d{1,2})?$/.exec(values.get(SAUDI.amount) ?? '')?.[0];
  if (taxId === undefined || amount === undefined) return undefined;
  return { 'supplier.tax_id': { value: taxId }, gross_amount: { value: amount } };
}

/**
 * Converts an amount in hundredths to a decimal string. Returns undefined if the payment code leaves the amount open.
 */
function inMajorUnits(hundredths: string | undefined): string | undefined {
  if (hundredths === undefined || Number(hundredths) === 0) return undefined;
  const digits = hundredths.padStart(3, '0');
  return `${digits.slice(0, -2).replace(/^0+(?=\d)/, '')}.${digits.slice(-2)}`;
}

function toCode(account: string | undefined, amount: string | undefined, currency: string | undefined): PaymentCode {
  const read = readPrintedIban(account ?? '');
  return {
    ...(read.kind === 'IBAN' && { 'supplier.bank_account.iban': { value: read.iban } }),
    ...(amount !== undefined && { gross_amount: { value: amount } }),
    ...(currency !== undefined && /^[A-Z]{3}$/.test(currency) && { currency: { value: currency } }),
  };
}
