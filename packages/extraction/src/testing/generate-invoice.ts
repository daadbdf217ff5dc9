import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { taxIdValidity } from '@invoicecontrol/values/tax-id';
import fontkit from '@pdf-lib/fontkit';
import { composeIBAN, getCountrySpecifications, isValidIBAN } from 'ibantools';
import { PDFDocument, rgb } from 'pdf-lib';
import type { PDFFont, PDFPage } from 'pdf-lib';
import type { FieldPath } from '../reading.js';
import { countries, unitedStates } from './invoice-words.js';
import type { Country, Word } from './invoice-words.js';

/** A generated invoice with the expected values of its fields. */
export interface GeneratedInvoice {
  readonly name: string;
  readonly layout: number;
  readonly country: string;
  readonly pdf: Uint8Array;
  readonly truth: Readonly<Partial<Record<FieldPath, string>>>;
}

export const countryCodes: readonly string[] = [...countries, unitedStates].map(({ code }) => code);

interface Line {
  readonly item: string;
  readonly quantity: number;
  readonly price: number;
  readonly net: number;
  readonly rate: number;
}

interface Content {
  readonly country: Country;
  readonly isCredit: boolean;
  readonly supplier: string;
  readonly buyer: string;
  readonly supplierAddress: readonly string[];
  readonly buyerAddress: readonly string[];
  readonly number: string;
  readonly otherNumber: string;
  readonly customerNumber: string;
  readonly order: string;
  readonly date: string;
  readonly due: string;
  readonly delivery: string;
  readonly taxId: string;
  readonly buyerTaxId: string;
  readonly iban: string;
  readonly printedIban: string;
  readonly lines: readonly Line[];
  readonly net: number;
  readonly taxes: readonly { readonly rate: number; readonly base: number; readonly tax: number }[];
  readonly gross: number;
  readonly domain: string;
  readonly phone: string;
  readonly word: (word: Word) => string;
  readonly money: (cents: number) => string;
  readonly plain: (cents: number) => string;
  readonly showDate: (iso: string) => string;
}

const fontFolder = createRequire(import.meta.url)
  .resolve('pdfjs-dist/package.json')
  .replace('package.json', 'standard_fonts/');
const fonts = {
  regular: readFileSync(`${fontFolder}LiberationSans-Regular.ttf`),
  bold: readFileSync(`${fontFolder}LiberationSans-Bold.ttf`),
};

/** Random number generator (mulberry32) that returns the same invoice for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Makes one invoice; `layout` is 0 to 11, `code` one of `countryCodes`. */
export async function generateInvoice(seed: number, layout: number, code: string): Promise<GeneratedInvoice> {
  const random = randomOf(seed * 7919 + layout * 131 + code.charCodeAt(0) * 17 + code.charCodeAt(1));
  const country = [...countries, unitedStates].find((candidate) => candidate.code === code);
  if (country === undefined) throw new Error(`no country ${code}`);
  const content = compose(random, country, layout === 8);
  const file = await PDFDocument.create();
  file.registerFontkit(fontkit);
  const regular = await file.embedFont(fonts.regular, { subset: true });
  const bold = await file.embedFont(fonts.bold, { subset: true });
  const pen = new Pen(file, { regular, bold }, layout === 10 ? [260, 620] : [595, 842], layout === 6);
  drawLayout(layout, pen, content, random);
  const { truth } = truthOf(content);
  return {
    name: `${code}-${layout}-${seed}`,
    layout,
    country: code,
    pdf: await file.save({ useObjectStreams: seed % 2 === 0 }),
    truth,
  };
}

class Pen {
  page: PDFPage;
  private readonly file: PDFDocument;
  private readonly fonts: { readonly regular: PDFFont; readonly bold: PDFFont };
  private readonly size: [number, number];
  private readonly isSpelled: boolean;

  constructor(
    file: PDFDocument,
    pens: { readonly regular: PDFFont; readonly bold: PDFFont },
    size: [number, number],
    isSpelled: boolean,
  ) {
    this.file = file;
    this.fonts = pens;
    this.size = size;
    this.isSpelled = isSpelled;
    this.page = file.addPage(size);
  }

