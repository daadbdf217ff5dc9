/** Splits the distinct ids of ERP records into lists that fit into one call. */
export function chunksOf<T>(values: Iterable<T>, size: number): readonly (readonly T[])[] {
  const unique = [...new Set(values)];
  return Array.from({ length: Math.ceil(unique.length / size) }, (_, at) => unique.slice(at * size, (at + 1) * size));
}
