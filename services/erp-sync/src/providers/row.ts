import type { InvalidRow, Page } from './provider.js';

/** Maximum length of a list within a row of an ERP, such as the lines on a bill. */
const LIST_LENGTH_MAX = 10_000;
/** Maximum number of decimals in an amount from an ERP. */
const DECIMALS_MAX = 6;
/** Format that the id of an invalid ERP row must have to be shown in an import run. */
const SHOWN_ID = /^[\x21-\x7e]{1,100}$/;

/** Error that is thrown if a row of an ERP cannot be read. The message names the field but not its value. */
export class RowFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RowFault';
  }
}

/**
 * A row from an ERP whose fields are read one by one. A field of a wrong type makes only its own row invalid. Every
 * value that means "nothing" in an ERP (an absent field, null, false, an empty string) is undefined. For all ERPs,
 * `packages/books` checks which values are allowed.
 */
export class Row {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new RowFault('The row from the ERP is not an object.');
    this.#fields = value as Readonly<Record<string, unknown>>;
  }

  /**
   * Reads a text field of an ERP row without surrounding spaces. A whole number, such as an id, is converted to text.
   */
  text(name: string): string | undefined {
    const value = this.#present(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
    if (typeof value !== 'string') throw new RowFault(`${name} is not text.`);
    const text = value.trim();
    return text === '' ? undefined : text;
  }

  requiredText(name: string): string {
    return required(this.text(name), name);
  }

  /** Returns the texts of those fields of an ERP row that are not empty. */
  texts(...names: readonly string[]): readonly string[] {
    return names.flatMap((name) => this.text(name) ?? []);
  }

  /**
   * Reads an amount of an ERP row with the digits that the ERP sent, in the shortest form of the same number, with at
   * most six decimals.
   */
  amount(name: string): string | undefined {
    const value = this.#present(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isFinite(value)) throw new RowFault(`${name} is not a number.`);
    const amount = String(value);
    if (amount.includes('e')) throw new RowFault(`${name} is a number with an exponent.`);
    const dot = amount.indexOf('.');
    if (dot < 0 || amount.length - dot - 1 <= DECIMALS_MAX) return amount;
    // An amount from an ERP is rounded, which removes the errors of binary fractions, as in 0.1 + 0.2.
    return String(Number(value.toFixed(DECIMALS_MAX)));
  }

  requiredAmount(name: string): string {
    return required(this.amount(name), name);
  }

  /** Reads the day from a date field of an ERP row with or without a time. */
  day(name: string): string | undefined {
    const text = this.text(name);
    return text === undefined || !/^.{10}[T ]/.test(text) ? text : text.slice(0, 10);
  }

  requiredDay(name: string): string {
    return required(this.day(name), name);
  }

  /** Reads a field of an ERP row that holds a date with a time and a time zone. */
  instant(name: string): Date | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const time = new Date(/^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : Number.NaN);
    if (Number.isNaN(time.getTime())) throw new RowFault(`${name} is not a date with a time.`);
    return time;
  }

  boolean(name: string): boolean | undefined {
    const value = this.#fields[name] ?? undefined;
    if (value !== undefined && typeof value !== 'boolean') throw new RowFault(`${name} is neither true nor false.`);
    return value;
  }

  row(name: string): Row | undefined {
    const value = this.#present(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) throw new RowFault(`${name} is not an object.`);
    return new Row(value);
  }

  requiredRow(name: string): Row {
    return required(this.row(name), name);
  }

  rows(name: string): readonly Row[] {
    const value = this.#present(name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw new RowFault(`${name} is not a list.`);
    if (value.length > LIST_LENGTH_MAX) throw new RowFault(`${name} has more than ${LIST_LENGTH_MAX} entries.`);
    return value.map((item) => new Row(item));
  }

  /** Reads a field of an ERP row that holds a list of plain values. */
  list(name: string): readonly unknown[] | undefined {
    const value = this.#present(name);
    if (value !== undefined && !Array.isArray(value)) throw new RowFault(`${name} is not a list.`);
    if (value !== undefined && value.length > LIST_LENGTH_MAX) {
      throw new RowFault(`${name} has more than ${LIST_LENGTH_MAX} entries.`);
    }
    return value;
  }

  #present(name: string): unknown {
    const value = this.#fields[name];
    return value === null || value === false || value === '' ? undefined : value;
  }
}

/**
 * Reads the rows on a page of ERP records. A row that cannot be read is counted as failed and left out.
 * @param idName name of the id field, which identifies an invalid row
 * @param read returns undefined for a valid row that is not part of the stream
 */
export function readRows<R>(
  rows: readonly unknown[],
  idName: string,
  read: (row: Row) => R | undefined,
): Pick<Page<R>, 'records' | 'invalid'> {
  const records: R[] = [];
  const invalid: InvalidRow[] = [];
  for (const value of rows) {
    try {
      const record = read(new Row(value));
      if (record !== undefined) records.push(record);
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      const id = shownId(value, idName);
      invalid.push({ ...(id === undefined ? {} : { externalId: id }), message: error.message });
    }
  }
  return { records, invalid };
}

type Present<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Removes undefined fields from an ERP record, because records have no empty fields. */
export function present<T extends object>(fields: T): Present<T> {
  // A loop copies the defined fields of an ERP record, because pages have a thousand rows and `Object.entries` would
  // copy each row twice.
  const kept: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept as Present<T>;
}

/** Splits a string of ERP field names at its blanks. */
export function namesOf(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/**
 * Returns the value of a required field of an ERP row, or throws an error if it is missing.
 * @throws RowFault if there is no value
 */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new RowFault(`${name} is missing.`);
  return value;
}

function shownId(value: unknown, idName: string): string | undefined {
  const id = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[idName] : undefined;
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && SHOWN_ID.test(text) ? text : undefined;
}
