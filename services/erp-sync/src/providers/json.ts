/** An object of an answer whose shape is not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value below these names; undefined where one of them is missing. */
export function fieldOf(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((part, name) => (isObject(part) ? part[name] : undefined), value);
}

/** A text below these names that is not empty. */
export function textOf(value: unknown, ...names: readonly string[]): string | undefined {
  const text = fieldOf(value, ...names);
  return typeof text === 'string' && text !== '' ? text : undefined;
}
