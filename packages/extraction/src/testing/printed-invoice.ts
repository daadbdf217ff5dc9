import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseTaxId, taxIdValidity } from '@invoicecontrol/values/tax-id';
import fontkit from '@pdf-lib/fontkit';
import { isValidIBAN } from 'ibantools';
import { PDFDocument, rgb, StandardFonts } from 'pdf-lib';
import type { PDFFont, PDFPage } from 'pdf-lib';
import type { OwnCompany } from '../reading.js';

/**
 * A handwritten text invoice in the layout of a supplier, with its true values. Such texts are in files of
 * `evaluation/`, and `evaluation/README.md` describes their notation.
 */
export interface PrintedInvoice {
  readonly name: string;
  /** True values of the printed invoice by field name. `currency: ?` means that the currency cannot be determined. */
  readonly truth: Readonly<Record<string, string>>;
  readonly companies: readonly OwnCompany[];
  readonly lines: readonly string[];
}

/** Returns the invoices in one file of `evaluation/`. */
export function readPrintedInvoices(file: string): readonly PrintedInvoice[] {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'evaluation', file), 'utf8');
  return text.split(/^=== /m).slice(1).map(printedInvoiceOf);
}

/** Returns the invoice that a text describes. The text begins with the name of the invoice. */
export function printedInvoiceOf(text: string): PrintedInvoice {
  const [head = '', body = ''] = text.split(/^---\n/m);
  const [name = '', ...headLines] = head.trimEnd().split('\n');
  return {
    name,
    truth: truthOf(headLines.filter((line) => !line.startsWith('own:'))),
    companies: headLines.filter((line) => line.startsWith('own:')).map((line) => companyOf(withCheckDigits(line))),
    lines: withCheckDigits(body).trimEnd().split('\n'),
  };
}

function truthOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name, withCheckDigits(value.join(':').trim())] as const;
    }),
  );
}

function companyOf(line: string): OwnCompany {
  const [name = '', taxId = '', country = ''] = line
    .slice('own:'.length)
    .split(';')
    .map((part) => part.trim());
  return { name, taxId: taxId === '' ? null : taxId, country: country === '' ? null : country };
}

/**
 * Replaces `~IBAN:DE?? 3704 ...~`, `~IBAN-:PL?? ...~` (printed without its country) and `~PL:526-104-08-2?~` by numbers
 * with correct check digits.
 */
function withCheckDigits(text: string): string {
  return text.replace(/~([A-Z]+)(-?):([^~]+)~/g, (_match, kind: string, bare: string, pattern: string) => {
    const isRight =
      kind === 'IBAN'
        ? (candidate: string) => isValidIBAN(candidate.replace(/ /g, ''))
        : (candidate: string) => taxIdValidity(parseTaxId(candidate)?.body ?? '', kind) === 'VALID';
    const filled = fill(pattern, isRight);
    return bare === '-' ? filled.replace(/^[A-Z]{2}/, '') : filled;
  });
}

function fill(pattern: string, isRight: (candidate: string) => boolean): string {
  const places = (pattern.match(/\?/g) ?? []).length;
  for (let number = 0; number < 10 ** places; number += 1) {
    const digits = [...String(number).padStart(places, '0')];
    const candidate = pattern.replace(/\?/g, () => digits.shift() ?? '');
    if (isRight(candidate)) return candidate;
  }
  throw new Error(`no digits make ${pattern} valid`);
}

const A4 = [595, 842] as const;
const LEFT = 50;
const RIGHT = 545;
const TOP = 800;
const DEFAULT_SIZE = 10;

interface Fonts {
  readonly regular: PDFFont;
  readonly bold: PDFFont;
}

/** Returns the invoice of an evaluation file as a PDF with a text layer. */
export async function printInvoice(invoice: PrintedInvoice): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  const fontName = invoice.lines.find((line) => line.startsWith('@font '))?.slice('@font '.length) ?? 'liberation';
  const fonts = await embedFonts(pdf, fontName);
  let page = pdf.addPage([...A4]);
  let y = TOP;
  let size = DEFAULT_SIZE;
  for (const line of invoice.lines) {
    const [directive = '', ...values] = line.startsWith('@') ? line.slice(1).split(' ') : [];
    const numbers = values.map(Number);
    if (directive === 'font') continue;
    if (directive === 'y') y = numbers[0] ?? y;
    else if (directive === 'size') size = numbers[0] ?? size;
    else if (directive === 'line') {
      page.drawLine({ start: { x: LEFT, y: y + size * 0.8 }, end: { x: RIGHT, y: y + size * 0.8 }, thickness: 0.5 });
      y -= size * 0.5;
    } else if (directive === 'rect') {
      const [x = 0, bottom = 0, width = 0, height = 0] = numbers;
      page.drawRectangle({ x, y: bottom, width, height, borderWidth: 1, borderColor: rgb(0, 0, 0) });
    } else if (directive === 'page') {
      page = pdf.addPage([...A4]);
      y = TOP;
    } else if (directive !== '') throw new Error(`${invoice.name}: @${directive} is not known`);
    else {
      for (const segment of line.split(' | ')) drawSegment(page, segment, { y, size, fonts });
      y -= size * 1.35;
    }
  }
  return pdf.save();
}

function drawSegment(
  page: PDFPage,
  segment: string,
  { y, size, fonts }: { readonly y: number; readonly size: number; readonly fonts: Fonts },
): void {
  const [, at, side, marked = segment] = /^\s*(\d{2,3})([:>]) (.*)$/.exec(segment) ?? [];
  const [, star, ownSize, text = ''] = /^(\*?)(?:#(\d+) )?(.*)$/.exec(marked.trim()) ?? [];
  if (text === '') return;
  const font = star === '*' ? fonts.bold : fonts.regular;
  const actualSize = ownSize === undefined ? size : Number(ownSize);
  const x = at === undefined ? LEFT : Number(at);
  const left = side === '>' ? x - font.widthOfTextAtSize(text, actualSize) : x;
  page.drawText(text, { x: left, y, size: actualSize, font });
}

const require = createRequire(import.meta.url);

async function embedFonts(pdf: PDFDocument, name: string): Promise<Fonts> {
  const standard: Readonly<Record<string, readonly [StandardFonts, StandardFonts]>> = {
    helvetica: [StandardFonts.Helvetica, StandardFonts.HelveticaBold],
    times: [StandardFonts.TimesRoman, StandardFonts.TimesRomanBold],
    courier: [StandardFonts.Courier, StandardFonts.CourierBold],
  };
  const pair = standard[name];
  if (pair !== undefined) return { regular: await pdf.embedFont(pair[0]), bold: await pdf.embedFont(pair[1]) };
  pdf.registerFontkit(fontkit);
  const folder = join(require.resolve('pdfjs-dist/package.json'), '..', 'standard_fonts');
  const embed = (file: string) => pdf.embedFont(readFileSync(join(folder, file)), { subset: true });
  return { regular: await embed('LiberationSans-Regular.ttf'), bold: await embed('LiberationSans-Bold.ttf') };
}
