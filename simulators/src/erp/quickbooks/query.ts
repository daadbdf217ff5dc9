import type { Row } from '../call.js';
import type { Entity } from './entities.js';

/** Refusal of a query by the simulated QuickBooks. */
export class StatementRefusal extends Error {
  readonly code: '4000' | '4001';

  constructor(code: '4000' | '4001', message: string) {
    super(message);
    this.name = 'StatementRefusal';
    this.code = code;
  }
}

export interface Statement {
  readonly entity: string;
  /** Fields that the QuickBooks query selects. Absent if it selects all fields. */
  readonly fields?: readonly string[];
  readonly isCount: boolean;
  /** Conditions of the QuickBooks query, which are joined by AND, the only operator. */
  readonly conditions: readonly Condition[];
  readonly orderBy: readonly { readonly field: string; readonly isDescending: boolean }[];
  /** Position of the first row that the QuickBooks query requests, counted from 1. */
  readonly startPosition: number;
  readonly maxResults: number;
}

interface Condition {
  readonly field: string;
  readonly operator: '=' | '<' | '>' | '<=' | '>=' | 'in' | 'like';
  readonly values: readonly Literal[];
}

type Literal = string | boolean;
type Scalar = string | number | boolean;

const PAGE_SIZE_DEFAULT = 100;
/** Maximum page size of a QuickBooks query. QuickBooks Online silently reduces a larger page size. */
export const PAGE_SIZE_MAX = 1_000;
const TOKEN = /\s*(?:('(?:[^'\\]|\\.)*')|(<=|>=|[=<>(),*])|([^\s'<>=(),*]+))/y;

/**
 * Parses the part of the QuickBooks query language that clients use for paging: `select ... from ... where ... orderby
 * ... startposition ... maxresults ...`.
 */
export function parseStatement(text: string, entities: Readonly<Record<string, Entity>>): Statement {
  const tokens = tokenize(text);
  let at = 0;
  const fail = (): never => {
    const found = tokens[at] === undefined ? '<EOF>' : `"${tokens[at]}"`;
    throw new StatementRefusal('4000', `QueryParserError: Encountered ${found} at line 1, column ${at + 1}.`);
  };
  const isNext = (word: string): boolean => tokens[at]?.toLowerCase() === word;
  const accept = (word: string): boolean => {
    if (!isNext(word)) return false;
    at += 1;
    return true;
  };
  const expect = (word: string): void => {
    if (!accept(word)) fail();
  };
  const name = (): string => {
    const token = tokens[at];
    if (token === undefined || !/^[A-Za-z][\w.]*$/.test(token)) return fail();
    at += 1;
    return token;
  };
  const count = (min: number): number => {
    const token = tokens[at];
    if (token === undefined || !/^\d{1,9}$/.test(token) || Number(token) < min) return fail();
    at += 1;
    return Number(token);
  };
  const literal = (): Literal => {
    const token = tokens[at];
    if (token === undefined) return fail();
    at += 1;
    if (token.startsWith("'")) return token.slice(1, -1).replace(/\\(.)/g, '$1');
    if (/^(?:true|false)$/i.test(token)) return token.toLowerCase() === 'true';
    // Numbers in a QuickBooks query may be written without quotation marks, texts and dates may not.
    if (/^-?\d+(?:\.\d+)?$/.test(token)) return token;
    at -= 1;
    return fail();
  };
  const list = <T>(read: () => T): T[] => {
    const items = [read()];
    while (accept(',')) items.push(read());
    return items;
  };

  expect('select');
  const isCount = isNext('count');
  let fields: string[] | undefined;
  if (isCount) {
    for (const word of ['count', '(', '*', ')']) expect(word);
  } else if (!accept('*')) {
    fields = list(name);
  }
  expect('from');
  const entity = name();
  const known = entities[entity];
  if (known === undefined) {
    throw new StatementRefusal('4001', `QueryValidationError: Invalid context declaration: ${entity}`);
  }
  const property = (): string => {
    const field = name();
    if (!known.properties.has(field)) {
      throw new StatementRefusal('4001', `QueryValidationError: Property ${field} not found for Entity ${entity}`);
    }
    return field;
  };
  for (const field of fields ?? []) {
    if (known.properties.has(field) || known.shown.has(field)) continue;
    throw new StatementRefusal('4001', `QueryValidationError: Property ${field} not found for Entity ${entity}`);
  }
  const conditions: Condition[] = [];
  if (accept('where')) {
    do {
      const field = property();
      const operator = tokens[at]?.toLowerCase();
      at += 1;
      switch (operator) {
        case 'in':
          expect('(');
          conditions.push({ field, operator, values: list(literal) });
          expect(')');
          break;
        case '=':
        case '<':
        case '>':
        case '<=':
        case '>=':
        case 'like':
          conditions.push({ field, operator, values: [literal()] });
          break;
        case undefined:
        default:
          at -= 1;
          fail();
      }
    } while (accept('and'));
  }
  let orderBy: Statement['orderBy'] = [];
  const isOrdered = accept('orderby') || (isNext('order') && tokens[at + 1]?.toLowerCase() === 'by' && (at += 2) > 0);
  if (isOrdered) {
    orderBy = list(() => {
      const field = property();
      const isDescending = accept('desc');
      if (!isDescending) accept('asc');
      return { field, isDescending };
    });
  }
  const startPosition = accept('startposition') ? count(1) : 1;
  const maxResults = accept('maxresults') ? count(0) : PAGE_SIZE_DEFAULT;
  if (at < tokens.length) fail();
  return {
    entity,
    isCount,
    conditions,
    orderBy,
    startPosition,
    maxResults: Math.min(maxResults, PAGE_SIZE_MAX),
    ...(fields === undefined ? {} : { fields }),
  };
}

