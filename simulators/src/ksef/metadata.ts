import { z } from 'zod';
import type { Answer, Call } from '../erp/call.js';
import type { Authenticator } from './authentication.js';
import { invoicingMode } from './confirmation.js';
import type { Invoices } from './invoices.js';
import { timestamp } from './numbers.js';
import { readBody } from './read-body.js';
import { badRequest } from './refusal.js';

const PAGE_SIZE_MIN = 10;
const PAGE_SIZE_MAX = 250;

const instant = z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'must be a date and time');
const filters = z.object({
  subjectType: z.enum(['Subject1', 'Subject2', 'Subject3', 'SubjectAuthorized']),
  dateRange: z.object({
    dateType: z.enum(['Issue', 'Invoicing', 'PermanentStorage']),
    from: instant,
    to: instant.nullish(),
  }),
  ksefNumber: z.string().nullish(),
  invoiceNumber: z.string().nullish(),
  sellerNip: z.string().nullish(),
});

/** S10: what the repository knows of invoices in which the caller is the seller (Subject1) or the buyer (Subject2). */
export function queryMetadata(call: Call, authenticator: Authenticator, invoices: Invoices): Answer {
  const { context } = authenticator.authorize(call, ['InvoiceRead']);
  const { subjectType, dateRange, ksefNumber, invoiceNumber, sellerNip } = readBody(call, filters);
  const offset = readNumber(call, 'pageOffset', 0, [0, 10_000]);
  const size = readNumber(call, 'pageSize', PAGE_SIZE_MIN, [PAGE_SIZE_MIN, PAGE_SIZE_MAX]);
  const from = Date.parse(dateRange.from);
  const to = dateRange.to ? Date.parse(dateRange.to) : Number.POSITIVE_INFINITY;
  const found = invoices.registered().flatMap(({ registered, invoice }) => {
    const { facts, acquiredAt } = invoice;
    if (facts === null || acquiredAt === null) return [];
    const subject = { Subject1: facts.sellerNip, Subject2: facts.buyer.value, Subject3: null, SubjectAuthorized: null };
    const dates = { Issue: facts.issueDate, Invoicing: invoice.receivedAt, PermanentStorage: acquiredAt };
    const date = Date.parse(dates[dateRange.dateType]);
    const isMatch =
      subject[subjectType] === context &&
      date >= from &&
      date <= to &&
      (!ksefNumber || ksefNumber === registered.ksefNumber) &&
      (!invoiceNumber || invoiceNumber === facts.number) &&
      (!sellerNip || sellerNip === facts.sellerNip);
    if (!isMatch) return [];
    const storedAt = new Date(Date.parse(acquiredAt) + 1_000);
    return [
      {
        ksefNumber: registered.ksefNumber,
        invoiceNumber: facts.number,
        issueDate: facts.issueDate,
        invoicingDate: timestamp(new Date(invoice.receivedAt)),
        acquisitionDate: timestamp(new Date(acquiredAt)),
        permanentStorageDate: timestamp(storedAt),
        seller: { nip: facts.sellerNip, name: facts.sellerName },
        buyer: { identifier: facts.buyer, name: facts.buyerName },
        netAmount: facts.net,
        grossAmount: facts.gross,
        vatAmount: facts.vat,
        currency: facts.currency,
        invoicingMode: invoicingMode(facts.issueDate, new Date(invoice.receivedAt)),
        invoiceType: toInvoiceType(facts.kind),
        formCode: facts.formCode,
        isSelfInvoicing: facts.isSelfInvoicing,
        hasAttachment: facts.hasAttachment,
        invoiceHash: invoice.invoiceHash,
      },
    ];
  });
  const start = offset * size;
  const page = found.slice(start, start + size);
  return { status: 200, body: { hasMore: start + size < found.length, isTruncated: false, invoices: page } };
}

/** `KOR_ZAL` is `KorZal` here. */
function toInvoiceType(kind: string): string {
  return kind
    .split('_')
    .map((part) => part.slice(0, 1) + part.slice(1).toLowerCase())
    .join('');
}

function readNumber(call: Call, name: string, fallback: number, [least, most]: readonly [number, number]): number {
  const value = Number(call.query[name] ?? fallback);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw badRequest(21_405, `${name}: wymagana liczba od ${least} do ${most}.`);
}
