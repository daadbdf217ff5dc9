/** A JSON object of unknown structure, as found in an ERP response. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value at a path of member names in a JSON object, or undefined if one of them is missing. */
export function fieldOf(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((part, name) => (isObject(part) ? part[name] : undefined), value);
}

/** Returns the text at a path of member names in a JSON object if it is not empty. */
export function textOf(value: unknown, ...names: readonly string[]): string | undefined {
  const text = fieldOf(value, ...names);
  return typeof text === 'string' && text !== '' ? text : undefined;
}