function tokenize(text: string): string[] {
  const tokens: string[] = [];
  const trimmed = text.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(trimmed);
    if (match === null) {
      throw new StatementRefusal('4000', `QueryParserError: Lexical error at line 1, column ${from + 1}.`);
    }
    tokens.push(match[1] ?? match[2] ?? match[3] ?? '');
  }
  return tokens;
}

/**
 * Returns the rows that a QuickBooks query selects, in the order that the query states. The last results are cached,
 * because the queries for the pages of one list read the same rows.
 */
export function select(rows: readonly Row[], { conditions, orderBy }: Statement, entity: Entity): readonly Row[] {
  const key = JSON.stringify([conditions, orderBy]);
  const kept = results.get(rows) ?? new Map<string, readonly Row[]>();
  results.set(rows, kept);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const tests = conditions.map(toTest);
  // QuickBooks returns inactive rows only if the query names the property `Active`.
  if (entity.hasActive && !conditions.some(({ field }) => field === 'Active'))
    tests.push((row) => row['Active'] !== false);
  const selected = rows.filter((row) => tests.every((test) => test(row)));
  for (const { field, isDescending } of orderBy.toReversed()) {
    const sign = isDescending ? -1 : 1;
    // The QuickBooks rows are already sorted by id, so only another sort field needs sorting.
    if (field !== 'Id') selected.sort((left, right) => sign * compare(valueAt(left, field), valueAt(right, field)));
    else if (isDescending) selected.reverse();
  }
  if (kept.size >= RESULTS_MAX) kept.clear();
  kept.set(key, selected);
  return selected;
}

const RESULTS_MAX = 20;
const results = new WeakMap<readonly Row[], Map<string, readonly Row[]>>();

function toTest({ field, operator, values }: Condition): (row: Row) => boolean {
  const isTime = field.startsWith('MetaData.');
  const wanted = values.map((value) => (isTime ? timeOf(String(value)) : value));
  const [first = ''] = wanted;
  const comparable = (row: Row): Scalar | undefined => {
    const value = valueAt(row, field);
    return isTime ? timeOf(String(value)) : value;
  };
  switch (operator) {
    case 'in': {
      const all = new Set(wanted.map(String));
      return (row) => all.has(String(comparable(row)));
    }
    case 'like': {
      const pattern = String(first)
        .split('%')
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
      const expression = new RegExp(`^${pattern.join('.*')}$`, 'i');
      return (row) => expression.test(String(comparable(row) ?? ''));
    }
    case '=':
      return (row) => String(comparable(row)) === String(first);
    case '<':
      return (row) => compare(comparable(row), first) < 0;
    case '>':
      return (row) => compare(comparable(row), first) > 0;
    case '<=':
      return (row) => compare(comparable(row), first) <= 0;
    case '>=':
      return (row) => compare(comparable(row), first) >= 0;
  }
}

/** Returns the property of a QuickBooks row at a path such as `MetaData.LastUpdatedTime`. */
function valueAt(row: Row, path: string): Scalar | undefined {
  let value: unknown = row;
  for (const name of path.split('.')) value = (value as Row | undefined)?.[name];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/**
 * Parses a date with a time in a QuickBooks query, as milliseconds since 1970.
 * @throws StatementRefusal if the text is not a date with a time
 */
function timeOf(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new StatementRefusal('4001', `QueryValidationError: value ${text} is no date time`);
  return time;
}

function compare(left: Scalar | undefined, right: Scalar | undefined): number {
  const [a, b] = [Number(left), Number(right)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  const [one, other] = [String(left ?? ''), String(right ?? '')];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Returns the properties that a QuickBooks query selects. */
export function project(row: Row, fields: readonly string[] | undefined): Row {
  if (fields === undefined) return row;
  const names = new Set(fields.map((field) => field.split('.')[0] ?? field));
  const shown = Object.entries(row).filter(([name]) => names.has(name));
  return Object.fromEntries([...shown, ['domain', 'QBO'], ['sparse', true]]) as Row;
}
