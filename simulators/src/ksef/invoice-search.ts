import { z } from 'zod';
import { invoicingMode } from './confirmation.js';
import { storageDateOf } from './invoices.js';
import type { AcceptedInvoice } from './invoices.js';
import { isKsefNumber, polishDay, sortableInstant, timestamp } from './numbers.js';
import { badRequest } from './refusal.js';

/** Maximum number of days in the date range of a KSeF invoice query (KSeF reference, section 11). */
const RANGE_DAYS_MAX = 100;
const DAY_MS = 86_400_000;
const VALUES_MAX = 1_000;

const instant = z.string().transform((text, context) => {
  const sortable = sortableInstant(text);
  if (sortable !== undefined) return sortable;
  context.addIssue({ code: 'custom', message: 'must be a date and time' });
  return z.NEVER;
});
/** KSeF accepts null for a filter that is not set. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);
const amounts = { Brutto: 'gross', Netto: 'net', Vat: 'vat' } as const;
const invoiceTypes = [
  'Vat',
  'Zal',
  'Kor',
  'Roz',
  'Upr',
  'KorZal',
  'KorRoz',
  'VatPef',
  'VatPefSp',
  'KorPef',
  'VatRr',
  'KorVatRr',
] as const;

/** Filters of the KSeF calls S10 and R1 as the contract defines them. Instants are converted to sortable strings. */
export const filtersSchema = z.object({
  subjectType: z.enum(['Subject1', 'Subject2', 'Subject3', 'SubjectAuthorized']),
  dateRange: z.object({
    dateType: z.enum(['Issue', 'Invoicing', 'PermanentStorage']),
    from: instant,
    to: optional(instant),
    restrictToPermanentStorageHwmDate: optional(z.boolean()),
  }),
  ksefNumber: optional(z.string().refine(isKsefNumber, 'must be a KSeF number')),
  invoiceNumber: optional(z.string().max(256)),
  amount: optional(
    z.object({
      type: z.enum(['Brutto', 'Netto', 'Vat']),
      from: optional(z.number()),
      to: optional(z.number()),
    }),
  ),
  sellerNip: optional(z.string().regex(/^\d{10}$/)),
  buyerIdentifier: optional(
    z.object({ type: z.enum(['Nip', 'VatUe', 'Other', 'None']), value: optional(z.string().max(50)) }),
  ),
  currencyCodes: optional(z.array(z.string().regex(/^[A-Z]{3}$/)).max(VALUES_MAX)),
  invoicingMode: optional(z.enum(['Online', 'Offline'])),
  isSelfInvoicing: optional(z.boolean()),
  formType: optional(z.enum(['FA', 'PEF', 'FA_RR'])),
  invoiceTypes: optional(z.array(z.enum(invoiceTypes)).max(VALUES_MAX)),
  hasAttachment: optional(z.boolean()),
});
export type Filters = z.infer<typeof filtersSchema>;
export type DateType = Filters['dateRange']['dateType'];

export interface Search {
  readonly context: string;
  readonly filters: Filters;
  readonly now: Date;
  /** Time until which KSeF has indexed all invoices. */
  readonly highWaterMark: Date;
}

/**
 * Checks the date range of a KSeF invoice query.
 * @throws Refusal 21405 for a range that KSeF does not search
 */
export function checkDateRange({ dateRange }: Filters, now: Date): void {
  const { dateType, from, to, restrictToPermanentStorageHwmDate } = dateRange;
  const end = to ?? sortable(now);
  if (to !== undefined && to < from)
    throw badRequest(21_405, "'dateRange.to' must not be earlier than 'dateRange.from'.");
  // The two times of a KSeF invoice search are compared without fractions of a second, which do not matter for a range
  // of days.
  if (Date.parse(`${end}Z`) - Date.parse(`${from}Z`) > RANGE_DAYS_MAX * DAY_MS) {
    throw badRequest(21_405, `'dateRange' must not exceed ${RANGE_DAYS_MAX} days.`);
  }
  if (restrictToPermanentStorageHwmDate === true && dateType !== 'PermanentStorage') {
    throw badRequest(21_405, "'restrictToPermanentStorageHwmDate' requires the date type 'PermanentStorage'.");
  }
}

/**
 * Checks whether a KSeF invoice search covers no time: it is limited to the time before the high water mark, up to
 * which KSeF has stored all invoices, but its period begins after this mark.
 */
export function isBeyondHighWaterMark({ filters: { dateRange }, highWaterMark }: Search): boolean {
  return dateRange.restrictToPermanentStorageHwmDate === true && dateRange.from > sortable(highWaterMark);
}

/**
 * Returns the time until which the result of a KSeF invoice search is complete. Returns null unless the search is by
 * the date of permanent storage.
 */
export function completeUntil({ filters: { dateRange }, highWaterMark }: Search): string | null {
  if (dateRange.dateType !== 'PermanentStorage') return null;
  const mark = sortable(highWaterMark);
  return `${dateRange.to !== undefined && dateRange.to < mark ? dateRange.to : mark}+00:00`;
}

