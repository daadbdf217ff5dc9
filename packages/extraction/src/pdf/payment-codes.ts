import { decodeQR } from 'qr/decode.js';
import type { FieldConflict, FieldPath } from '../reading.js';
import { readPrintedIban } from '@invoicecontrol/values/printed-account';
import { compareWithPage } from './compare-with-page.js';
import type { VisiblePage } from './compare-with-page.js';
import { rasterAreas } from './raster.js';
import type { PdfPage } from './read-pages.js';

/** The payment that a payment code transfers to a banking app. */
export type PaymentCode = Readonly<Partial<Record<FieldPath, { readonly value: string }>>>;

/** Maximum number of codes that are read. A payment slip, a link and a parcel label need fewer. */
const CODES_MAX = 6;
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

/** Returns the texts of the QR codes on the pages. */
export async function readCodes(bytes: Uint8Array, pages: readonly PdfPage[]): Promise<string[]> {
  const areas = pages
    .flatMap(({ text, marks }) => marks.codeAreas.map((area) => ({ page: text.number, area })))
    .slice(0, CODES_MAX);
  if (areas.length === 0) return [];
  const pictures = await rasterAreas(bytes, areas);
  return pictures.map(decode).filter((text) => text !== '');
}

/** Compares payment codes with the printed values of the pages (detection reference, 7.6). */
export function compareCodes(texts: readonly string[], visible: VisiblePage): FieldConflict[] {
  const codes = texts.flatMap((text) => readPaymentCode(text) ?? []);
  return codes.flatMap((code) => compareWithPage(code, visible, 'QR'));
}

/** Decodes an image. Empty if it contains no code. */
function decode(picture: Parameters<typeof decodeQR>[0]): string {
  try {
    return decodeQR(picture);
  } catch {
    // The decoder throws if there is no code, for example if the square is a logo.
    return '';
  }
}

/** Returns the account and the amount of a European, Swiss or Polish payment code. Undefined for any other text. */
export function readPaymentCode(text: string): PaymentCode | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  if (lines[0] === 'BCD' && lines[EPC.service] === 'SCT') {
    const [, currency, amount] = /^([A-Z]{3})(\d+(?:\.\d{1,2})?)$/.exec(lines[EPC.amount] ?? '') ?? [];
    return toCode(lines[EPC.account], amount, currency);
  }
  if (lines[0] === 'SPC') {
    const amount = /^\d+\.\d{2}$/.exec(lines[SWISS.amount] ?? '')?.[0];
    return toCode(lines[SWISS.account], amount, lines[SWISS.currency]);
  }
  const parts = text.split('|');
  if (parts.length >= 6 && /^\d{26}$/.test(parts[POLISH.account] ?? '')) {
    const grosze = /^\d{1,12}$/.exec(parts[POLISH.amount] ?? '')?.[0];
    const amount = grosze === undefined || Number(grosze) === 0 ? undefined : inZloty(grosze);
    return toCode(parts[POLISH.account], amount, amount === undefined ? undefined : 'PLN');
  }
  return undefined;
}

function inZloty(grosze: string): string {
  const digits = grosze.padStart(3, '0');
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
