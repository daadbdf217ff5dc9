import type { Document } from 'mongodb';
import type { RecordSearch } from '../application/record-search.js';

/** Character that sorts after all characters of normalised numbers and names. */
const AFTER_ALL = '\uffff';

/** Returns a condition for strings that begin with a prefix. An index on the field is used. */
export function beginsWith(prefix: string): { readonly $gte: string; readonly $lt: string } {
  return { $gte: prefix, $lt: prefix + AFTER_ALL };
}

/** Returns the database condition that a field has one of several values. A single value is compared directly. */
export function oneOf<T>(values: readonly T[]): T | { readonly $in: readonly T[] } {
  const [only, second] = values;
  return only !== undefined && second === undefined ? only : { $in: [...values] };
}

/**
 * Returns the database conditions that a record must meet to be found by a search. Undefined if the search cannot find
 * any record.
 * @param fields names of the database fields with the normalised number and the supplier of a record
 */
export function searchFilter(
  { numberPrefix, supplierIds }: RecordSearch,
  fields: { readonly number: string; readonly supplier: string },
): readonly Document[] | undefined {
  const ways = [
    ...(numberPrefix === '' ? [] : [{ [fields.number]: beginsWith(numberPrefix) }]),
    ...(supplierIds.length === 0 ? [] : [{ [fields.supplier]: { $in: [...supplierIds] } }]),
  ];
  // A list with a cursor already has an `$or` condition, so the search condition is added to `$and` and does not
  // replace it.
  return ways.length === 0 ? undefined : [{ $or: ways }];
}
