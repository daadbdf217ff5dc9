import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupedReads } from './records-by-keys.js';

interface Kept {
  readonly id: number;
  readonly organizationId: string;
  readonly keys: readonly string[];
}

const SHARE_MAX = 3;
const limitOf = (keysCount: number): number => SHARE_MAX * keysCount;

/** Returns a reader of records in memory that counts the commands it would send. */
function readsOf(records: readonly Kept[]) {
  const commands: { readonly organizationId: string; readonly together: boolean }[] = [];
  const sharing = (organizationId: string, keys: readonly string[], limit: number): Kept[] =>
    records
      .filter((record) => record.organizationId === organizationId && record.keys.some((key) => keys.includes(key)))
      .slice(0, limit);
  const read = async (organizationId: string, keys: readonly string[]): Promise<Kept[]> => {
    commands.push({ organizationId, together: false });
    const found = sharing(organizationId, keys, limitOf(keys.length));
    if (found.length < limitOf(keys.length)) return found;
    return [...new Set(keys.flatMap((key) => sharing(organizationId, [key], SHARE_MAX)))];
  };
  const grouped = groupedReads<Kept>({
    read,
    readTogether: async (organizationId, keys, limit) => {
      commands.push({ organizationId, together: true });
      return sharing(organizationId, keys, limit);
    },
    keysOf: ({ keys }) => keys,
    limitOf,
  });
  return { read, grouped, commands };
}

const idsOf = (records: readonly Kept[]): number[] =>
  records.map(({ id }) => id).toSorted((left, right) => left - right);

test('concurrent reads of one organization are one command, and another organization has its own', async () => {
  const records = [
    { id: 1, organizationId: 'a', keys: ['x'] },
    { id: 2, organizationId: 'a', keys: ['y', 'z'] },
    { id: 3, organizationId: 'b', keys: ['x', 'y'] },
  ];
  const { grouped, commands } = readsOf(records);
  const found = await Promise.all([grouped('a', ['x']), grouped('a', ['y', 'none']), grouped('b', ['x'])]);
  expect(found.map(idsOf)).toEqual([[1], [2], [3]]);
  expect(commands).toEqual([
    { organizationId: 'a', together: true },
    { organizationId: 'b', together: false },
  ]);
});

const keys = fc.uniqueArray(fc.constantFrom('p', 'q', 'r', 's', 't'), { minLength: 1, maxLength: 4 });
const organizations = fc.constantFrom('a', 'b');

test('each concurrent read returns what it would return alone, also for keys with more records than a share', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ organizationId: organizations, keys }), { maxLength: 40 }),
      fc.array(fc.record({ organizationId: organizations, keys }), { minLength: 1, maxLength: 12 }),
      async (documents, asked) => {
        const { read, grouped } = readsOf(documents.map((document, id) => ({ id, ...document })));
        const alone = await Promise.all(asked.map((one) => read(one.organizationId, one.keys)));
        const together = await Promise.all(asked.map((one) => grouped(one.organizationId, one.keys)));
        expect(together.map(idsOf)).toEqual(alone.map(idsOf));
      },
    ),
  );
});

test('a read that fails rejects only the readers of its organization', async () => {
  const grouped = groupedReads<Kept>({
    read: async () => [],
    readTogether: async () => {
      throw new Error('no connection');
    },
    keysOf: (record) => record.keys,
    limitOf,
  });
  const outcomes = await Promise.allSettled([grouped('a', ['x']), grouped('a', ['y']), grouped('b', ['x'])]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});
