import { randomUUID } from 'node:crypto';
import type { Answer, Call, Row } from '../call.js';
import type { Clock } from '../clock.js';
import type { Table } from '../table.js';
import { invalid, problem } from './answers.js';
import { timeOfDate } from './dates.js';
import { entities } from './entities.js';
import type { Entity } from './entities.js';
import { parseWhere, QueryParseException, sortRows } from './filter.js';

/** An organisation in the simulated Xero, with its accounting records. */
export interface Books {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly baseCurrency: string;
  readonly countryCode: string;
  readonly shortCode: string;
  readonly tables: ReadonlyMap<string, Table<string>>;
  readonly hasRights: boolean;
}

interface ReadRequest {
  readonly books: Books;
  readonly name: string;
  readonly scopes: readonly string[];
}

interface ListRequest {
  readonly books: Books;
  readonly name: string;
  readonly entity: Entity;
}

const PAGE_SIZE_DEFAULT = 100;
const PAGE_SIZE_MAX = 1_000;
const RESULTS_MAX = 20;

/** Simulates the read-only accounting API 2.0 of Xero: the organisation and lists of records. */
export function accountingApi(clock: Clock) {
  const envelope = () => ({
    Id: randomUUID(),
    Status: 'OK',
    ProviderName: 'Invoice Control',
    DateTimeUTC: `/Date(${clock.now().getTime()})/`,
  });

  const list = (call: Call, { books, name, entity }: ListRequest): Answer => {
    const { query } = call;
    if (query['where'] !== undefined && !takes(entity, 'where'))
      return invalid(16, 'QueryParseException', 'where is not supported');
    const page = Number(query['page'] ?? 1);
    const pageSize = Number(query['pageSize'] ?? PAGE_SIZE_DEFAULT);
    if (!isWithin(page, Infinity) || !isWithin(pageSize, PAGE_SIZE_MAX))
      return invalid(10, 'ValidationException', `page is at least 1, pageSize is 1 to ${PAGE_SIZE_MAX}`);
    const since = timeOfSince(call.headers['if-modified-since']);
    if (Number.isNaN(since)) return invalid(10, 'ValidationException', 'If-Modified-Since is no date');
    const all = books.tables.get(name)?.all() ?? [];
    const { where, order, includeArchived, IDs, Status, DateFrom } = query;
    const selected = cachedResult(
      all,
      JSON.stringify([since, where, order, includeArchived, IDs, Status, DateFrom]),
      () => {
        const conditions = conditionsOf(query, { name, entity, since });
        return sortRows(
          all.filter((row) => conditions.every((holds) => holds(row))),
          order,
          entity,
        );
      },
    );
    const isPaged = query['page'] !== undefined;
    const rows = isPaged
      ? selected.slice((page - 1) * pageSize, page * pageSize)
      : selected.map((row) => summaryOf(row, entity));
    const pagination = (isEndless: boolean) => ({
      page,
      pageSize,
      pageCount: isEndless ? page + 1 : Math.ceil(selected.length / pageSize),
      itemCount: isEndless ? (page + 1) * pageSize : selected.length,
    });
    return {
      status: 200,
      page: {
        rows,
        render: (shown, { isEndless }) => ({
          ...envelope(),
          ...(isPaged ? { pagination: pagination(isEndless) } : {}),
          [name]: shown,
        }),
      },
    };
  };

  /** Handles `GET /api.xro/2.0/{name}` for a token that has the given scopes. */
  return (call: Call, { books, name, scopes }: ReadRequest): Answer => {
    const entity = entities[name];
    const needed = name === 'Organisation' ? ['accounting.settings', 'accounting.settings.read'] : entity?.scopes;
    if (needed === undefined) return problem(404, 'NotFound', 'The resource you are looking for cannot be found');
    if (!needed.some((scope) => scopes.includes(scope))) {
      return {
        ...problem(401, 'Unauthorized', 'AuthorizationUnsuccessful'),
        headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
      };
    }
    if (!books.hasRights) return problem(403, 'Forbidden', 'AuthorizationUnsuccessful');
    if (call.method !== 'GET') return problem(405, 'MethodNotAllowed', 'MethodNotAllowed');
    if (!(call.headers['accept'] ?? '').includes('application/json')) {
      const xml = '<?xml version="1.0" encoding="utf-8"?><Response><Status>OK</Status></Response>';
      return { status: 200, headers: { 'content-type': 'text/xml; charset=utf-8' }, body: xml };
    }
    if (entity === undefined) return { status: 200, body: { ...envelope(), Organisations: [organisation(books)] } };
    try {
      return list(call, { books, name, entity });
    } catch (error) {
      if (error instanceof QueryParseException) return invalid(16, 'QueryParseException', error.message);
      throw error;
    }
  };
}

