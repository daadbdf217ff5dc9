import type { Row } from '../call.js';
import type { Table } from '../table.js';
import { HIDDEN_MS, namesField, readDomain } from './domain.js';
import type { FindRelated } from './domain.js';
import { accessDenied, notFound, unprocessable, valueError } from './fault.js';
import type { Model } from './models.js';

export interface Environment {
  readonly models: Readonly<Record<string, Model>>;
  readonly tables: ReadonlyMap<string, Table<number>>;
  readonly userId: number;
}

export interface MethodCall {
  readonly model: string;
  readonly method: string;
  readonly ids: readonly number[];
  readonly context: Readonly<Record<string, unknown>>;
  /** Arguments of the Odoo method that the call passes by name. */
  readonly named: Readonly<Record<string, unknown>>;
}

/** The result of an Odoo method: a list of records, which faults may change like a page, or any other value. */
export type MethodResult = { readonly rows: readonly Row[]; readonly limit?: number } | { readonly value: unknown };

/** The names of the arguments of each Odoo method, in their order. */
export const signatures: Readonly<Record<string, readonly string[]>> = {
  search_read: ['domain', 'fields', 'offset', 'limit', 'order'],
  search: ['domain', 'offset', 'limit', 'order'],
  search_count: ['domain', 'limit'],
  read: ['fields', 'load'],
  fields_get: ['allfields', 'attributes'],
  context_get: [],
};
/** Methods of Odoo models that need no record set. */
const modelMethods: ReadonlySet<string> = new Set([
  'search_read',
  'search',
  'search_count',
  'fields_get',
  'context_get',
]);

/** Calls a public method of a simulated Odoo model. @throws OdooFault */
export function callMethod(environment: Environment, call: MethodCall): MethodResult {
  const model = environment.models[call.model];
  if (model === undefined) throw notFound(`the model '${call.model}' does not exist`);
  const parameters = signatures[call.method];
  if (parameters === undefined || (call.method === 'context_get' && call.model !== 'res.users')) {
    throw notFound(`The method '${call.model}.${call.method}' does not exist`);
  }
  if (modelMethods.has(call.method) && call.ids.length > 0) {
    throw unprocessable(`cannot call ${call.model}.${call.method} with ids`);
  }
  const unknown = Object.keys(call.named).find((name) => !parameters.includes(name));
  if (unknown !== undefined) throw unprocessable(`got an unexpected keyword argument '${unknown}'`);
  requireCompanies(environment, call);
  const table = environment.tables.get(call.model);
  const { domain = [], fields, offset, limit, order } = call.named;
  const related: FindRelated = (relation) => {
    const of = environment.models[relation];
    return of && { model: of, get: (id) => environment.tables.get(relation)?.get(id) };
  };
  const search = { table, model, modelName: call.model, domain, context: call.context, related };
  switch (call.method) {
    case 'context_get':
      return { value: { lang: 'en_US', tz: 'Europe/Brussels', uid: environment.userId } };
    case 'fields_get':
      return { value: describeFields(model, call.named) };
    case 'search_count': {
      const count = [...matching(search)].length;
      return { value: typeof limit === 'number' ? Math.min(count, limit) : count };
    }
    case 'read': {
      const rows = call.ids.map((id) => {
        const row = table?.get(id);
        if (row === undefined) {
          throw notFound(`Record does not exist or has been deleted.\n(Record: ${call.model}(${id},))`);
        }
        return row;
      });
      return { rows: project(rows, fields, call.model, model) };
    }
    default: {
      const begin = readNumber(offset, 'offset') ?? 0;
      const size = readNumber(limit, 'limit');
      const end = size === undefined ? Infinity : begin + size;
      const found = sortBy(matching(search), order, end, { modelName: call.model, model });
      const rows = found.slice(begin, end);
      if (call.method === 'search') return { value: rows.map(({ id }) => id) };
      return { rows: project(rows, fields, call.model, model), ...(size === undefined ? {} : { limit: size }) };
    }
  }
}

interface Search {
  readonly table: Table<number> | undefined;
  readonly model: Model;
  readonly modelName: string;
  readonly domain: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  readonly related: FindRelated;
}

