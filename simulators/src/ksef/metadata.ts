import type { Answer, Call } from '../erp/call.js';
import type { Clock } from '../erp/clock.js';
import type { Authenticator } from './authentication.js';
import {
  checkDateRange,
  completeUntil,
  filtersSchema,
  isBeyondHighWaterMark,
  searchInvoices,
  toMetadata,
} from './invoice-search.js';
import type { Invoices } from './invoices.js';
import { readBody } from './read-body.js';
import { badRequest } from './refusal.js';

const PAGE_SIZE_MIN = 10;
const PAGE_SIZE_MAX = 250;
/** Maximum number of invoices that KSeF returns for one search. To get more, the caller must search a shorter period. */
const FOUND_MAX = 10_000;

interface MetadataDeps {
  readonly clock: Clock;
  readonly authenticator: Authenticator;
  readonly invoices: Invoices;
  readonly highWaterMark: () => Date;
}

/**
 * Returns the metadata of the KSeF invoices in which the caller is a party (call S10, which the KSeF reference also
 * names R4).
 */
export function queryMetadata(call: Call, deps: MetadataDeps): Answer {
  const { context } = deps.authenticator.authorize(call, ['InvoiceRead']);
  const filters = readBody(call, filtersSchema);
  const offset = readNumber(call, 'pageOffset', 0, [0, FOUND_MAX]);
  const size = readNumber(call, 'pageSize', PAGE_SIZE_MIN, [PAGE_SIZE_MIN, PAGE_SIZE_MAX]);
  const order = call.query['sortOrder'] ?? 'Asc';
  if (order !== 'Asc' && order !== 'Desc') throw badRequest(21_405, 'sortOrder: wymagana wartość Asc albo Desc.');
  const now = deps.clock.now();
  checkDateRange(filters, now);
  const search = { context, filters, now, highWaterMark: deps.highWaterMark() };
  if (isBeyondHighWaterMark(search)) {
    throw badRequest(
      21_183,
      'Parametr dateRange.from jest późniejszy niż PermanentStorageHwmDate przy włączonym restrictToPermanentStorageHwmDate.',
    );
  }
  const ascending = searchInvoices(deps.invoices.accepted(), search);
  const found = order === 'Asc' ? ascending : ascending.toReversed();
  const start = offset * size;
  const end = Math.min(start + size, FOUND_MAX);
  const body = {
    hasMore: end < found.length,
    isTruncated: end === FOUND_MAX && found.length > FOUND_MAX,
    permanentStorageHwmDate: completeUntil(search),
    invoices: found.slice(start, end).map(toMetadata),
  };
  return { status: 200, body };
}

function readNumber(call: Call, name: string, fallback: number, [least, most]: readonly [number, number]): number {
  const value = Number(call.query[name] ?? fallback);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw badRequest(21_405, `${name}: wymagana liczba od ${least} do ${most}.`);
}
