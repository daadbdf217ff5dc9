import { expect, test } from '@jest/globals';
import { encode } from './order.js';
import { parseIndexSpec } from './index-spec.js';
import { candidatesOf, plansFor } from './planner.js';
import type { StoredDocument } from './ordered-index.js';
import { compileSort, type SortField } from './sort.js';
import { Collection } from './store.js';
import { compileUpdate } from './update.js';
import { copyOf, serialize, type Doc } from './values.js';

// The same random documents and updates go to a collection with indexes and to one without. Whatever the planner
// chooses, both must give the same answers in the same order.

const DOCUMENTS = 150;
const QUERIES = 600;
const INDEXES: Doc[] = [
  { key: { o: 1, a: 1 } },
  { key: { o: 1, b: -1, 's.m': 1 } },
  { key: { l: 1 } },
  { key: { 'p.k': 1, 'p.z': 1, o: 1 } },
  { key: { 's.k': -1 }, sparse: true },
  { key: { b: 1, l: 1 }, sparse: true },
  { key: { o: 1, 's.m': -1 } },
  { key: { o: 1, _id: 1 } },
];

/** Deterministic for a seed, so that a failure can be reproduced. */
function randomFrom(seed: number): { below: (n: number) => number; pick: <T>(choices: readonly T[]) => T } {
  let state = seed;
  const below = (n: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % n;
  };
  return { below, pick: (choices) => choices[below(choices.length)] as (typeof choices)[number] };
}

type Random = ReturnType<typeof randomFrom>;

const someValue = ({ pick }: Random): unknown =>
  pick([null, 0, 1, 2, 3, 1.5, 'a', 'b', 'c', true, false, new Date(5), new Date(9), { x: 1 }]);
/** Mostly numbers, so that ranges often meet in two elements of one list. */
const someList = (random: Random): unknown[] =>
  Array.from({ length: random.below(4) }, () => (random.below(3) ? random.below(5) : someValue(random)));

function someDocument(random: Random, _id: number): Doc {
  const { below, pick } = random;
  return {
    _id,
    ...(below(5) ? { o: pick(['x', 'y']) } : {}),
    ...(below(4) ? { a: below(3) ? someValue(random) : someList(random) } : {}),
    ...(below(4) ? { b: someValue(random) } : {}),
    ...(below(3) ? { l: below(4) ? someList(random) : someValue(random) } : {}),
    ...(below(3) ? { s: { k: someValue(random), m: below(5) } } : {}),
    ...(below(3)
      ? {
          p: Array.from({ length: below(3) }, () => ({
            k: below(2) ? below(4) : someValue(random),
            ...(below(4) ? { z: below(3) } : {}),
          })),
        }
      : {}),
  };
}

function someCondition(random: Random): unknown {
  const { below, pick } = random;
  return pick([
    () => someValue(random),
    () => someValue(random),
    () => ({ $in: [someValue(random), someValue(random)] }),
    () => ({ $gt: below(3) }),
    () => ({ $gte: 1, $lt: 3 }),
    () => ({ $lte: 'b' }),
    () => ({ $eq: someValue(random) }),
    () => ({ $ne: someValue(random) }),
    () => ({ $exists: below(2) === 1 }),
    () => ({ $gt: new Date(4) }),
    () => ({ $in: [] }),
    () => ({ $elemMatch: { $gte: 1, $lt: 3 } }),
    () => someList(random),
  ])();
}

function someFilter(random: Random): Doc {
  const { below, pick } = random;
  const filter: Doc = {};
  if (below(2)) filter['o'] = pick(['x', 'y', { $in: ['x', 'y'] }]);
  for (const field of ['a', 'b', 'l', 's.k', 'p.k', 's.m', 'p.z']) if (!below(3)) filter[field] = someCondition(random);
  if (!below(6)) filter['_id'] = { $lt: below(DOCUMENTS) };
  if (!below(5)) Object.assign(filter, { 'p.k': below(4), 'p.z': below(3) });
  if (!below(8)) filter['p'] = { $elemMatch: { k: someValue(random), z: below(3) } };
  if (!below(8)) return { $and: [filter, { b: someCondition(random) }] };
  if (!below(8)) filter['$or'] = [{ a: someCondition(random) }, { l: someCondition(random) }];
  return filter;
}

