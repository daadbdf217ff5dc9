import type { UpdateFilter } from 'mongodb';

/**
 * A document, or fields of one, as a store writes them: what may be missing may also be undefined, and is then not stored
 * (ADR 0116). Filters keep the types of the document itself, because a condition without a value is refused.
 */
export type Stored<T> = { [K in keyof T]: T[K] | (object extends Pick<T, K> ? undefined : never) };

/** The same for the driver, whose types do not know members that are present and undefined. */
export function stored<T>(fields: Stored<T>): T {
  return fields as T;
}

/** An update that sets these fields, or fields within them (`match.note`), and removes the undefined ones. */
export function setOrUnset<D>(
  fields: Stored<Partial<D>> & { readonly [path: `${string}.${string}`]: unknown },
): UpdateFilter<D> {
  const removed = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [[name, '']] : []));
  return {
    $set: fields,
    ...(removed.length === 0 ? {} : { $unset: Object.fromEntries(removed) }),
  } as UpdateFilter<D>;
}