type Condition = (row: Row) => boolean;

/** Reads the conditions of a query to the simulated Xero. Unknown parameters are ignored, as in Xero. */
function conditionsOf(
  query: Call['query'],
  { name, entity, since }: { readonly name: string; readonly entity: Entity; readonly since: number | undefined },
): readonly Condition[] {
  const conditions: Condition[] = [];
  const given = (parameter: string) => (takes(entity, parameter) ? query[parameter] : undefined);
  const [where, ids, status, dateFrom] = [query['where'], given('IDs'), given('Status'), given('DateFrom')];
  if (where !== undefined) conditions.push(parseWhere(where, entity));
  if (ids !== undefined) {
    const wanted = new Set(ids.split(','));
    conditions.push((row) => wanted.has(String(row[entity.id])));
  }
  if (since !== undefined) conditions.push((row) => timeOfDate(String(row['UpdatedDateUTC'])) >= since);
  if (name === 'Contacts' && query['includeArchived'] !== 'true')
    conditions.push((row) => row['ContactStatus'] !== 'ARCHIVED');
  if (status !== undefined) conditions.push((row) => row['Status'] === status);
  if (dateFrom !== undefined) {
    const from = timeOfDate(dateFrom);
    conditions.push((row) => timeOfDate(String(row['Date'])) >= from);
  }
  return conditions;
}

function takes({ parameters }: Entity, parameter: string): boolean {
  return parameters.includes(parameter);
}

function isWithin(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}

const results = new WeakMap<readonly Row[], Map<string, readonly Row[]>>();

/** The results of the last Xero queries are cached, because all pages of one query read the same rows. */
function cachedResult(rows: readonly Row[], key: string, select: () => readonly Row[]): readonly Row[] {
  const ofRows = results.get(rows) ?? new Map<string, readonly Row[]>();
  results.set(rows, ofRows);
  const known = ofRows.get(key);
  if (known !== undefined) return known;
  const selected = select();
  if (ofRows.size >= RESULTS_MAX) ofRows.clear();
  ofRows.set(key, selected);
  return selected;
}

function organisation({ tenantId, tenantName, baseCurrency, countryCode, shortCode }: Books): Row {
  return {
    OrganisationID: tenantId,
    Name: tenantName,
    LegalName: tenantName,
    PaysTax: true,
    Version: countryCode === 'GB' ? 'UK' : 'GLOBAL',
    OrganisationType: 'COMPANY',
    BaseCurrency: baseCurrency,
    CountryCode: countryCode,
    IsDemoCompany: false,
    OrganisationStatus: 'ACTIVE',
    ShortCode: shortCode,
  };
}

function summaryOf(row: Row, { pagedOnly }: Entity): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !pagedOnly.includes(name))) as Row;
}

/** Parses a time of a Xero query: `2026-01-01T00:00:00` (in UTC) or an HTTP date. */
function timeOfSince(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = timeOfDate(text);
  return Number.isNaN(time) ? Date.parse(text) : time;
}
