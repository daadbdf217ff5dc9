import type { UpdateFilter } from 'mongodb';

/** An update that sets these fields and removes the undefined ones. */
export function stateUpdate<D>(fields: Readonly<Record<string, unknown>>): UpdateFilter<D> {
  const entries = Object.entries(fields);
  const removed = entries.filter(([, value]) => value === undefined).map(([name]) => [name, '']);
  return {
    $set: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
    ...(removed.length === 0 ? {} : { $unset: Object.fromEntries(removed) }),
  } as UpdateFilter<D>;
}
