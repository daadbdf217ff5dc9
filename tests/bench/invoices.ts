// Creates the invoices of a fictional customer; the same number always gives the same invoice. There are about 400
// suppliers, of which few send many invoices. The amounts of each supplier have a typical size, numbers and amounts are
// distinct, and three percent of the invoices are duplicates.

/** The canonical invoice as integrators post it (specification 2.2), about 1 kB of JSON. */
export interface BenchInvoice {
  readonly supplier: {
    readonly name: string;
    readonly tax_id: string;
    readonly bank_account: { readonly iban: string };
  };
  readonly invoice_number: string;
  readonly issue_date: string;
  readonly due_date: string;
  readonly currency: string;
  readonly net_amount: string;
  readonly tax_amount: string;
  readonly gross_amount: string;
  readonly purchase_order_ref: string;
  readonly buyer: { readonly name: string; readonly tax_id: string };
}

const SUPPLIERS = 400;
const DUPLICATE_SHARE = 0.03;
const DAY_MS = 86_400_000;
/** The first and the last day on which the generated invoices of a history were issued, `YYYY-MM-DD`. */
export interface IssueDates {
  readonly from: string;
  readonly to: string;
}

/**
 * The issue dates of the generated invoices end yesterday, so that no invoice is dated in the future or very long ago.
 */
export const lastTwoYears: IssueDates = { from: dateOf(today() - 731), to: dateOf(today() - 1) };
/** Number of days from the issue of an invoice to its arrival in the product. */
const POST_DAYS = 5;

export const firstWords = (
  'Nordlicht Bergmann Hanseatische Alpine Rheinland Kaltenbach Silberhorn Oderbruch Weser Falkenstein Lindner ' +
  'Morgenrot Steinacker Uferwald Vogelsang Westphal Zollern Auerbach Birkenfeld Cordes'
).split(' ');
export const secondWords = (
  'Energie Papier Logistik Maschinenbau Elektrotechnik Verpackung Gebäudereinigung Software Bürobedarf Fahrzeugteile ' +
  'Druckerei Labortechnik Kältetechnik Werkzeuge Stahlhandel Catering Sicherheitsdienst Beratung Möbelwerk Messtechnik'
).split(' ');
const legalForms = ['GmbH', 'AG', 'GmbH & Co. KG', 'KG', 'UG (haftungsbeschränkt)'];

/**
 * Returns an invoice of the customer's history.
 * @param index position of the invoice in the history
 * @param storedCount number of invoices that are stored when this invoice arrives; only these can be duplicated
 */
export function invoiceAt(index: number, storedCount: number, issued: IssueDates = lastTwoYears): BenchInvoice {
  const random = randomOf(index);
  if (random() < DUPLICATE_SHARE && index > 0) {
    const original = invoiceAt(Math.floor(random() * Math.min(index, storedCount)), storedCount, issued);
    const isExact = random() < 0.7;
    return isExact ? original : { ...original, invoice_number: `${original.invoice_number}A` };
  }
  // The square of a random number assigns a twentieth of all invoices to the largest supplier and almost none to the
  // smallest.
  const supplier = Math.floor(SUPPLIERS * random() ** 2);
  const netCents = Math.floor(usualNetCents(supplier) * (0.7 + 0.6 * random()));
  const taxCents = Math.round(netCents * 0.19);
  // Generated invoices arrive in the order of their dates, give or take some days. Invoices after the stored ones
  // arrive at the end of the history.
  const age = ageOf(index, storedCount, issued) + random() * POST_DAYS;
  const issueDay = dayNumber(issued.to) - Math.floor(age);
  const order = 4_500_000_000 + Math.floor(random() * 100_000_000);
  const firstNote = 80_000_000 + Math.floor(random() * 10_000_000);
  return {
    supplier: supplierAt(supplier),
    invoice_number: `RE-${dateOf(issueDay).slice(0, 4)}-${String(index).padStart(7, '0')}`,
    issue_date: dateOf(issueDay),
    due_date: dateOf(issueDay + 30),
    currency: 'EUR',
    net_amount: decimal(netCents),
    tax_amount: decimal(taxCents),
    gross_amount: decimal(netCents + taxCents),
    purchase_order_ref: `Framework agreement ${order}, call-off ${order % 97}; delivery notes ${Array.from(
      { length: 50 },
      (_, note) => firstNote + note,
    ).join(', ')}`,
    buyer: { name: 'Muster Industriewerke Aktiengesellschaft, Kreditorenbuchhaltung', tax_id: germanTaxId(81_234_567) },
  };
}

/**
 * Returns the time at which a stored invoice of the generated history arrived. A higher index means a later time, and
 * no invoice arrives before it is issued.
 */
export function arrivalOf(index: number, storedCount: number, issued: IssueDates = lastTwoYears): Date {
  return new Date(Math.ceil((dayNumber(issued.to) + 1 - ageOf(index, storedCount, issued)) * DAY_MS) - 1);
}

/**
 * Returns the number of days from the arrival of a generated invoice to the last day of the history; 0 for invoices
 * after the stored ones.
 */
function ageOf(index: number, storedCount: number, { from, to }: IssueDates): number {
  return Math.max(0, 1 - index / storedCount) * (dayNumber(to) - dayNumber(from));
}

export function dayNumber(date: string): number {
  return Date.parse(date) / DAY_MS;
}

function today(): number {
  return Math.floor(Date.now() / DAY_MS);
}

/** Returns one of the 400 suppliers, the first of which send the most invoices. */
export function supplierAt(supplier: number): BenchInvoice['supplier'] {
  const first = firstWords[supplier % firstWords.length] ?? '';
  const second = secondWords[Math.floor(supplier / firstWords.length)] ?? '';
  return {
    name: `${first} ${second} ${legalForms[supplier % legalForms.length] ?? ''}`,
    tax_id: germanTaxId(10_000_000 + supplier * 7_919),
    bank_account: { iban: germanIban(37_040_044, 532_013_000 + supplier * 104_729) },
  };
}

/** Usual net amount of an invoice of the given supplier. */
export function usualNetCents(supplier: number): number {
  return 5_000 + Math.floor(randomOf(supplier)() ** 3 * 2_000_000);
}

/** Computes the check digit of a generated German VAT id by ISO 7064 mod 11, 10 over eight digits. */
export function germanTaxId(number: number): string {
  let product = 10;
  for (const digit of String(number)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (2 * sum) % 11;
  }
  return `DE${number}${(11 - product) % 10}`;
}

export function germanIban(bankCode: number, account: number): string {
  const base = `${bankCode}${String(account).padStart(10, '0')}`;
  // For the check digits of a generated IBAN, D is replaced by 13 and E by 14, and the check digits by two zeros.
  const check = 98n - (BigInt(`${base}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${base}`;
}

export function decimal(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Returns a generator of numbers from 0 to 1 that the seed determines (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