  get width(): number {
    return this.size[0];
  }

  /** `y` is measured from the top of the document page. */
  text(
    x: number,
    y: number,
    text: string,
    size = 9,
    options: { bold?: boolean; right?: boolean; grey?: boolean } = {},
  ): void {
    const font = options.bold === true ? this.fonts.bold : this.fonts.regular;
    const left = options.right === true ? x - font.widthOfTextAtSize(text, size) : x;
    const colour = options.grey === true ? rgb(0.4, 0.4, 0.4) : rgb(0, 0, 0);
    const draw = (piece: string, at: number): void =>
      this.page.drawText(piece, { x: at, y: this.size[1] - y - size, size, font, color: colour });
    if (!this.isSpelled) return draw(text, left);
    // Writes a text letter by letter, as some PDF producers do.
    let at = left;
    for (const letter of text) {
      if (letter !== ' ') draw(letter, at);
      at += font.widthOfTextAtSize(letter, size) + 0.4;
    }
  }

  rule(y: number, from = 50, to = this.width - 50): void {
    this.page.drawLine({
      start: { x: from, y: this.size[1] - y },
      end: { x: to, y: this.size[1] - y },
      thickness: 0.5,
    });
  }

  box(x: number, y: number, width: number, height: number): void {
    this.page.drawRectangle({ x, y: this.size[1] - y - height, width, height, color: rgb(0.9, 0.92, 0.95) });
  }

  nextPage(): void {
    this.page = this.file.addPage(this.size);
  }
}

function compose(random: () => number, country: Country, isCredit: boolean): Content {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const digits = (count: number): string => Array.from({ length: count }, () => Math.floor(random() * 10)).join('');
  const chosen = new Map<Word, string>();
  const word = (name: Word): string => {
    const known = chosen.get(name) ?? pick(country.words[name]);
    chosen.set(name, known);
    return known;
  };
  const year = 2019 + Math.floor(random() * 7);
  const issue = new Date(Date.UTC(year, Math.floor(random() * 12), 1 + Math.floor(random() * 28)));
  const iso = (days: number): string => new Date(issue.getTime() + days * 86_400_000).toISOString().slice(0, 10);
  const rates = random() < 0.6 ? country.rates.slice(0, 1) : country.rates;
  const lines = Array.from({ length: 1 + Math.floor(random() * 6) }, (_, index): Line => {
    const quantity = 1 + Math.floor(random() * 20);
    const price = 150 + Math.floor(random() * (random() < 0.3 ? 250_000 : 20_000));
    return {
      item: pick(country.items),
      quantity,
      price,
      net: quantity * price,
      rate: rates[index % rates.length] ?? 0,
    };
  });
  const used = [...new Set(lines.map(({ rate }) => rate))];
  const taxes = used.map((rate) => {
    const base = lines.filter((line) => line.rate === rate).reduce((sum, { net }) => sum + net, 0);
    return { rate, base, tax: Math.round((base * rate) / 100) };
  });
  const net = lines.reduce((sum, line) => sum + line.net, 0);
  const gross = net + taxes.reduce((sum, { tax }) => sum + tax, 0);
  const group = pick(country.groups);
  const sign = pick(country.signs);
  const plain = (cents: number): string => {
    const [whole = '0', fraction = '00'] = (Math.abs(cents) / 100).toFixed(2).split('.');
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
    return `${cents < 0 ? '-' : ''}${grouped}${country.decimal}${fraction}`;
  };
  const money = (cents: number): string =>
    country.isSignFirst
      ? `${sign}${sign.length > 1 ? ' ' : random() < 0.5 ? ' ' : ''}${plain(cents)}`
      : `${plain(cents)} ${sign}`;
  const dateForm = pick(country.dates);
  const showDate = (date: string): string => {
    const [years = '', month = '', day = ''] = date.split('-');
    return dateForm(years, month, day, country.months[Number(month) - 1] ?? '');
  };
  const numberForms = [
    `${year}${digits(4)}`,
    `RE-${year}-${digits(4)}`,
    `INV${digits(5)}`,
    `${digits(3)}/${year}`,
    `FV/${digits(2)}/${String(issue.getUTCMonth() + 1).padStart(2, '0')}/${year}`,
    digits(6),
    `${year}-${digits(3)}`,
    `F${digits(2)}.${digits(4)}`,
    `A ${digits(5)}`,
  ];
  const number = pick(numberForms).replace(/^0/, '7');
  const ownCode = country.code === 'US' ? 'GB' : country.code;
  const iban = country.code === 'US' ? '' : randomIban(random, ownCode);
  const isGrouped = random() < 0.7;
  const supplier = pick(country.suppliers);
  return {
    country,
    isCredit,
    supplier,
    buyer: pick(country.buyers),
    supplierAddress: [pick(country.streets), pick(country.cities)],
    buyerAddress: [pick(country.streets), pick(country.cities)],
    number,
    otherNumber: pick(numberForms).replace(/^0/, '9'),
    customerNumber: `${random() < 0.5 ? 'K' : ''}${digits(5)}`,
    order: `${random() < 0.5 ? 'PO-' : ''}${digits(6)}`,
    date: iso(0),
    due: iso(14 + Math.floor(random() * 30)),
    delivery: iso(-1 - Math.floor(random() * 9)),
    taxId: country.code === 'US' ? `${digits(2)}-${digits(7)}` : randomTaxId(random, country.code),
    buyerTaxId: country.code === 'US' ? '' : randomTaxId(random, country.code),
    iban,
    printedIban: isGrouped ? iban.replace(/(.{4})(?=.)/g, '$1 ') : iban,
    lines,
    net,
    taxes,
    gross,
    domain: `www.${supplier
      .toLowerCase()
      .normalize('NFD')
      .replace(/[^a-z ]/g, '')
      .trim()
      .split(' ')
      .slice(0, 2)
      .join('-')}.${country.code === 'GB' ? 'co.uk' : country.code === 'US' ? 'com' : country.code.toLowerCase()}`,
    phone: `0${digits(2)} ${digits(4)} ${digits(3)}`,
    word,
    money,
    plain,
    showDate,
  };
}

