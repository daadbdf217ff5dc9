/**
 * Reads the records that have one of the keys, of each key a bounded share. An index gives them key by key: under one limit,
 * a key of very many records, such as the account of a factoring company, would leave nothing of the keys behind it. Where the
 * limit is reached, the two halves of the keys are read one after the other.
 * @param limitOf how many records so many keys may find together
 * @returns a record may come several times
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
