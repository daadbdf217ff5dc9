/**
 * Reads records that have one of the keys, with a limited share for each key. The index returns them key by key. With a
 * single limit, a key with very many records, such as the account of a factoring company, would leave no room for later
 * keys. If the limit is reached, the two halves of the keys are read one after another.
 * @param limitOf maximum number of records for a number of keys
 * @returns records, of which some may occur several times
 */
export async function readSharing<T>(
  keys: readonly string[],
  limitOf: (keysCount: number) => number,
  read: (keys: readonly string[], limit: number) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const limit = limitOf(keys.length);
  const records = await read(keys, limit);
  if (records.length < limit || keys.length <= 1) return records;
  const half = Math.ceil(keys.length / 2);
  return [
    ...(await readSharing(keys.slice(0, half), limitOf, read)),
    ...(await readSharing(keys.slice(half), limitOf, read)),
  ];
}
