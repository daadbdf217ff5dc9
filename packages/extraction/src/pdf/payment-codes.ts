import { decodeQR } from 'qr/decode.js';
import type { FieldConflict, FieldPath } from '../reading.js';
import { readPrintedIban } from '@invoicecontrol/values/printed-account';
import { compareWithPage } from './compare-with-page.js';
import type { VisiblePage } from './compare-with-page.js';
import { rasterAreas } from './raster.js';
import type { PdfPage } from './read-pages.js';

/** The payment that a payment code hands to a banking app. */
export type PaymentCode = Readonly<Partial<Record<FieldPath, { readonly value: string }>>>;

/** More codes than a payment slip, a link and a parcel label need. */
const CODES_MAX = 6;
/** Lines of the Swiss QR-bill: header, version, coding, account, then creditor, ultimate creditor, amount and currency. */
const SWISS = { account: 3, amount: 18, currency: 19 } as const;
/** Lines of the European QR code: service tag, version, coding, SCT, BIC, name, account, amount with its currency. */
const EPC = { service: 3, account: 6, amount: 7 } as const;
/** Parts of the Polish 2D code: NIP, country, account, amount in grosze. */
const POLISH = { account: 2, amount: 3 } as const;

/** The texts of the QR codes on the pages. */
export async function readCodes(bytes: Uint8Array, pages: readonly PdfPage[]): Promise<string[]> {
  const areas = pages
    .flatMap(({ text, marks }) => marks.codeAreas.map((area) => ({ page: text.number, area })))
    .slice(0, CODES_MAX);
  if (areas.length === 0) return [];
  const pictures = await rasterAreas(bytes, areas);
  return pictures.map(decode).filter((text) => text !== '');
}

/** The payment codes among the codes of the pages against what the pages print (detection reference, 7.6). */
export function compareCodes(texts: readonly string[], visible: VisiblePage): FieldConflict[] {
  const codes = texts.flatMap((text) => readPaymentCode(text) ?? []);
  return codes.flatMap((code) => compareWithPage(code, visible, 'QR'));
}

/** Undefined for a picture that holds no code. */
function decode(picture: Parameters<typeof decodeQR>[0]): string {
  try {
    return decodeQR(picture);
  } catch {
    // The decoder has no other way to say that there is none: a logo can be a square as well.
    return '';
  }
}

/** The account and the amount of a European, Swiss or Polish payment code; undefined for any other text. */
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
