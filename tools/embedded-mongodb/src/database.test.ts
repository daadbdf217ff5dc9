import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { runCommand } from './commands.js';
import { Database, type Batch } from './database.js';
import { Journal } from './journal.js';
import { parse, serialize, type Doc } from './values.js';

let directory: string;
let warnings: string[];
let open: { database: Database; journal: Journal } | undefined;

beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-mongodb-'));
  warnings = [];
});

afterEach(() => {
  open?.database.close();
  open = undefined;
  fs.rmSync(directory, { recursive: true });
});

/** Reopens the directory, as a start of the server does. */
function reopen(): { database: Database; journal: Journal } {
  open?.database.close();
  open = undefined;
  let journal: Journal | undefined;
  const database = new Database((replay) => {
    journal = Journal.open(directory, replay, (message) => warnings.push(message));
    return journal;
  });
  if (!journal) throw new Error('The journal was not opened');
  open = { database, journal };
  return open;
}

/** Waits for work that goes on between commands. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

function run(database: Database, body: Doc, documents: Doc[] = []): Doc {
  const sequences = new Map(documents.length > 0 ? [['documents', documents.map(serialize)]] : []);
  const reply = runCommand(database, { body: { ...body, $db: 'test' }, sequences });
  return reply.kind === 'document' ? reply.doc : { count: reply.batch.documents.length };
}

const insert = (database: Database, ...documents: Doc[]): Doc => run(database, { insert: 'items' }, documents);
const count = (database: Database, query: Doc = {}): unknown => run(database, { count: 'items', query })['n'];
const increment = (database: Database, id: unknown): Doc =>
  run(database, { findAndModify: 'items', query: { _id: id }, update: { $inc: { n: 1 } } });
const valueOf = (database: Database, id: unknown): unknown =>
  run(database, { findAndModify: 'items', query: { _id: id }, update: { $unset: { none: 1 } } })['value'];
const journalFile = (): string => path.join(directory, 'journal');

describe('after a restart', () => {
  test('documents, changes and removals are restored', () => {
    const { database } = reopen();
    insert(database, { _id: 1, n: 1 }, { _id: 2, n: 1 }, { _id: 3, n: 1 });
    increment(database, 1);
    run(database, { delete: 'items', deletes: [{ q: { _id: 2 }, limit: 1 }] });
    const again = reopen().database;
    expect([valueOf(again, 1), valueOf(again, 2), valueOf(again, 3)]).toEqual([
      { _id: 1, n: 2 },
      null,
      { _id: 3, n: 1 },
    ]);
    expect(warnings).toEqual([]);
  });

  test('indexes are restored, and dropped ones stay dropped', () => {
    const { database } = reopen();
    run(database, {
      createIndexes: 'items',
      indexes: [
        { key: { e: 1 }, name: 'e', unique: true },
        { key: { f: 1 }, name: 'f', unique: true },
      ],
    });
    run(database, { dropIndexes: 'items', index: 'f' });
    insert(database, { _id: 1, e: 'x', f: 1 }, { _id: 2, e: 'y', f: 1 });
    run(database, { insert: 'gone' }, [{ _id: 1 }]);
    run(database, { drop: 'gone' });
    const again = reopen().database;
    expect(insert(again, { _id: 3, e: 'x' })).toMatchObject({
      n: 0,
      writeErrors: [{ code: 11000, keyValue: { e: 'x' } }],
    });
    expect(count(again, { f: 1 })).toBe(2);
    expect(run(again, { count: 'gone' })).toMatchObject({ n: 0 });
  });

  test('a failed ordered batch is restored up to its error', () => {
    const { database } = reopen();
    expect(insert(database, { _id: 1 }, { _id: 1 }, { _id: 2 })).toMatchObject({ n: 1 });
    expect(count(reopen().database)).toBe(1);
  });

  test('a journal that is mostly history is compacted', () => {
    const { database, journal } = reopen();
    insert(database, { _id: 1, n: 0, pad: 'x'.repeat(1000) });
    for (let round = 0; round < 1500; round += 1) increment(database, 1);
    const before = journal.sizeBytes;
    const again = reopen();
    expect(again.journal.sizeBytes).toBeLessThan(before / 100);
    expect(valueOf(again.database, 1)).toMatchObject({ n: 1500 });
    increment(again.database, 1);
    expect(valueOf(reopen().database, 1)).toMatchObject({ n: 1501 });
  });
});

describe('a large journal', () => {
  const DOCUMENTS = 16;
  /** Each larger than a compaction step, so that a step ends after every document. */
  const pad = 'x'.repeat(600_000);

  /** Changes documents until a compaction starts. */
  function beginCompaction({ database, journal }: { database: Database; journal: Journal }): void {
    for (let id = 0; id < DOCUMENTS; id += 1) insert(database, { _id: id, n: 0, pad });
    for (let round = 0; !journal.isCompacting; round += 1) increment(database, round % DOCUMENTS);
  }

  /** The stored documents, without their padding. */
  const contents = ({ collections }: Database): unknown =>
    [...collections.values()].map(({ namespace, documents, indexes }) => ({
      namespace,
      documents: [...documents.values()].map(({ doc: { pad: _, ...doc } }) => doc),
      indexes: [...indexes.values()].map(({ spec }) => spec),
    }));

  test('is compacted while the server runs', async () => {
    const { database, journal } = reopen();
    beginCompaction({ database, journal });
    const before = journal.sizeBytes;
    await until(() => !journal.isCompacting);
    expect(journal.sizeBytes).toBeLessThan(before / 3);
    increment(database, 1);
    const expected = contents(database);
    expect(contents(reopen().database)).toEqual(expected);
    expect(fs.readdirSync(directory)).toEqual(['journal']);
    expect(warnings).toEqual([]);
  });

  test('is complete after a crash at any step of a compaction, whatever the commands change meanwhile', async () => {
    const { database, journal } = reopen();
    const index = (expireAfterSeconds: number): Doc => ({ key: { at: 1 }, name: 'at', expireAfterSeconds });
    run(database, { createIndexes: 'items', indexes: [index(60)] });
    run(database, { insert: 'kept' }, [{ _id: 'old' }]);
    run(database, { insert: 'dropped' }, [{ _id: 'old' }]);
    beginCompaction({ database, journal });
    const changes: (() => unknown)[] = [
      () => [increment(database, 0), increment(database, DOCUMENTS - 1)],
      () => run(database, { delete: 'items', deletes: [0, 1, 14].map((_id) => ({ q: { _id }, limit: 1 })) }),
      () => insert(database, { _id: 'new', n: 1 }, { _id: 1, n: 100 }),
      () => [run(database, { dropIndexes: 'items', index: 'at' }), increment(database, 3)],
      () => run(database, { createIndexes: 'items', indexes: [index(120)] }),
      () => [run(database, { drop: 'kept' }), run(database, { insert: 'kept' }, [{ _id: 'new' }])],
      () => [run(database, { drop: 'dropped' }), run(database, { insert: 'added' }, [{ _id: 'new' }])],
      () => [increment(database, 1), increment(database, 'new'), increment(database, 12)],
    ];
    const copies: { directory: string; expected: unknown }[] = [];
    const nextFile = `${journalFile()}.new`;
    for (const [moment, change] of changes.entries()) {
      const written = fs.statSync(nextFile).size;
      change();
      const copy = path.join(directory, `copy-${moment}`);
      fs.mkdirSync(copy);
      fs.copyFileSync(journalFile(), path.join(copy, 'journal'));
      fs.copyFileSync(nextFile, path.join(copy, 'journal.new'));
      copies.push({ directory: copy, expected: contents(database) });
      await until(() => !journal.isCompacting || fs.statSync(nextFile).size > written);
      expect(journal.isCompacting).toBe(true);
    }
    await until(() => !journal.isCompacting);
    const expected = contents(database);
    expect(contents(reopen().database)).toEqual(expected);
    for (const copy of copies) {
      const after = new Database((replay) => Journal.open(copy.directory, replay, (warning) => warnings.push(warning)));
      after.close();
      expect(contents(after)).toEqual(copy.expected);
      expect(fs.readdirSync(copy.directory)).toEqual(['journal']);
    }
    expect(warnings).toEqual([]);
  });

  test('is complete when the server is closed during a compaction', () => {
    const { database, journal } = reopen();
    beginCompaction({ database, journal });
    increment(database, 0);
    const expected = contents(database);
    expect(contents(reopen().database)).toEqual(expected);
    expect(fs.readdirSync(directory)).toEqual(['journal']);
  });

  test('stays in use when it cannot be compacted', async () => {
    const { database, journal } = reopen();
    fs.mkdirSync(`${journalFile()}.new`);
    for (let id = 0; id < DOCUMENTS; id += 1) insert(database, { _id: id, n: 0, pad });
    for (let round = 0; journal.sizeBytes < 70_000_000; round += 1) increment(database, round % DOCUMENTS);
    await until(() => warnings.length > 0);
    expect(warnings).toEqual([expect.stringContaining('could not be compacted and stays as it is: Error: EISDIR')]);
    increment(database, 0);
    const expected = contents(database);
    expect(contents(reopen().database)).toEqual(expected);
  });
});

