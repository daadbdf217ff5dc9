import type { UpdateFilter } from 'mongodb';

/**
 * A MongoDB document, or fields of a document, as a store writes them. An optional member may also be undefined and is
 * then not stored (ADR 0116). This type is not for filters: a filter must not have a condition with the value
 * undefined.
 */
export type Stored<T> = { [K in keyof T]: T[K] | (object extends Pick<T, K> ? undefined : never) };

/** Casts to the types of the MongoDB driver, which do not allow members that are present and undefined. */
export function stored<T>(fields: Stored<T>): T {
  return fields as T;
}

/**
 * Returns a MongoDB update that sets the given fields, or nested fields such as `match.note`, and removes the given
 * fields that are undefined.
 */
export function setOrUnset<D>(
  fields: Stored<Partial<D>> & { readonly [path: `${string}.${string}`]: unknown },
): UpdateFilter<D> {
  const removed = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [[name, '']] : []));
  return {
    $set: fields,
    ...(removed.length === 0 ? {} : { $unset: Object.fromEntries(removed) }),
  } as UpdateFilter<D>;
}
