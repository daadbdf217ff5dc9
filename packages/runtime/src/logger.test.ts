import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createLogger } from './logger.js';

function capture(fields: object, message = 'something happened'): string {
  const lines: string[] = [];
  const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
  logger.info(fields, message);
  return lines.join('');
}

test('a field that is not declared does not compile, however the fields are passed', () => {
  const lines: string[] = [];
  const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
  const fields = { runId: '1', invented: true };
  // @ts-expect-error The field is not declared.
  logger.info({ invented: true }, 'literal');
  // @ts-expect-error The field is not declared.
  logger.info(fields, 'variable');
  // @ts-expect-error The field is not declared.
  logger.child({ ...fields, scanId: '2' }).info({}, 'spread');
  logger.info({ runId: '1', scanId: '2' }, 'declared');
  expect(lines).toHaveLength(4);
});

test('redacts a secret by the name of its field', () => {
  expect(capture({ authorization: 'Bearer abc', nested: { token: 'abc' } })).not.toContain('abc');
});

test.each([`ick_live_${'a'.repeat(16)}_`, 'ics_', 'whsec_', 'rec_', 'inv_', 'chk_'])(
  'a secret that begins with %s is cut out by its shape, wherever it stands',
  (prefix) => {
    const secret = `${prefix}${'b'.repeat(43)}`;
    expect(capture({ note: `got ${secret}` }, `refused ${secret}`)).not.toContain('bbbb');
  },
);

test('an error shows its causes and nothing else it carries', () => {
  const error = Object.assign(new Error('outer', { cause: new Error('inner') }), { response: { body: 'private' } });
  const line = capture({ error });
  expect(line).toContain('inner');
  expect(line).not.toContain('private');
});

/** Runs a program that has a logger, and returns what it wrote and whether the lines were there before its end. */
function run(program: string): { readonly stdout: string; readonly writes: readonly string[] } {
  const logger = JSON.stringify(new URL('../dist/logger.js', import.meta.url).href);
  const source = `
    import fs from 'node:fs';
    import { createLogger } from ${logger};
    const logger = createLogger({ service: 'test', level: 'info' });
    ${program}`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return { stdout, writes: stdout.split('MARK\n') };
}

test('after a first line, lines wait until a warning, which is written at once with them', () => {
  const { writes } = run(`
    logger.info({}, 'first');
    fs.writeSync(1, 'MARK\\n');
    logger.info({}, 'second');
    fs.writeSync(1, 'MARK\\n');
    logger.warn({}, 'third');
    fs.writeSync(1, 'MARK\\n');`);
  expect(writes.map((text) => text.match(/first|second|third/g) ?? [])).toEqual([
    ['first'],
    [],
    ['second', 'third'],
    [],
  ]);
});

test('a line waits for a tenth of a second at most, and the end of the process writes the last one', () => {
  const { writes } = run(`
    logger.info({}, 'first');
    logger.info({}, 'second');
    fs.writeSync(1, 'MARK\\n');
    setTimeout(() => {
      fs.writeSync(1, 'MARK\\n');
      logger.info({}, 'third');
      fs.writeSync(1, 'MARK\\n');
      process.exit();
    }, 150);`);
  expect(writes.map((text) => text.match(/first|second|third/g) ?? [])).toEqual([['first'], ['second'], [], ['third']]);
});

test('no line waits until the disk has it, which can take as long as a database writes', () => {
  const { stdout } = run(`
    let waits = 0;
    fs.fsyncSync = () => { waits += 1; };
    fs.fsync = (fd, done) => { waits += 1; done(null); };
    logger.info({}, 'first');
    logger.warn({}, 'second');
    logger.info({}, 'third');
    setTimeout(() => fs.writeSync(1, 'WAITS ' + waits), 150);`);
  expect(stdout.match(/first|second|third|WAITS \d/g)).toEqual(['first', 'second', 'third', 'WAITS 0']);
});