describe('a damaged journal', () => {
  beforeEach(() => {
    const { database } = reopen();
    for (let id = 1; id <= 3; id += 1) insert(database, { _id: id, n: id });
    database.close();
    open = undefined;
  });

  test.each([1, 5, 20])(
    'a last record that lacks %i bytes is cut off, kept in a copy, and nothing else is lost',
    (missing) => {
      fs.truncateSync(journalFile(), fs.statSync(journalFile()).size - missing);
      const { database } = reopen();
      expect(count(database)).toBe(2);
      expect(warnings).toEqual([expect.stringContaining('was cut short and is dropped')]);
      expect(fs.readdirSync(directory).filter((name) => name.startsWith('journal.torn-'))).toHaveLength(1);
      insert(database, { _id: 4 });
      expect(count(reopen().database)).toBe(3);
    },
  );

  test('zeros after the last record, as a power cut leaves them, are cut off', () => {
    fs.appendFileSync(journalFile(), Buffer.alloc(4096));
    expect(count(reopen().database)).toBe(3);
    expect(warnings).toHaveLength(1);
  });

  test.each([
    ['in the content of a record', 60],
    ['in the length of a record', 13],
    ['in the marker of a record', 9],
  ])('damage %s before other records prevents the start with a message and changes nothing', (_title, at) => {
    const bytes = fs.readFileSync(journalFile());
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
    fs.writeFileSync(journalFile(), bytes);
    expect(reopen).toThrow(/is damaged at byte \d+, and whole records follow .* Restore the directory from a backup/);
    expect(fs.readFileSync(journalFile()).equals(bytes)).toBe(true);
  });

  test('a file that is not a journal is not changed', () => {
    fs.writeFileSync(journalFile(), 'something else entirely');
    expect(reopen).toThrow('is not a journal of this server');
    expect(fs.readFileSync(journalFile(), 'utf8')).toBe('something else entirely');
  });
});

