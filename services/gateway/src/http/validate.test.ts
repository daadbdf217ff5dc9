import { expect, test } from '@jest/globals';
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
