/** The values, each once, in lists that one call can name. */
export function chunksOf<T>(values: Iterable<T>, size: number): readonly (readonly T[])[] {
  const unique = [...new Set(values)];
  return Array.from({ length: Math.ceil(unique.length / size) }, (_, at) => unique.slice(at * size, (at + 1) * size));
}