function truthOf(content: Content): Pick<GeneratedInvoice, 'truth'> {
  const cents = (value: number): string => (value / 100).toFixed(2);
  const truth: Partial<Record<FieldPath, string>> = {
    'supplier.name': content.supplier,
    invoice_number: content.number,
    issue_date: content.date,
    currency: content.country.currency,
    net_amount: cents(content.net),
    tax_amount: cents(content.gross - content.net),
    gross_amount: cents(content.gross),
  };
  if (content.iban !== '') truth['supplier.bank_account.iban'] = content.iban;
  if (content.country.code !== 'US') truth['supplier.tax_id'] = content.taxId;
  return { truth };
}

function randomIban(random: () => number, code: string): string {
  const length = (getCountrySpecifications()[code]?.chars ?? 22) - 4;
  for (let tries = 0; tries < 50_000; tries += 1) {
    const digits = Array.from({ length }, () => Math.floor(random() * 10)).join('');
    const bban =
      { GB: `BARC${digits.slice(4)}`, NL: `INGB${digits.slice(4)}`, IT: `X${digits.slice(1)}` }[code] ?? digits;
    const iban = composeIBAN({ countryCode: code, bban });
    if (iban !== null && isValidIBAN(iban)) return iban;
  }
  throw new Error(`no IBAN for ${code}`);
}

function randomTaxId(random: () => number, code: string): string {
  const forms: Readonly<Record<string, readonly [number, (digits: string) => string]>> = {
    GB: [9, (digits) => digits],
    DE: [9, (digits) => digits],
    FR: [11, (digits) => digits],
    PL: [10, (digits) => digits],
    ES: [8, (digits) => `B${digits}`],
    IT: [11, (digits) => digits],
    NL: [9, (digits) => `${digits}B01`],
  };
  const [length, form] = forms[code] ?? [9, (digits: string): string => digits];
  for (let tries = 0; tries < 5_000; tries += 1) {
    const body = form(Array.from({ length }, () => Math.floor(random() * 10)).join(''));
    if (taxIdValidity(body, code) === 'VALID') return code === 'PL' || code === 'ES' ? body : `${code}${body}`;
  }
  throw new Error(`no tax id for ${code}`);
}

