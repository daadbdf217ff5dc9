import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Store } from './store.js';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ksef-store-'));
  path = join(directory, 'test.jsonl');
});
afterEach(() => rmSync(directory, { recursive: true }));

test('keeps what was put and not deleted, without being closed', () => {
  const table = new Store(path).table<{ readonly name: string }>('contexts');
  table.put('1', { name: 'first' });
  table.put('2', { name: 'second' });
  table.put('1', { name: 'changed' });
  table.delete('2');
  const later = new Store(path).table<{ readonly name: string }>('contexts');
  expect([...later.values()]).toEqual([{ name: 'changed' }]);
});

test('leaves out a line that was cut off', () => {
  new Store(path).table<number>('numbers').put('1', 1);
  appendFileSync(path, '["numbers","2"');
  const later = new Store(path).table<number>('numbers');
  expect([...later.entries()]).toEqual([['1', 1]]);
  later.put('3', 3);
  expect([...new Store(path).table<number>('numbers').values()]).toEqual([1, 3]);
});

test('is readable only by its owner', () => {
  new Store(path).table<number>('numbers').put('1', 1);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each([
  [49_999, 49_999],
  [50_000, 1],
])('after %i changes of one record the file has %i lines', (changes, lines) => {
  const table = new Store(path).table<number>('numbers');
  for (let n = 0; n < changes; n++) table.put('1', n);
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(lines + 1);
  expect(new Store(path).table<number>('numbers').get('1')).toBe(changes - 1);
});