test('a result is a snapshot: later changes do not affect its batches', () => {
  const { database } = reopen();
  insert(database, ...[1, 2, 3, 4].map((id) => ({ _id: id, n: 0, other: 'left out' })));
  const ask = (body: Doc): Batch => {
    const reply = runCommand(database, { body: { ...body, $db: 'test' }, sequences: new Map() });
    if (reply.kind !== 'batch') throw new Error('no batch');
    return reply.batch;
  };
  for (const projection of [{}, { n: 1 }]) {
    const first = ask({ find: 'items', filter: { n: 0 }, projection, batchSize: 1 });
    for (const id of [1, 2, 3, 4]) increment(database, id);
    const rest = ask({ getMore: first.cursorId, collection: 'items' });
    const seen = [...first.documents, ...rest.documents].map((bytes) => parse(bytes)['n']);
    expect(seen).toEqual([0, 0, 0, 0]);
    run(database, { update: 'items', updates: [{ q: {}, u: { $set: { n: 0 } }, multi: true }] });
  }
});

test('a sweep removes expired documents only', () => {
  const database = new Database();
  run(database, { createIndexes: 'items', indexes: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60 }] });
  const now = Date.parse('2026-01-01T00:00:00Z');
  insert(
    database,
    { _id: 'expired', at: new Date(now - 60_000) },
    { _id: 'due', at: new Date(now - 59_999) },
    { _id: 'ancient', at: new Date('1969-01-01T00:00:00Z') },
    { _id: 'text', at: 'yesterday' },
    { _id: 'none' },
    { _id: 'first of two', at: [new Date(now + 1), new Date(now - 70_000)] },
  );
  database.sweep(now);
  const left = ['expired', 'due', 'ancient', 'text', 'none', 'first of two'].filter(
    (id) => valueOf(database, id) !== null,
  );
  expect(left).toEqual(['due', 'text', 'none']);
});