/** Returns the KSeF invoices that match the filters of a search, sorted by date, earliest first. */
export function searchInvoices(invoices: readonly AcceptedInvoice[], search: Search): readonly AcceptedInvoice[] {
  const { dateType, from, to, restrictToPermanentStorageHwmDate } = search.filters.dateRange;
  const end = to ?? sortable(search.now);
  const mark = sortable(search.highWaterMark);
  const last = restrictToPermanentStorageHwmDate === true && mark < end ? mark : end;
  // Issue dates of invoices have no time, so the range of a KSeF search consists of whole days in Poland.
  const [first, final] = dateType === 'Issue' ? [dayOf(from), dayOf(last)] : [from, last];
  return invoices
    .filter((invoice) => matches(invoice, search))
    .map((invoice) => ({ invoice, date: sortableDateOf(invoice, dateType) }))
    .filter(({ date }) => date >= first && date <= final)
    .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
    .map(({ invoice }) => invoice);
}

/** Returns the date by which a KSeF query sorts an invoice, as KSeF writes it. */
export function dateOf(invoice: AcceptedInvoice, dateType: DateType): string {
  if (dateType === 'Issue') return invoice.facts.issueDate;
  return dateType === 'Invoicing' ? timestamp(new Date(invoice.receivedAt)) : storageDateOf(invoice);
}

/** Returns the invoice metadata that S10 and `_metadata.json` show. */
export function toMetadata(invoice: AcceptedInvoice): Readonly<Record<string, unknown>> {
  const { facts } = invoice;
  return {
    ksefNumber: invoice.ksefNumber,
    invoiceNumber: facts.number,
    issueDate: facts.issueDate,
    invoicingDate: timestamp(new Date(invoice.receivedAt)),
    acquisitionDate: timestamp(new Date(invoice.acquiredAt)),
    permanentStorageDate: storageDateOf(invoice),
    seller: { nip: facts.sellerNip, name: facts.sellerName },
    buyer: { identifier: facts.buyer, name: facts.buyerName },
    netAmount: facts.net,
    grossAmount: facts.gross,
    vatAmount: facts.vat,
    currency: facts.currency,
    invoicingMode: modeOf(invoice),
    invoiceType: toInvoiceType(facts.kind),
    formCode: facts.formCode,
    isSelfInvoicing: facts.isSelfInvoicing,
    hasAttachment: facts.hasAttachment,
    invoiceHash: invoice.invoiceHash,
    thirdSubjects: facts.thirdSubjects ?? [],
    ...(facts.authorizedSubject ? { authorizedSubject: facts.authorizedSubject } : {}),
  };
}

/** Checks whether a company is a party to an invoice, in any role or in the given one. */
export function isParty({ facts }: AcceptedInvoice, company: string, role?: Filters['subjectType']): boolean {
  const parties = {
    Subject1: facts.sellerNip === company,
    Subject2: facts.buyer.type === 'Nip' && facts.buyer.value === company,
    Subject3: (facts.thirdSubjects ?? []).some(
      ({ identifier: { type, value } }) => type === 'Nip' && value === company,
    ),
    SubjectAuthorized: facts.authorizedSubject?.nip === company,
  };
  return role === undefined ? Object.values(parties).includes(true) : parties[role];
}

function matches(invoice: AcceptedInvoice, { context, filters }: Search): boolean {
  const { facts } = invoice;
  const { amount, buyerIdentifier, currencyCodes } = filters;
  const value = amount === undefined ? 0 : facts[amounts[amount.type]];
  const isEqual = <T>(wanted: T | undefined, found: T): boolean => wanted === undefined || wanted === found;
  const isOneOf = (wanted: readonly string[] = [], found: string): boolean =>
    wanted.length === 0 || wanted.includes(found);
  return (
    isParty(invoice, context, filters.subjectType) &&
    isEqual(filters.ksefNumber, invoice.ksefNumber) &&
    isEqual(filters.invoiceNumber, facts.number) &&
    isEqual(filters.sellerNip, facts.sellerNip) &&
    isEqual(buyerIdentifier?.type, facts.buyer.type) &&
    isEqual(buyerIdentifier?.value, facts.buyer.value) &&
    value >= (amount?.from ?? Number.NEGATIVE_INFINITY) &&
    value <= (amount?.to ?? Number.POSITIVE_INFINITY) &&
    isOneOf(currencyCodes, facts.currency) &&
    isEqual(filters.invoicingMode, modeOf(invoice)) &&
    isEqual(filters.isSelfInvoicing, facts.isSelfInvoicing) &&
    isEqual(filters.formType, facts.formCode.value) &&
    isOneOf(filters.invoiceTypes, toInvoiceType(facts.kind)) &&
    isEqual(filters.hasAttachment, facts.hasAttachment)
  );
}

function sortableDateOf(invoice: AcceptedInvoice, dateType: DateType): string {
  const date = dateOf(invoice, dateType);
  return dateType === 'Issue' ? date : (sortableInstant(date) ?? date);
}

function sortable(instant: Date): string {
  return sortableInstant(timestamp(instant)) ?? '';
}

/** Returns the day in Poland on which the time of an invoice falls. */
function dayOf(text: string): string {
  return polishDay(new Date(`${text.slice(0, 23)}Z`));
}

function modeOf({ facts, receivedAt }: AcceptedInvoice): 'Online' | 'Offline' {
  return invoicingMode(facts.issueDate, new Date(receivedAt));
}

/** Converts the kind of an invoice to the spelling that queries use. `KOR_ZAL` becomes `KorZal`. */
function toInvoiceType(kind: string): string {
  return kind
    .split('_')
    .map((part) => part.slice(0, 1) + part.slice(1).toLowerCase())
    .join('');
}