type Pair = readonly [label: string, value: string];

function metaPairs(content: Content): readonly Pair[] {
  const { word, showDate } = content;
  return [
    [word(content.isCredit ? 'creditNumber' : 'number'), content.number],
    [word('date'), showDate(content.date)],
    [word('customer'), content.customerNumber],
    [word('order'), content.order],
    [word('delivery'), showDate(content.delivery)],
    [word('due'), showDate(content.due)],
  ];
}

function drawItems(pen: Pen, content: Content, top: number, options: { isCompact?: boolean } = {}): number {
  const columns = content.country.words.columns;
  const width = pen.width;
  const at = [50, width * 0.5, width * 0.68, width * 0.76, width - 50];
  pen.text(at[0] ?? 0, top, columns[0] ?? '', 9, { bold: true });
  for (const index of [1, 2, 3, 4]) pen.text(at[index] ?? 0, top, columns[index] ?? '', 9, { bold: true, right: true });
  let y = top + 18;
  for (const line of content.lines) {
    pen.text(at[0] ?? 0, y, line.item);
    pen.text(at[1] ?? 0, y, String(line.quantity), 9, { right: true });
    pen.text(at[2] ?? 0, y, content.plain(line.price), 9, { right: true });
    pen.text(at[3] ?? 0, y, `${String(line.rate).replace('.', content.country.decimal)}%`, 9, { right: true });
    pen.text(at[4] ?? 0, y, content.plain(line.net), 9, { right: true });
    y += options.isCompact === true ? 12 : 16;
  }
  return y + 10;
}

function rateText(content: Content, rate: number): string {
  return `${String(rate).replace('.', content.country.decimal)}${content.country.code === 'DE' || content.country.code === 'FR' ? ' ' : ''}%`;
}

/**
 * Writes the net amount, a line for each tax rate and the gross amount. Labels begin at `left`, and amounts end at
 * `right`.
 */
function drawTotals(pen: Pen, content: Content, top: number, left: number, right: number, factor = 1): number {
  const { word, money } = content;
  let y = top;
  pen.text(left, y, word('net'));
  pen.text(right, y, money(content.net * factor), 9, { right: true });
  for (const { rate, tax } of content.taxes) {
    y += 15;
    pen.text(left, y, `${word('tax')} ${rateText(content, rate)}`);
    pen.text(right, y, money(tax * factor), 9, { right: true });
  }
  y += 18;
  pen.text(left, y, word('gross'), 10, { bold: true });
  pen.text(right, y, money(content.gross * factor), 10, { bold: true, right: true });
  return y + 24;
}

function bankLine(content: Content): string {
  return content.iban === '' ? content.word('thanks') : `${content.word('iban')}: ${content.printedIban}`;
}

function drawFooter(pen: Pen, content: Content, y = 775): void {
  const { word } = content;
  const columns = [
    [content.supplier, ...content.supplierAddress],
    [`${word('phone')} ${content.phone}`, content.domain, `${word('register')} 12345`],
    content.iban === ''
      ? [`${word('vatId')}: ${content.taxId}`]
      : [word('bank'), `${word('iban')} ${content.printedIban}`, `${word('vatId')}: ${content.taxId}`],
  ];
  columns.forEach((column, index) => {
    column.forEach((text, line) => pen.text(50 + index * 165, y + line * 11, text, 7, { grey: true }));
  });
}

function title(content: Content): string {
  return content.word(content.isCredit ? 'credit' : 'title');
}

