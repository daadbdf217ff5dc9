import { expect, test } from 'vitest';
import { z } from 'zod';
import { pathId, uuid } from './fields.js';

const ID = '0198a000-0000-7000-8000-00000000abcd';

test.each([
  ['of a path', z.object({ id: pathId('invoice') })],
  ['that may be absent', z.object({ id: uuid().optional() })],
  ['that may be null', z.object({ id: uuid().nullable() })],
  ['with a description', z.object({ id: uuid().describe('The invoice that was requested.') })],
])('an id %s is read in lower case, as ids are stored', (_, schema) => {
  expect(schema.parse({ id: ID.toUpperCase() })).toEqual({ id: ID });
  expect(schema.safeParse({ id: `${ID}0` }).success).toBe(false);
});
