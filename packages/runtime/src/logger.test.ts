import { expect, test } from 'vitest';
import { createLogger } from './logger.js';

function capture(fields: object, message = 'something happened'): string {
  const lines: string[] = [];
  const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
  logger.info(fields, message);
  return lines.join('');
}

test('redacts a secret by the name of its field', () => {
  expect(capture({ authorization: 'Bearer abc', nested: { token: 'abc' } })).not.toContain('abc');
});

test.each([`ick_live_${'a'.repeat(16)}_`, 'whsec_', 'rec_', 'inv_', 'chk_'])(
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
