import type { Row } from '../call.js';
import type { Clock } from '../clock.js';
import { ControlRefusal } from '../erp.js';
import type { RecordChange } from '../erp.js';
import { compareNumbers, Table } from '../table.js';
import { HIDDEN_MS, readInstant } from './domain.js';
import { emptyValue } from './models.js';
import type { Model } from './models.js';

export type Tables = Map<string, Table<number>>;

/** Field names of Odoo bank accounts before version 20, with the new names. */
const renamed: Readonly<Record<string, string>> = {
  acc_number: 'account_number',
  sanitized_acc_number: 'sanitized_account_number',
  acc_holder_name: 'holder_name',
};
/** Milliseconds that the exact modification time of an Odoo record has in addition to the displayed seconds. */
const WITHIN_SECOND_MS = 500;
const MILLISECONDS = 1_000;

function newTable(): Table<number> {
  return new Table(compareNumbers);
}

/** Creates the records of a new Odoo database: company 1 with the currency euro, its user, and countries. */
export function seedTables(models: Readonly<Record<string, Model>>, clock: Clock): Tables {
  const tables: Tables = new Map();
  const put = (entity: string, record: Row): void =>
    putRecords({ models, tables, clock }, { entity, records: [record], remove: [] });
  put('res.currency', { id: 126, name: 'EUR', symbol: '€' });
  put('res.company', { id: 1, name: 'My Company', currency_id: [126, 'EUR'] });
  put('res.users', { id: 2, name: 'Administrator', login: 'admin', company_id: [1, 'My Company'] });
  return tables;
}

interface Database {
  readonly models: Readonly<Record<string, Model>>;
  readonly tables: Tables;
  readonly clock: Clock;
}

/**
 * Adds records to a simulated Odoo model, or changes the records with the same ids.
 * @throws ControlRefusal for invalid records; no record is changed then
 */
export function putRecords({ models, tables, clock }: Database, { entity, records, remove }: RecordChange): void {
  const model = models[entity];
  if (model === undefined) {
    throw new ControlRefusal(400, `There is no model ${entity}. There are: ${Object.keys(models).join(', ')}.`);
  }
  for (const { id, write_date: written } of records) {
    if (written !== undefined && !isInstantText(written)) {
      throw new ControlRefusal(400, 'write_date must be like 2026-02-01 09:15:22, in UTC.');
    }
    if (!Number.isSafeInteger(id) || Number(id) < 1) {
      throw new ControlRefusal(400, 'Each record needs an id, a whole number from 1.');
    }
  }
  const table = tables.get(entity) ?? newTable();
  tables.set(entity, table);
  for (const record of records) {
    const id = Number(record['id']);
    const brought = entity === 'res.partner.bank' && 'account_number' in model.fields ? rename(record) : record;
    const known = table.get(id);
    const row: Record<string, unknown> = { ...emptyRow(model), ...model.defaults, ...known, ...brought, id };
    for (const [field, relation] of Object.entries(model.relations)) {
      row[field] = relate(row[field], relation, tables);
    }
    completeRow(entity, row, { isNew: known === undefined, brought });
    table.put(id, { ...row, ...stamp(brought, clock) });
    addCountry(tables, row['country_id']);
  }
  for (const id of remove) table.remove(Number(id));
}

/** Checks whether a text is a time in one of the formats of Odoo. */
function isInstantText(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    return readInstant(value) > 0;
  } catch {
    return false;
  }
}

function emptyRow({ fields }: Model): Row {
  return Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, emptyValue(type)]));
}

function rename(record: Row): Row {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [renamed[name] ?? name, value]));
}

/**
 * Converts the id of a related Odoo record to the pair of id and name that Odoo returns: `14` to `[14, "Azure
 * Interior"]`.
 */
function relate(value: unknown, relation: string, tables: Tables): unknown {
  if (typeof value !== 'number') return value;
  const label = tables.get(relation)?.get(value)?.['name'];
  return [value, typeof label === 'string' ? label : String(value)];
}

/** Computes the fields of a row that Odoo derives from others. */
function completeRow(
  entity: string,
  target: Record<string, unknown>,
  { isNew, brought }: { readonly isNew: boolean; readonly brought: Row },
): void {
  const row = target;
  row['display_name'] = row['name'] === false ? `${entity},${Number(row['id'])}` : row['name'];
  if (entity === 'res.partner' && row['commercial_partner_id'] === false) {
    row['commercial_partner_id'] = row['parent_id'] === false ? [row['id'], row['name']] : row['parent_id'];
  }
  if (entity === 'account.move') {
    if (row['commercial_partner_id'] === false) row['commercial_partner_id'] = row['partner_id'];
    if (isNew && !('amount_residual' in brought)) {
      row['amount_residual'] = row['payment_state'] === 'paid' ? 0 : row['amount_total'];
    }
  }
  if (entity === 'res.partner.bank') {
    for (const [shown, sanitized] of [
      ['acc_number', 'sanitized_acc_number'],
      ['account_number', 'sanitized_account_number'],
    ] as const) {
      const number = row[shown];
      if (typeof number === 'string' && !(sanitized in brought)) {
        row[sanitized] = number.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase();
      }
    }
    if ('acc_type' in row && !('acc_type' in brought)) {
      row['acc_type'] = /^[A-Z]{2}\d{2}/.test(String(row['sanitized_acc_number'])) ? 'iban' : 'bank';
    }
  }
}

function stamp(brought: Row, clock: Clock): Row {
  const given = brought['write_date'];
  const now = clock.now().getTime();
  const milliseconds =
    typeof given === 'string' ? readInstant(given) + WITHIN_SECOND_MS : now - (now % MILLISECONDS) + WITHIN_SECOND_MS;
  const text = new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
  return { write_date: text, create_date: text, [HIDDEN_MS]: milliseconds };
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' });
const codesByName = new Map<string, string>();
for (let first = 65; first <= 90; first++) {
  for (let second = 65; second <= 90; second++) {
    const code = String.fromCodePoint(first, second);
    const name = countryNames.of(code);
    if (name !== undefined && name !== code && !codesByName.has(name)) codesByName.set(name, code);
  }
}

/**
 * Adds the country that a field of an Odoo record refers to, with its code, if the simulated Odoo does not have the
 * country yet.
 * @param value id and label of the country
 */
function addCountry(tables: Tables, value: unknown): void {
  if (!Array.isArray(value)) return;
  const [id, name] = value as [unknown, unknown];
  const countries = tables.get('res.country') ?? newTable();
  tables.set('res.country', countries);
  if (typeof id !== 'number' || typeof name !== 'string' || countries.get(id) !== undefined) return;
  countries.put(id, { id, name, display_name: name, code: codesByName.get(name) ?? false });
}
