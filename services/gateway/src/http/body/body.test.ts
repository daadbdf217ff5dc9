import { describe, expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyReservation } from './body-budget.js';
import { JSON_BODY_LIMITS, JSON_DEPTH_MAX, JSON_FIELDS_MAX, parseJson, readJsonBody } from './body.js';

async function refusalOf(bytes: Buffer | string): Promise<string> {
  try {
    await parseJson(Buffer.from(bytes));
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid') return error.publicMessage;
    throw error;
  }
  throw new Error('It was accepted.');
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
/** Returns an object that contains a list, with the given number of levels. */
const inList = (depth: number) => `{"rows":${nested(depth - 1)}}`;

const withFields = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index])));

describe('a JSON body', () => {
  test('is read as JSON reads it, the last of equal names winning', async () => {
    expect(await parseJson(Buffer.from('{"a":1,"b":["żółć","😀"],"a":2}'))).toEqual({ a: 2, b: ['żółć', '😀'] });
  });

  test.each([
    ['nothing', '', /empty/],
    ['broken JSON', '{"a":', /not valid JSON/],
    ['two values', '{}{}', /not valid JSON \(at position 2\)/],
    ['a single quote', "{'a':1}", /not valid JSON/],
    ['a byte order mark', '\ufeff{}', /byte order mark/],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), /not valid UTF-8/],
    ['an overlong encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), /not valid UTF-8/],
    ['a surrogate encoded as UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /not valid UTF-8/],
    ['NUL in a value', '{"a":"x\\u0000"}', /U\+0000/],
    ['NUL in a name', '{"\\u0000":1}', /U\+0000/],
    ['a lone high surrogate', '["\\ud83d"]', /surrogate/],
    ['a lone low surrogate in a name', '{"\\ude00":1}', /surrogate/],
    ['__proto__', '{"a":{"__proto__":{"admin":true}}}', /__proto__/],
    ['a nesting that is too deep', nested(JSON_DEPTH_MAX + 1), /more than 32 levels deep/],
    ['a nesting that is too deep in a list', inList(JSON_DEPTH_MAX + 1), /more than 32 levels deep/],
    ['NUL in an item of a list', '{"rows":["x",{"a":"\\u0000"}]}', /U\+0000/],
    ['__proto__ in an item of a list', '{"rows":[{},{"__proto__":1}]}', /__proto__/],
    ['an object of too many fields', withFields(JSON_FIELDS_MAX + 1), /more than 1000 fields/],
    [
      'an object of too many fields in a list',
      `{"rows":[${withFields(JSON_FIELDS_MAX + 1)}]}`,
      /more than 1000 fields/,
    ],
    ['a nesting that is absurdly deep', nested(100_000), /more than 32 levels deep/],
  ])('is refused with a sentence for %s', async (_, bytes, sentence) => {
    expect(await refusalOf(bytes)).toMatch(sentence);
  });

  test('may have an object with as many fields as the limit', async () => {
    await expect(parseJson(Buffer.from(withFields(JSON_FIELDS_MAX)))).resolves.toBeDefined();
  });

  test('may be nested as deep as the limit and hold whole surrogate pairs', async () => {
    await expect(parseJson(Buffer.from(nested(JSON_DEPTH_MAX)))).resolves.toBeDefined();
    await expect(parseJson(Buffer.from(inList(JSON_DEPTH_MAX)))).resolves.toBeDefined();
    expect(await parseJson(Buffer.from('["\\ud83d\\ude00"]'))).toEqual(['😀']);
  });

  test('is never repeated in the refusal', async () => {
    expect(await refusalOf('{"iban": DE89370400440532013000}')).not.toContain('DE89');
  });
});

test('a Content-Type of a million characters is read in one pass', async () => {
  const type = `application/json; charset=${' '.repeat(1_000_000)}x y`;
  const request = { headers: { 'content-type': type } } as IncomingMessage;
  const reading = readJsonBody(request, {} as ServerResponse, JSON_BODY_LIMITS, {} as BodyReservation);
  await expect(reading).rejects.toMatchObject({ status: 415 });
});
