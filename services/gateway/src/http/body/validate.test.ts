import { expect, test } from 'vitest';
import { z } from 'zod';
import { validate } from './validate.js';

const schema = z.strictObject({ fields: z.record(z.string(), z.string()) });

test.each([
  ['a list where names and values are due', { fields: [] }, 'fields: Must be an object.'],
  ['a text where names and values are due', { fields: 'a' }, 'fields: Must be an object.'],
  ['a value of another type', { fields: { a: 1 } }, 'fields.a: Must be a string.'],
  ['nothing', {}, 'fields: Required.'],
])('%s is refused in words of JSON', (_, body, message) => {
  expect(() => validate(schema, body, 'body')).toThrow(message);
});

test.each([
  ['a text', z.string().min(20).max(30), ['x', 'x'.repeat(31)], ['at least 20 characters', 'at most 30 characters']],
  ['a list', z.array(z.string()).min(1).max(2), [[], ['', '', '']], ['at least 1 item', 'at most 2 items']],
])('the bounds of %s name what is counted', (_, bounded, values, bounds) => {
  for (const [index, value] of values.entries()) {
    expect(() => validate(z.strictObject({ field: bounded }), { field: value }, 'body')).toThrow(
      `field: Must have ${bounds[index]}.`,
    );
  }
});

test('the bounds of a number are compared with it', () => {
  const schema = z.strictObject({ field: z.int().min(1) });
  expect(() => validate(schema, { field: 0 }, 'body')).toThrow('field: Must be at least 1.');
});
