import type { Row } from '../call.js';
import { valueError } from './fault.js';
import type { FieldType, Model } from './models.js';

type Predicate = (row: Row) => boolean;

/** Name of the Odoo field with the exact modification time, whose microseconds the displayed text does not show. */
export const HIDDEN_MS = '__write_ms';

/** Returns the Odoo model to which a many2one field points, and the records of the model by id. */
export type FindRelated = (relation: string) => { readonly model: Model; get(id: number): Row | undefined } | undefined;

export interface Domain {
  readonly matches: Predicate;
  /**
   * Id from a condition `id > ...` in an Odoo search domain. All matching records have higher ids, so the search can
   * begin after this id.
   */
  readonly idAfter: number | undefined;
}

/**
 * Parses a search domain of Odoo, which is in Polish notation.
 * @throws OdooFault
 */
export function readDomain(domain: unknown, modelName: string, model: Model, related: FindRelated): Domain {
  if (!Array.isArray(domain)) throw valueError(`Invalid domain: ${JSON.stringify(domain)}`);
  const items = domain as readonly unknown[];
  let at = 0;
  const readTerm = (): Predicate => {
    const item = items[at];
    at += 1;
    if (item === undefined) throw valueError(`Domain ${JSON.stringify(domain)} is syntactically not correct.`);
    if (item === '&' || item === '|') {
      const [left, right] = [readTerm(), readTerm()];
      return item === '&' ? (row) => left(row) && right(row) : (row) => left(row) || right(row);
    }
    if (item === '!') {
      const term = readTerm();
      return (row) => !term(row);
    }
    return readLeaf(item, modelName, model, related);
  };
  // Terms of an Odoo search domain without an operator are joined by "and".
  const terms: Predicate[] = [];
  let idAfter: number | undefined;
  while (at < items.length) {
    const item = items[at];
    if (Array.isArray(item) && item[0] === 'id' && item[1] === '>' && typeof item[2] === 'number') idAfter = item[2];
    terms.push(readTerm());
  }
  return { matches: (row) => terms.every((matches) => matches(row)), idAfter };
}

/** Checks whether an Odoo search domain mentions a field. A default filter on that field then does not apply. */
export function namesField(domain: unknown, field: string): boolean {
  return Array.isArray(domain) && domain.some((item) => Array.isArray(item) && item[0] === field);
}

function readLeaf(item: unknown, modelName: string, model: Model, related: FindRelated): Predicate {
  if (!Array.isArray(item) || item.length !== 3) throw valueError(`Invalid leaf ${JSON.stringify(item)}`);
  const [field, operator, value] = item as [unknown, unknown, unknown];
  const [, link = '', rest = ''] = typeof field === 'string' ? (/^(\w+)\.(.+)$/.exec(field) ?? []) : [];
  const relation = model.relations[link];
  const target = relation === undefined ? undefined : related(relation);
  if (relation !== undefined && target !== undefined) {
    // The search condition is on a path over a relation, such as `partner_id.supplier_rank`.
    const matches = readLeaf([rest, operator, value], relation, target.model, related);
    return (row) => {
      const linked = row[link];
      const found = Array.isArray(linked) ? target.get(Number(linked[0])) : undefined;
      return found !== undefined && matches(found);
    };
  }
  const type = typeof field === 'string' ? model.fields[field] : undefined;
  if (typeof field !== 'string' || type === undefined) {
    throw valueError(`Invalid field ${modelName}.${String(field)} in leaf ${JSON.stringify(item)}`);
  }
  const of = (row: Row): unknown => comparable(row, field, type);
  switch (operator) {
    case '=':
      return (row) => isEqual(of(row), operand(value, type));
    case '!=':
      return (row) => !isEqual(of(row), operand(value, type));
    case 'in':
    case 'not in': {
      if (!Array.isArray(value)) throw valueError(`Invalid leaf ${JSON.stringify(item)}`);
      const wanted = new Set(value.map((one) => operand(one, type)));
      return operator === 'in' ? (row) => isAmong(of(row), wanted) : (row) => !isAmong(of(row), wanted);
    }
    case '>':
    case '>=':
    case '<':
    case '<=': {
      const bound = operand(value, type);
      return (row) => isOrdered(of(row), operator, bound);
    }
    case 'like':
    case 'ilike':
      return (row) => String(of(row)).toLowerCase().includes(String(value).toLowerCase());
    default:
      throw valueError(`Invalid operator ${JSON.stringify(operator)} in leaf ${JSON.stringify(item)}`);
  }
}

function comparable(row: Row, field: string, type: FieldType): unknown {
  const value = row[field];
  if (type === 'many2one') return Array.isArray(value) ? value[0] : value;
  if (field === 'write_date') return Number(row[HIDDEN_MS]);
  return type === 'datetime' ? readInstant(value) : value;
}

function operand(value: unknown, type: FieldType): unknown {
  return type === 'datetime' ? readInstant(value) : value;
}

/** Parses a time of Odoo, such as `2026-02-01 09:15:22`, which is in UTC. */
export function readInstant(value: unknown): number {
  if (typeof value !== 'string') return Number.NaN;
  const milliseconds = Date.parse(`${value.replace(' ', 'T')}${value.endsWith('Z') ? '' : 'Z'}`);
  if (Number.isNaN(milliseconds)) throw valueError(`time data ${JSON.stringify(value)} does not match format`);
  return milliseconds;
}

function isEqual(left: unknown, right: unknown): boolean {
  if (Array.isArray(left)) return left.includes(right);
  return left === right || (isEmpty(left) && isEmpty(right));
}

function isAmong(left: unknown, wanted: ReadonlySet<unknown>): boolean {
  return Array.isArray(left) ? left.some((one) => wanted.has(one)) : wanted.has(left);
}

function isEmpty(value: unknown): boolean {
  return value === false || value === null || value === undefined;
}

function isOrdered(left: unknown, operator: '>' | '>=' | '<' | '<=', right: unknown): boolean {
  // An empty field of an Odoo record is neither smaller nor larger than any value.
  if (isEmpty(left) || isEmpty(right)) return false;
  const [first, second] =
    typeof left === 'number' ? [left, Number(right)] : ([String(left), String(right)] as [string, string]);
  switch (operator) {
    case '>':
      return first > second;
    case '>=':
      return first >= second;
    case '<':
      return first < second;
    case '<=':
      return first <= second;
  }
}
