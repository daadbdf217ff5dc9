import type { UpdateFilter } from 'mongodb';

/** An update that makes the document say exactly this: what is undefined is taken out. */
export function stateUpdate<D>(fields: Readonly<Record<string, unknown>>): UpdateFilter<D> {
  const entries = Object.entries(fields);
  const gone = entries.filter(([, value]) => value === undefined).map(([name]) => [name, '']);
  return {
    $set: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
    ...(gone.length === 0 ? {} : { $unset: Object.fromEntries(gone) }),
  } as UpdateFilter<D>;
}
