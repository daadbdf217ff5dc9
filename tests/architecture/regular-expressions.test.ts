import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const check = join(root, 'tools/check-regular-expressions.mjs');

describe('the check of regular expressions', () => {
  let lines: readonly string[];
  let exitCode: unknown;

  beforeAll(async () => {
    const fixtures = join(root, 'tests/architecture/fixtures/regular-expressions');
    const failed = await promisify(execFile)('node', [check, '--root', fixtures]).catch((error: unknown) => error);
    const { stdout, code } = failed as { stdout: string; code: unknown };
    lines = stdout.trimEnd().split('\n');
    exitCode = code;
  });

  test('fails', () => {
    expect(exitCode).toBe(1);
  });

  test.each([
    ['exponential.ts:1', 'exponential'],
    ['polynomial.ts:1', '2nd degree polynomial'],
    ['search.ts:1', '2nd degree polynomial'],
    ['all-matches.ts:2', '2nd degree polynomial when all matches are looked for'],
    ['constants.ts:2', 'exponential'],
    ['computed.ts:2', 'a pattern that is made of something else than constants'],
    ['tools/regular-expression-exceptions.json', 'nothing in excepted.ts is /gone/'],
    ['tools/regular-expression-exceptions.json', 'no file is called ^gone/'],
  ])('reports %s: %s', (place, complaint) => {
    expect(lines).toContainEqual(expect.stringContaining(`${place}: ${complaint}`));
  });

  test('reports nothing else', () => {
    expect(lines).toHaveLength(9);
    expect(lines.at(-1)).toBe('12 regular expressions, 2 exceptions, 8 problems');
  });

  test('prints each exception of the tree with its reason', async () => {
    const { stdout } = await promisify(execFile)('node', [check, '--list']);
    const text = await readFile(join(root, 'tools/regular-expression-exceptions.json'), 'utf8');
    const { patterns } = JSON.parse(text) as { patterns: { file: string; pattern: string; reason: string }[] };
    for (const { file, pattern, reason } of patterns) expect(stdout).toContain(`${file}: ${pattern}\n      ${reason}`);
  });
});
