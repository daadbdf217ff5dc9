/** A database command. Its first key is its name, and the value of that key is usually the collection. */
export type Command = Readonly<Record<string, unknown>>;

/**
 * Refuses a command that has a condition without a value. The driver would omit the condition, and a filter for the
 * data of one organization would then match that of all organizations (ADR 0116).
 * @throws TypeError that names the member but no value
 */
export function refuseUndefinedConditions(command: Command): void {
  for (const conditions of conditionsOf(command)) {
    const member = undefinedIn(conditions);
    if (member === undefined) continue;
    const [operation = ''] = Object.keys(command);
    throw new TypeError(`${operation} ${String(command[operation])}: the condition on ${member} has no value`);
  }
}

/** Returns every part of a MongoDB command that selects documents: filters, queries and pipelines. */
function conditionsOf({ filter, query, pipeline, updates, deletes }: Command): readonly unknown[] {
  const conditions = [updates, deletes].flatMap((operations) => documentsOf(operations).map(({ q }) => q));
  return [filter, query, pipeline, ...conditions];
}

/** Returns the documents of a bulk write to MongoDB, which the driver stores next to their serialized bytes. */
function documentsOf(operations: unknown): readonly { readonly q?: unknown }[] {
  if (Array.isArray(operations)) return operations;
  return (operations as { readonly documents?: readonly object[] } | undefined)?.documents ?? [];
}

/** Returns the name of the first undefined member inside a database condition. */
function undefinedIn(value: unknown): string | undefined {
  if (!Array.isArray(value) && !isPlain(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = member === undefined ? name : undefinedIn(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Dates, binary data and the types of the MongoDB driver are values in a database condition, whatever members they
 * have.
 */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
