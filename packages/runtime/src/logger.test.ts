import { expect, test } from '@jest/globals';
import { createLogger } from './logger.js';

function capture(fields: object, message = 'something happened'): string {
  const lines: string[] = [];
  const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
  logger.info(fields, message);
  return lines.join('');
}

test('a secret is cut out by its name', () => {
  expect(capture({ authorization: 'Bearer abc', nested: { token: 'abc' } })).not.toContain('abc');
});

test('a key is cut out by its shape, wherever it stands', () => {
  const key = `ick_live_${'a'.repeat(16)}_${'b'.repeat(49)}`;
  expect(capture({ note: `got ${key}` }, `refused ${key}`)).not.toContain('bbbb');
});

test('an error shows its causes and nothing else it carries', () => {
  const error = Object.assign(new Error('outer', { cause: new Error('inner') }), { response: { body: 'private' } });
  const line = capture({ error });
  expect(line).toContain('inner');
  expect(line).not.toContain('private');
});