const someSort = ({ below, pick }: Random): Doc =>
  below(2)
    ? {}
    : pick<Doc>([
        { b: -1 },
        { 's.m': 1 },
        { o: 1, b: -1 },
        { b: 1 },
        { o: -1, _id: -1 },
        { _id: 1 },
        { l: 1 },
        { a: -1 },
      ]);

const someUpdate = (random: Random): Doc =>
  random.pick<() => Doc>([
    () => ({ $set: { a: someValue(random), o: 'x' } }),
    () => ({ $set: { l: someList(random) } }),
    () => ({ $unset: { b: 1, 's.k': 1 } }),
    () => ({ $push: { p: { k: someValue(random) } } }),
    () => ({ $set: { 's.m': random.below(5) } }),
  ])();

/** Runs a change and names its failure without the collection's name: both must fail alike. */
function attempt(change: () => unknown): string {
  try {
    change();
    return 'done';
  } catch (error) {
    return (error as Error).name;
  }
}

test.each([1, 7, 99])('an indexed collection answers like an unindexed one (seed %i)', (seed) => {
  const random = randomFrom(seed);
  const indexed = new Collection('fuzz.indexed', false);
  const plain = new Collection('fuzz.plain', false);
  for (const [place, index] of INDEXES.entries()) indexed.createIndex(parseIndexSpec({ ...index, name: `i${place}` }));
  const insert = (doc: Doc): void => {
    // Two arrays that meet in one index are refused by the indexed collection alone, so only it decides.
    if (attempt(() => indexed.insert(copyOf(doc), serialize(doc))) === 'done')
      plain.insert(copyOf(doc), serialize(doc));
  };
  for (let id = 0; id < DOCUMENTS; id += 1) insert(someDocument(random, id));

  let planned = 0;
  const differences: unknown[] = [];
  for (let round = 0; round < QUERIES; round += 1) {
    const id = random.below(DOCUMENTS);
    const [one] = indexed.find({ filter: { _id: id } });
    const [other] = plain.find({ filter: { _id: id } });
    if (round % 5 === 0 && one && other) {
      const change = compileUpdate(someUpdate(random), false);
      const isRefused = attempt(() => change(one.doc)) !== 'done';
      if (!isRefused && attempt(() => indexed.replace(one, change(one.doc))) === 'done')
        plain.replace(other, change(other.doc));
    }
    if (round % 40 === 0 && one && other) {
      indexed.remove(one);
      plain.remove(other);
      insert(someDocument(random, id));
    }

    const filter = someFilter(random);
    const sort = compileSort(someSort(random));
    const found = indexed.find({ filter, sort });
    const expected = plain.find({ filter, sort });
    if (idsOf(found) !== idsOf(expected))
      differences.push({ filter, sort, found: idsOf(found), expected: idsOf(expected) });
    // Ties may come in any order; an array has no single key to compare.
    if (sort.every(({ path }) => path !== 'l' && path !== 'a')) {
      const first = indexed.find({ filter, sort, limit: 7 });
      const isInOrder = keysOf(found, sort) === keysOf(expected, sort);
      const isFirstInOrder = keysOf(first, sort) === keysOf(expected.slice(0, 7), sort);
      if (!isInOrder || !isFirstInOrder) differences.push({ filter, sort, isInOrder, isFirstInOrder });
    }
    for (const plan of plansFor(indexed.indexes.values(), filter, sort)) {
      planned += 1;
      const candidates = new Set([...candidatesOf(plan)].map(({ idKey }) => idKey));
      const missed = expected.filter(({ idKey }) => !candidates.has(idKey));
      if (missed.length > 0) differences.push({ filter, index: plan.index.spec, missed: idsOf(missed) });
    }
  }
  expect(differences.slice(0, 5)).toEqual([]);
  expect(planned).toBeGreaterThan(QUERIES);
});

function idsOf(list: readonly StoredDocument[]): string {
  return list
    .map(({ doc }) => Number(doc['_id']))
    .sort((left, right) => left - right)
    .join();
}

/** The values that the documents were sorted by, in their order. */
function keysOf(list: readonly StoredDocument[], sort: readonly SortField[]): string {
  const valueAt = (doc: Doc, path: string): unknown =>
    path.split('.').reduce<unknown>((value, part) => (value as Doc | undefined)?.[part], doc);
  return list.map(({ doc }) => sort.map(({ path }) => encode(valueAt(doc, path))).join('')).join('|');
}
