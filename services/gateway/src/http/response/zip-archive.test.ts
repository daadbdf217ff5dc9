import { expect, test } from 'vitest';
import { readZip } from '@invoicecontrol/testkit/read-zip';
import { zipArchive } from './zip-archive.js';
import type { ArchiveFile } from './zip-archive.js';

const modifiedAt = new Date('2026-03-14T09:30:00Z');

function file(name: string, content: () => AsyncIterable<Uint8Array>, compress = true): ArchiveFile {
  return { name, compress, content };
}
async function* pieces(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
async function* listed(...files: readonly ArchiveFile[]): AsyncIterable<ArchiveFile> {
  yield* files;
}
async function written(archive: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('every file has its bytes, also an empty one and one that is stored as it is', async () => {
  const files = listed(
    file('a.jsonl', () => pieces('{"a":1}\n', '{"a":2}\n')),
    file('empty.jsonl', () => pieces()),
    file('originals/b.pdf', () => pieces('%PDF-1.7'), false),
  );
  const read = readZip(await written(zipArchive(files, modifiedAt)));
  expect([...read].map(([name, content]) => [name, content.toString()])).toEqual([
    ['a.jsonl', '{"a":1}\n{"a":2}\n'],
    ['empty.jsonl', ''],
    ['originals/b.pdf', '%PDF-1.7'],
  ]);
});

test('reads no further than what is taken', async () => {
  let produced = 0;
  const endless = async function* (): AsyncIterable<Uint8Array> {
    for (;;) {
      produced += 64 * 1024;
      yield Buffer.alloc(64 * 1024, produced);
    }
  };
  const archive = zipArchive(listed(file('endless.bin', endless, false)), modifiedAt)[Symbol.asyncIterator]();
  for (let taken = 0; taken < 2 * 1024 * 1024;) {
    const { value } = await archive.next();
    taken += (value as Uint8Array).length;
  }
  expect(produced).toBeLessThan(4 * 1024 * 1024);
  await archive.return?.();
});

test('ends the source of a file when nobody takes the archive any more', async () => {
  let isEnded = false;
  const source = async function* (): AsyncIterable<Uint8Array> {
    try {
      for (;;) yield Buffer.alloc(64 * 1024);
    } finally {
      isEnded = true;
    }
  };
  const archive = zipArchive(listed(file('endless.bin', source, false)), modifiedAt)[Symbol.asyncIterator]();
  await archive.next();
  await archive.return?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(isEnded).toBe(true);
});

test.each([
  ['its first byte', ''],
  ['the middle of a file', 'half'],
])('fails with the fault of a file, from %s', async (_, before) => {
  const failing = async function* (): AsyncIterable<Uint8Array> {
    if (before !== '') yield Buffer.from(before);
    throw new Error('the database is gone');
  };
  const archive = zipArchive(
    listed(
      file('a', () => pieces('whole')),
      file('b', failing),
    ),
    modifiedAt,
  );
  await expect(written(archive)).rejects.toThrow('the database is gone');
});
