import type { Row } from '../call.js';
import { timeOfDate } from './dates.js';
import type { Entity } from './entities.js';

/** Refusal of the parameter `where` or `order` by the simulated Xero. */
export class QueryParseException extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'QueryParseException';
  }
}

type Scalar = string | number | boolean;

const COMPARISON = /^\s*([A-Za-z][\w.]*)\s*(==|!=|>=|<=|>|<)\s*(.+?)\s*$/s;
const DATE_TIME = /^DateTime\(\s*(\d{4})\s*,\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)$/;
const ORDER = /^\s*([A-Za-z][\w.]*)(?:\s+(ASC|DESC))?\s*$/i;

/** Parses a Xero filter of comparisons joined by AND, such as `Type=="ACCPAY" AND Date>=DateTime(2026,1,31)`. */
export function parseWhere(text: string, entity: Entity): (row: Row) => boolean {
  const tests = splitAnd(text).map((part) => {
    const [, path = '', operator = '', literal = ''] = COMPARISON.exec(part) ?? [];
    if (operator === '') throw new QueryParseException(`Expression expected: ${part}`);
    requireField(path, entity);
    const wanted = readLiteral(literal);
    return (row: Row): boolean => {
      const value = valueAt(row, path);
      const order = compare(
        typeof wanted === 'number' && typeof value === 'string' ? timeOfDate(value) : value,
        wanted,
      );
      switch (operator) {
        case '==':
          return order === 0;
        case '!=':
          return order !== 0;
        case '>':
          return order > 0;
        case '<':
          return order < 0;
        case '>=':
          return order >= 0;
        default:
          return order <= 0;
      }
    };
  });
  return (row) => tests.every((test) => test(row));
}

/** The Xero rows are already sorted by id. Any other order needs a sorted copy. */
export function sortRows(rows: readonly Row[], order: string | undefined, entity: Entity): readonly Row[] {
  if (order === undefined) return rows;
  const [, path = '', direction = 'ASC'] = ORDER.exec(order) ?? [];
  requireField(path, entity);
  const isDescending = direction.toUpperCase() === 'DESC';
  if (path === entity.id) return isDescending ? rows.toReversed() : rows;
  const sign = isDescending ? -1 : 1;
  const key = (row: Row): Scalar | undefined => {
    const value = valueAt(row, path);
    return typeof value === 'string' && value.startsWith('/Date(') ? timeOfDate(value) : value;
  };
  return rows.toSorted((left, right) => sign * compare(key(left), key(right)));
}

function requireField(path: string, { fields, type }: Entity): void {
  const [first = ''] = path.split('.');
  if (!fields.has(first)) throw new QueryParseException(`No property or field '${first}' exists in type '${type}'`);
}

/** Splits a Xero filter at each AND outside quotation marks. */
function splitAnd(text: string): string[] {
  const parts = [''];
  for (const piece of text.split(/("(?:[^"\\]|\\.)*")/)) {
    const [first = '', ...rest] = piece.startsWith('"') ? [piece] : piece.split(/\s+AND\s+|&&/i);
    parts[parts.length - 1] += first;
    parts.push(...rest);
  }
  return parts;
}

function readLiteral(text: string): string | number | boolean {
  if (/^"(?:[^"\\]|\\.)*"$/s.test(text)) return text.slice(1, -1).replace(/\\(.)/g, '$1');
  if (text === 'true' || text === 'false') return text === 'true';
  const guid = /^Guid\("([0-9a-f-]{36})"\)$/i.exec(text)?.[1];
  if (guid !== undefined) return guid;
  const [, year, month, day] = DATE_TIME.exec(text) ?? [];
  if (year !== undefined) return Date.UTC(Number(year), Number(month) - 1, Number(day));
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  throw new QueryParseException(`Unknown identifier '${text}'`);
}

function valueAt(row: Row, path: string): Scalar | undefined {
  let value: unknown = row;
  for (const name of path.split('.')) value = (value as Row | undefined)?.[name];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

function compare(left: Scalar | undefined, right: Scalar | undefined): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const [one, other] = [String(left ?? ''), String(right ?? '')];
  return one < other ? -1 : one > other ? 1 : 0;
}