function drawLayout(layout: number, pen: Pen, content: Content, random: () => number): void {
  const { word, money, showDate } = content;
  const pairs = metaPairs(content);
  const numberLabel = pairs[0]?.[0] ?? '';
  const block = (x: number, y: number, lines: readonly string[], size = 9, gap = 13): void =>
    lines.forEach((line, index) => pen.text(x, y + index * gap, line, size));
  const buyerLines = [content.buyer, ...content.buyerAddress];
  const supplierLines = [content.supplier, ...content.supplierAddress];
  const columnsOf = (list: readonly Pair[], x: number, right: number, y: number): void =>
    list.forEach(([label, value], index) => {
      pen.text(x, y + index * 14, `${label}:`);
      pen.text(right, y + index * 14, value, 9, { right: true });
    });
  switch (layout) {
    case 0: {
      // A letter with the sender in one small line, the address in the window, and the invoice details on the right.
      pen.text(50, 40, content.supplier, 16, { bold: true });
      pen.text(50, 120, [content.supplier, ...content.supplierAddress].join(' · '), 6.5, { grey: true });
      block(50, 135, buyerLines, 10, 14);
      pairs.forEach(([label, value], index) => {
        pen.text(350, 135 + index * 14, label);
        pen.text(460, 135 + index * 14, value);
      });
      pen.text(50, 260, title(content), 14, { bold: true });
      const y = drawItems(pen, content, 300);
      drawTotals(pen, content, y, 340, 545);
      pen.text(50, y + 110, `${word('payUntil')} ${showDate(content.due)}.`);
      drawFooter(pen, content);
      return;
    }
    case 1: {
      // Invoice details in a row, with labels above the values.
      pen.text(50, 40, content.supplier, 18, { bold: true });
      block(400, 40, [...content.supplierAddress, content.domain, `${word('vatId')} ${content.taxId}`], 8, 11);
      pen.text(50, 110, title(content), 20, { bold: true });
      pen.text(50, 150, word('buyer'), 9, { bold: true });
      block(50, 165, buyerLines);
      pen.box(45, 225, 505, 34);
      const shown = [pairs[0], pairs[1], pairs[5], pairs[2]].filter((pair) => pair !== undefined);
      shown.forEach(([label, value], index) => {
        pen.text(55 + index * 125, 230, label, 8, { bold: true });
        pen.text(55 + index * 125, 244, value);
      });
      const y = drawItems(pen, content, 285);
      const end = drawTotals(pen, content, y, 380, 545);
      pen.text(50, end + 10, word('bank'), 9, { bold: true });
      pen.text(50, end + 24, bankLine(content));
      return;
    }
    case 2: {
      // This layout has both parties side by side, with the number and the date in the title.
      pen.text(50, 50, `${numberLabel} ${content.number} ${word('of')} ${showDate(content.date)}`, 14, { bold: true });
      pen.text(50, 90, word('supplier'), 9, { bold: true });
      block(50, 105, [...supplierLines, `${word('vatId')}: ${content.taxId}`]);
      pen.text(320, 90, word('buyer'), 9, { bold: true });
      block(320, 105, [
        ...buyerLines,
        ...(content.buyerTaxId === '' ? [] : [`${word('vatId')}: ${content.buyerTaxId}`]),
      ]);
      pen.text(50, 185, `${word('due')}: ${showDate(content.due)}`);
      const y = drawItems(pen, content, 220);
      const end = drawTotals(pen, content, y, 360, 545);
      pen.text(50, end, `${word('bank')}: ${content.printedIban}`);
      return;
    }
    case 3: {
      // The buyer first and the supplier only in the footer; each label and its value are one text.
      pen.text(50, 60, word('buyer'), 8, { grey: true });
      block(50, 74, [...buyerLines, ...(content.buyerTaxId === '' ? [] : [`${word('vatId')}: ${content.buyerTaxId}`])]);
      pairs.slice(0, 4).forEach(([label, value], index) => pen.text(370, 60 + index * 14, `${label}: ${value}`));
      pen.text(50, 180, title(content), 18, { bold: true });
      const y = drawItems(pen, content, 220);
      const end = drawTotals(pen, content, y, 330, 545);
      pen.text(50, end, word('thanks'));
      drawFooter(pen, content, 770);
      return;
    }
    case 4: {
      // A letterhead on the right, a box of details with right-aligned values, and a sentence with the bank account.
      pen.text(545, 40, content.supplier, 15, { bold: true, right: true });
      [...content.supplierAddress, `${word('phone')}: ${content.phone}`, content.domain].forEach((text, index) =>
        pen.text(545, 62 + index * 11, text, 8, { right: true }),
      );
      block(50, 120, buyerLines, 10, 14);
      pen.box(330, 120, 220, 96);
      columnsOf(pairs, 340, 540, 126);
      pen.text(50, 210, title(content), 16, { bold: true });
      const y = drawItems(pen, content, 250);
      const end = drawTotals(pen, content, y, 340, 545);
      pen.text(50, end, `${word('payUntil')} ${showDate(content.due)} - ${bankLine(content)}`, 8);
      pen.text(
        50,
        800,
        `${content.supplier} | ${content.supplierAddress.join(' | ')} | ${word('vatId')} ${content.taxId}`,
        7,
      );
      return;
    }
    case 5: {
      // Everything in one column, with the totals in a row below their labels.
      pen.text(50, 40, content.supplier, 13, { bold: true });
      block(50, 58, [content.supplierAddress.join(', '), `${word('vatId')}: ${content.taxId}`], 9);
      pen.text(50, 110, title(content), 13, { bold: true });
      pairs.forEach(([label, value], index) => pen.text(50, 132 + index * 14, `${label}: ${value}`));
      pen.text(50, 230, `${word('buyer')}:`);
      block(50, 244, buyerLines);
      const y = drawItems(pen, content, 305) + 10;
      pen.rule(y - 4);
      const total = content.taxes.reduce((sum, { tax }) => sum + tax, 0);
      const cells: Pair[] = [
        [word('net'), content.plain(content.net)],
        [word('tax').replace(' @', ''), content.plain(total)],
        [word('gross'), money(content.gross)],
      ];
      cells.forEach(([label, value], index) => {
        pen.text(280 + index * 130, y, label, 9, { bold: true, right: true });
        pen.text(280 + index * 130, y + 16, value, 9, { right: true });
      });
      pen.text(50, y + 60, bankLine(content));
      return;
    }
    case 6: {
      // In this layout, text is written letter by letter.
      pen.text(50, 40, content.supplier, 14, { bold: true });
      block(50, 60, content.supplierAddress, 8);
      pen.text(330, 40, title(content), 16, { bold: true });
      pairs.slice(0, 4).forEach(([label, value], index) => {
        pen.text(330, 70 + index * 15, label);
        pen.text(450, 70 + index * 15, value);
      });
      pen.text(50, 150, word('buyer'));
      block(50, 165, buyerLines);
      const y = drawItems(pen, content, 240);
      const end = drawTotals(pen, content, y, 340, 530);
      pen.text(50, end + 20, bankLine(content), 8);
      pen.text(50, end + 36, `${word('vatId')} ${content.taxId}`, 8);
      return;
    }
    case 7: {
      // Two pages, with the parties as tables and the totals on the second page.
      pen.text(50, 40, title(content), 16, { bold: true });
      columnsOf(pairs.slice(0, 3), 340, 545, 40);
      pen.text(50, 110, word('supplier'), 10, { bold: true });
      block(50, 126, supplierLines);
      pen.text(50, 170, `${word('vatId')}: ${content.taxId}`);
      pen.text(50, 210, word('buyer'), 10, { bold: true });
      block(50, 226, buyerLines);
      drawItems(pen, content, 310);
      pen.text(545, 810, `${word('page')} 1/2`, 8, { right: true });
      pen.nextPage();
      pen.text(50, 40, `${title(content)} ${content.number}`, 9);
      pen.text(545, 40, `${word('page')} 2/2`, 8, { right: true });
      const y = drawTotals(pen, content, 90, 300, 545);
      pen.text(50, y + 20, word('bank'));
      pen.text(50, y + 34, bankLine(content));
      pen.text(50, y + 60, `${word('due')}: ${showDate(content.due)}`);
      return;
    }
    case 8: {
      // A credit note that refers to the invoice that it corrects.
      pen.text(50, 40, content.supplier, 16, { bold: true });
      block(50, 62, content.supplierAddress, 8, 11);
      pen.text(50, 110, title(content), 18, { bold: true });
      block(50, 140, buyerLines);
      columnsOf(
        [pairs[0], pairs[1], [word('originalInvoice'), content.otherNumber] as const, pairs[2]].filter(
          (pair) => pair !== undefined,
        ),
        330,
        545,
        140,
      );
      const y = drawItems(pen, content, 230);
      drawTotals(pen, content, y, 340, 545);
      drawFooter(pen, content);
      return;
    }
    case 9: {
      // A wide row of details in small letters, with the order number before the invoice number.
      pen.text(50, 36, content.supplier, 15, { bold: true });
      pen.text(545, 36, title(content), 15, { bold: true, right: true });
      block(50, 56, [content.supplierAddress.join(', '), `${word('vatId')} ${content.taxId}`], 8, 11);
      block(50, 110, buyerLines);
      const row = [pairs[3], pairs[2], pairs[0], pairs[1], pairs[5]].filter((pair) => pair !== undefined);
      row.forEach(([label, value], index) => {
        pen.text(50 + index * 102, 190, label, 7, { grey: true });
        pen.text(50 + index * 102, 201, value, 8);
      });
      pen.rule(215);
      const y = drawItems(pen, content, 230, { isCompact: true });
      const end = drawTotals(pen, content, y, 330, 545);
      pen.text(50, end, bankLine(content), 8);
      pen.text(545, 815, `${word('page')} 1 / 1`, 7, { right: true });
      return;
    }
    case 10: {
      // This layout is a narrow receipt.
      pen.text(40, 24, content.supplier, 11, { bold: true });
      block(40, 40, [...content.supplierAddress, `${word('vatId')} ${content.taxId}`], 8, 11);
      pen.text(40, 88, `${numberLabel} ${content.number}`);
      pen.text(40, 101, `${word('date')} ${showDate(content.date)}   ${random() < 0.5 ? '14:32' : '09:05'}`);
      let y = 124;
      for (const line of content.lines) {
        pen.text(30, y, `${line.quantity} x ${line.item}`.slice(0, 32), 8);
        pen.text(230, y, content.plain(line.net), 8, { right: true });
        y += 12;
      }
      y = drawTotals(pen, content, y + 8, 30, 230);
      pen.text(30, y, bankLine(content), 7);
      return;
    }
    default: {
      // Details below the table, a prepayment, and the remaining amount.
      pen.text(50, 40, title(content), 20, { bold: true });
      pen.text(545, 40, content.supplier, 12, { bold: true, right: true });
      pen.text(50, 80, `${numberLabel}: ${content.number}`, 10);
      pen.text(300, 80, `${word('date')}: ${showDate(content.date)}`, 10);
      block(50, 110, [`${word('buyer')}:`, ...buyerLines]);
      const y = drawItems(pen, content, 185);
      let end = drawTotals(pen, content, y, 330, 545);
      const prepaid = Math.round(content.gross * 0.3);
      pen.text(330, end - 4, word('prepaid'));
      pen.text(545, end - 4, money(-prepaid), 9, { right: true });
      pen.text(330, end + 12, word('amountDue'), 9, { bold: true });
      pen.text(545, end + 12, money(content.gross - prepaid), 9, { bold: true, right: true });
      end += 50;
      columnsOf(
        [pairs[5], pairs[3]].filter((pair) => pair !== undefined),
        50,
        260,
        end,
      );
      pen.text(50, end + 50, `${content.supplier}, ${content.supplierAddress.join(', ')}`, 8);
      pen.text(50, end + 62, `${word('vatId')}: ${content.taxId}`, 8);
      pen.text(50, end + 74, bankLine(content), 8);
    }
  }
}
