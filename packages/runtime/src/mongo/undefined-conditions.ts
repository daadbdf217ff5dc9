/** A command. Its first key is its name, and the value of that key is mostly the collection. */
export type Command = Readonly<Record<string, unknown>>;

/**
 * Refuses a command with a condition that has no value. The driver would leave the condition out, and then a filter for the data
 * of one organization matches that of all (ADR 0116).
 * @throws TypeError that names the member, and no value
 */
export function refuseUndefinedConditions(command: Command): void {
  for (const conditions of conditionsOf(command)) {
    const member = undefinedIn(conditions);
    if (member === undefined) continue;
    const [operation = ''] = Object.keys(command);
    throw new TypeError(`${operation} ${String(command[operation])}: the condition on ${member} has no value`);
  }
}

/** The filters of a command, of each kind that has some. */
function conditionsOf({ filter, query, pipeline, updates, deletes }: Command): readonly unknown[] {
  const conditions = [updates, deletes].flatMap((operations) => documentsOf(operations).map(({ q }) => q));
  return [filter, query, pipeline, ...conditions];
}

/** The driver keeps the documents of a bulk write next to their bytes. */
function documentsOf(operations: unknown): readonly { readonly q?: unknown }[] {
  if (Array.isArray(operations)) return operations;
  return (operations as { readonly documents?: readonly object[] } | undefined)?.documents ?? [];
}

/** The name of the first member below a value that is undefined. */
function undefinedIn(value: unknown): string | undefined {
  if (!Array.isArray(value) && !isPlain(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = member === undefined ? name : undefinedIn(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Dates, binary data and the driver's own types are values, whatever members they have. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
