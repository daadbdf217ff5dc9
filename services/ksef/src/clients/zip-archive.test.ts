import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { openArchive } from './zip-archive.js';

let directory: string | undefined;
let file: FileHandle | undefined;
afterEach(async () => {
  await file?.close();
  if (directory !== undefined) await rm(directory, { recursive: true });
  file = undefined;
  directory = undefined;
});

/** Creates an archive of these files and returns its descriptor. */
async function archiveOf(names: readonly string[]): Promise<number> {
  const zip = new ZipFile();
  // The archive leaves out the extra field with the time in seconds.
  for (const name of names) zip.addBuffer(Buffer.from(`content of ${name}`), name, { forceDosTimestamp: true });
  zip.end();
  directory = await mkdtemp(join(tmpdir(), 'zip-'));
  const path = join(directory, 'archive.zip');
  await writeFile(path, await buffer(zip.outputStream));
  file = await open(path);
  return file.fd;
}

test('an archive gives its files in their order, each when it is read', async () => {
  const { files, read } = await openArchive(await archiveOf(['b', 'a']), 2);
  expect(files.map(({ name }) => name)).toEqual(['b', 'a']);
  const [, last] = files;
  if (last === undefined) throw new Error('no file');
  expect((await read(last)).toString()).toBe('content of a');
});

test('an archive has as many files as are allowed, and no more', async () => {
  const fd = await archiveOf(['a', 'b', 'c']);
  expect((await openArchive(fd, 3)).files).toHaveLength(3);
  await expect(openArchive(fd, 2)).rejects.toThrow('3 files; the maximum is 2');
});

test('the name, the extra fields and the comment of a file together have a bound', async () => {
  const whole = 'a'.repeat(1_024);
  expect((await openArchive(await archiveOf([whole]), 1)).files).toHaveLength(1);
  await file?.close();
  await expect(openArchive(await archiveOf([`${whole}a`]), 1)).rejects.toThrow(/more than 1,024 bytes/);
});
