import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { invoiceCurrency } from '@invoicecontrol/values/currency';
import { faultOfLine } from '@invoicecontrol/values/readable-text';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';
import fc from 'fast-check';
import { DATE_OR_DATE_TIME } from '../http/description/fields.js';
import { accessFor, answersForEach, keyNamed, principal, refuseEverything } from '../testing/fakes.js';
import { publishedOperations, resolved, validatorOf } from '../testing/published.js';
import type { Schema } from '../testing/published.js';
import { startGateway } from '../testing/running-gateway.js';
import type { RunningGateway } from '../testing/running-gateway.js';

const RUNS = 20;
/** Maximum number of generated bodies that the description forbids. Each run generates a few. */
const REFUSED_MAX = 10_000;
const key = keyNamed('owner');

let gateway: RunningGateway;
beforeAll(async () => {
  // In this test, a request that reaches a service gets 409. Any other refusal comes from the gateway itself.
  // The filter `assignee_user_id=me` is allowed only for a key that belongs to a member.
  const member = principal({ person: 'USER:0198a000-0000-7000-8000-00000000000a' });
  gateway = await startGateway({ ...refuseEverything(), access: accessFor(new Map([[key, member]])) });
});
afterAll(() => gateway.stop());

/**
 * Rules that the descriptions state but a JSON schema cannot express (docs/interpretations.md, "What the published
 * description cannot say"): a text must have a visible character and no hidden ones, a withdrawn currency is refused on
 * a later day, an IBAN with a UK account must be the same account, and a cursor must come from the previous page.
 */
const isSayable = {
  text: (value: string) => hasVisibleText(value) && faultOfLine(value) === undefined,
  currency: (code: string) => 'code' in invoiceCurrency(code, '2199-12-31'),
  object: (value: Readonly<Record<string, unknown>>) =>
    !('iban' in value && 'sort_code' in value) &&
    !('bankIban' in value && 'bankSortCode' in value && 'bankAccountNumber' in value),
};

const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const instant = fc
  .tuple(day, fc.constantFrom('T00:00:00Z', 't23:59:59.123456789z', 'T12:00:00+02:00', 'T08:30:00.5-11:30'))
  .map(([date, time]) => date + time);

function textOf({ format, pattern, maxLength = 200 }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid')
    return fc.oneof(
      fc.uuid(),
      fc.uuid().map((id) => id.toUpperCase()),
    );
  if (pattern === DATE_OR_DATE_TIME) return fc.oneof(day, instant);
  if (format === 'date') return day;
  if (format === 'date-time') return instant;
  if (format === 'email') return fc.emailAddress();
  if (pattern === undefined || pattern === '\\S') {
    const short = fc.string({ unit: 'grapheme', minLength: 1, maxLength: Math.min(20, maxLength) });
    return fc.oneof(short.filter(isSayable.text), fc.constant('\u{1F4C4}'.repeat(maxLength)));
  }
  return fc.stringMatching(new RegExp(pattern, 'u'));
}

/** Generates request bodies that mostly fit the schema. A validator checks the rules about several fields. */
function valueOf(published: Schema): fc.Arbitrary<unknown> {
  const schema = resolved(published);
  if (schema.oneOf !== undefined) return fc.oneof(...schema.oneOf.map(valueOf));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (published.$ref?.endsWith('/CurrencyCode') === true) return textOf(schema).filter(isSayable.currency);
  const [type, ...others] = [schema.type ?? 'object'].flat();
  if (others.includes('null')) return fc.option(valueOf({ ...schema, type: type ?? 'null' }));
  switch (type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000_000 });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueOf(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      });
    case 'object': {
      if (schema.properties === undefined && typeof schema.additionalProperties === 'object')
        return fc.dictionary(textOf(schema.propertyNames ?? {}), valueOf(schema.additionalProperties), {
          minKeys: schema.minProperties ?? 0,
          maxKeys: schema.maxProperties ?? 3,
        });
      const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [name, valueOf(property)]);
      const arbitraries = Object.fromEntries(properties) as Record<string, fc.Arbitrary<unknown>>;
      return fc.record(arbitraries, { requiredKeys: [...(schema.required ?? [])] }).filter(isSayable.object);
    }
    case undefined:
    default:
      throw new TypeError(`No values of the type ${String(type)} are made.`);
  }
}

/** The response of a route that answers for each of several things, if a service refuses all of them. */
const refusedForEach = {
  status: 200,
  answer: { items: expect.arrayContaining([expect.objectContaining({ outcome: 'REFUSED' })]) },
};

describe('a request that the description allows', () => {
  for (const { operationId, method, path, parameters, requestBody } of publishedOperations) {
    const queries = parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'cursor');
    const schema = requestBody?.content['application/json']?.schema;
    if (queries.length === 0 && schema === undefined) continue;
    test(`is not refused by ${operationId}`, async () => {
      const validate = schema === undefined ? () => true : validatorOf(schema);
      let refused = 0;
      const isAllowed = (body: unknown): boolean => {
        if (validate(body)) return true;
        refused += 1;
        // Without this limit, the generator of requests would never end for a schema that no generated value fits.
        if (refused > REFUSED_MAX) throw new Error(`No body is made that ${operationId} allows.`);
        return false;
      };
      const queryOf = fc.record(Object.fromEntries(queries.map((query) => [query.name, valueOf(query.schema)])), {
        requiredKeys: [],
      });
      const bodyOf = schema === undefined ? fc.constant(undefined) : valueOf(schema).filter((body) => isAllowed(body));
      await fc.assert(
        fc.asyncProperty(queryOf, bodyOf, async (query, body) => {
          const search = new URLSearchParams(
            Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
          );
          const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => exampleFor(parameters, name));
          const response = await fetch(`${gateway.origin}/v1${filled}?${search.toString()}`, {
            method,
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          });
          expect({ answer: await response.json(), status: response.status }).toMatchObject(
            answersForEach.has(operationId) ? refusedForEach : { status: 409 },
          );
        }),
        { numRuns: RUNS },
      );
    });
  }
});

function exampleFor(parameters: readonly { name: string; example?: string }[], name: string): string {
  return parameters.find((parameter) => parameter.name === name)?.example ?? '';
}