/** Odoo leaves archived records out unless the context or the domain includes them. */
function* matching({ table, model, modelName, domain, context, related }: Search): Generator<Row> {
  const { matches, idAfter } = readDomain(domain, modelName, model, related);
  const isActiveOnly = 'active' in model.fields && context['active_test'] !== false && !namesField(domain, 'active');
  const all = table?.all() ?? [];
  for (let at = idAfter === undefined ? 0 : (table?.positionAfter(idAfter) ?? 0); at < all.length; at++) {
    const row = all[at];
    if (row !== undefined && !(isActiveOnly && row['active'] === false) && matches(row)) yield row;
  }
}

/** Requires that the caller of Odoo may see the companies in the context of the call. */
function requireCompanies({ tables }: Environment, { context }: MethodCall): void {
  const { allowed_company_ids: ids = [] } = context;
  if (!Array.isArray(ids)) throw valueError('allowed_company_ids must be a list');
  if (ids.some((id) => tables.get('res.company')?.get(Number(id)) === undefined)) {
    throw accessDenied('res.company');
  }
}

/** Returns the first `count` rows of an Odoo model in the given order. */
function sortBy(
  rows: Iterable<Row>,
  order: unknown,
  count: number,
  { modelName, model }: { readonly modelName: string; readonly model: Model },
): readonly Row[] {
  const keys = (typeof order === 'string' ? order : 'id').split(',').map((part) => part.trim().split(/\s+/));
  for (const [field = '', direction = 'asc'] of keys) {
    if (model.fields[field] === undefined) throw valueError(`Invalid field '${field}' on model '${modelName}'`);
    if (!/^(?:asc|desc)$/i.test(direction)) throw valueError(`Invalid "order" specified (${JSON.stringify(order)})`);
  }
  const [first] = keys;
  // The rows of a simulated Odoo table are already sorted by ascending id.
  if (keys.length === 1 && first?.[0] === 'id' && !/desc/i.test(first[1] ?? '')) return takeFirst(rows, count);
  return [...rows].toSorted((left, right) => {
    for (const [field = '', direction = 'asc'] of keys) {
      const [one, two] = [left, right].map((row) => (field === 'write_date' ? row[HIDDEN_MS] : row[field]));
      const found = compareValues(one, two);
      if (found !== 0) return /desc/i.test(direction) ? -found : found;
    }
    return 0;
  });
}

function takeFirst(rows: Iterable<Row>, count: number): readonly Row[] {
  const taken: Row[] = [];
  for (const row of rows) {
    if (taken.length >= count) break;
    taken.push(row);
  }
  return taken;
}

function compareValues(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const [first, second] = [String(left), String(right)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function project(rows: readonly Row[], fields: unknown, modelName: string, model: Model): readonly Row[] {
  if (fields !== undefined && fields !== null && !Array.isArray(fields)) throw valueError('fields must be a list');
  const names = Array.isArray(fields) && fields.length > 0 ? fields.map(String) : Object.keys(model.fields);
  for (const name of names) {
    if (model.fields[name] === undefined) throw valueError(`Invalid field '${name}' on '${modelName}'`);
  }
  return rows.map((row) => {
    const projected: Record<string, unknown> = { id: row['id'] };
    for (const name of names) projected[name] = row[name];
    return projected;
  });
}

function describeFields(model: Model, { allfields, attributes }: Readonly<Record<string, unknown>>): unknown {
  const names = Array.isArray(allfields) && allfields.length > 0 ? allfields.map(String) : Object.keys(model.fields);
  const wanted = Array.isArray(attributes) && attributes.length > 0 ? new Set(attributes.map(String)) : undefined;
  return Object.fromEntries(
    names.flatMap((name) => {
      const type = model.fields[name];
      if (type === undefined) return [];
      const relation = model.relations[name];
      const all = { type, string: name, ...(relation === undefined ? {} : { relation }), readonly: false, store: true };
      const shown = Object.entries(all).filter(([attribute]) => wanted?.has(attribute) ?? true);
      return [[name, Object.fromEntries(shown)]];
    }),
  );
}

function readNumber(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) throw valueError(`${name} must be a number`);
  return value;
}
