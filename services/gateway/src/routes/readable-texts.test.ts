import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessFor, keyNamed, principal, refuseEverything } from '../testing/fakes.js';
import { publishedOperations, resolved } from '../testing/published.js';
import type { Parameter, Schema } from '../testing/published.js';
import { startGateway } from '../testing/running-gateway.js';
import type { RunningGateway } from '../testing/running-gateway.js';

const key = keyNamed('owner');
let gateway: RunningGateway;
let requests = 0;
beforeAll(async () => {
  // In this test, a request that reaches a service gets 409. Any other refusal comes from the gateway itself.
  const answers = { ...refuseEverything(), access: accessFor(new Map([[key, principal()]])) };
  gateway = await startGateway(answers, { trustedProxyHops: 1 });
});
afterAll(() => gateway.stop());

/** Invisible characters and line breaks in an otherwise valid text. */
const nasty: readonly (readonly [what: string, text: string])[] = [
  ['NUL', '\0'],
  ['a line break', '\r\n'],
  ['an override of the direction', '\u202e'],
  ['an isolate', '\u2066'],
  ['a zero-width blank', '\u200b'],
  ['a byte order mark', '\ufeff'],
  ['half of a surrogate pair', '\ud800'],
];

/** Texts that may have several paragraphs. */
const NOTES: ReadonlySet<string> = new Set(['reviewFinding note', 'verifyAccount note', 'releasePaymentLine note']);
/** Fields whose texts are stored as digits, without other characters. */
const DIGITS_ALONE: ReadonlySet<string> = new Set(['createScan rows[1].bankSortCode']);
/** Operations whose body is protected by a signature and not checked otherwise. */
const SIGNED: ReadonlySet<string> = new Set(['receivePaddleNotification']);
/** Texts that the gateway passes on, and that the services check by their own rules. */
const OWNERS = /^(?:config|events|fields|match|types|provider|upload_id)\b|^url$/;

interface TextField {
  readonly path: readonly (string | number)[];
  readonly schema: Schema;
}

/** Yields the texts of an example, except words from a fixed list. */
function* textsOf(published: Schema, example: unknown, path: readonly (string | number)[] = []): Generator<TextField> {
  const schema = resolved(published);
  if (typeof example === 'string') {
    if (schema.enum === undefined) yield { path, schema };
  } else if (Array.isArray(example)) {
    for (const [index, item] of example.entries()) yield* textsOf(schema.items ?? {}, item, [...path, index]);
  } else if (typeof example === 'object' && example !== null) {
    const properties = [schema, ...(schema.oneOf ?? []).map(resolved)].map((each) => each.properties ?? {});
    for (const [name, value] of Object.entries(example)) {
      const property = properties.find((each) => name in each)?.[name];
      const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
      yield* textsOf(property ?? rest, value, [...path, name]);
    }
  }
}

function replaceAt(body: unknown, [step, ...rest]: readonly (string | number)[], text: string): unknown {
  if (step === undefined) return text;
  const copy = structuredClone(body) as Record<string | number, unknown>;
  copy[step] = replaceAt(copy[step], rest, text);
  return copy;
}

function valueAt(body: unknown, path: readonly (string | number)[]): string {
  return path.reduce((part, step) => (part as Record<string | number, unknown>)[step], body) as string;
}

function pathOf(steps: readonly (string | number)[]): string {
  return steps.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
    '',
  );
}

const filled = (path: string, parameters: readonly Parameter[]): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => parameters.find((each) => each.name === name)?.example ?? '');

const fields = publishedOperations.flatMap(({ operationId, method, path, parameters, requestBody }) => {
  const content = requestBody?.content['application/json'];
  const examples = Object.values(content?.examples ?? {}).map(({ value }) => value);
  const [example] = content?.example === undefined ? examples : [content.example];
  if (content === undefined || example === undefined || SIGNED.has(operationId)) return [];
  return [...textsOf(content.schema, example)].map((field) => ({
    title: `${operationId} ${pathOf(field.path)}`,
    target: [method, filled(path, parameters)] as const,
    example,
    ...field,
  }));
});

async function send(
  [method, path]: readonly [string, string],
  body: unknown,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${gateway.origin}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      // The client address changes with each request, because refused attempts of one address are limited.
      'x-forwarded-for': `198.51.100.${(requests += 1) % 250}`,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

test('the walk finds the texts of every body', () => {
  const titles = fields.map(({ title }) => title);
  for (const title of [
    'analyzeInvoice supplier.name',
    'analyzeInvoice invoice_number',
    'createScan rows[0].supplierName',
    'createScan rows[1].bankAccountNumber',
    'updateOrganization name',
    'createCompany name',
    'inviteMember email',
    'acceptInvitation name',
    'createApiKey name',
    'createErpConnection client_secret',
    'saveKsefConnection ksef_token',
    'correctUpload fields.supplier.bank_account.iban',
    'reviewFinding note',
  ]) {
    expect(titles).toContain(title);
  }
});

const refused = fields.filter(({ title, path }) => !OWNERS.test(pathOf(path)) && !DIGITS_ALONE.has(title));

describe.each(refused)('$title', ({ title, target, example, path }) => {
  test.each(nasty)('is refused with %s, and the sentence says what to change', async (what, character) => {
    const body = replaceAt(
      example,
      path,
      `${valueAt(example, path).slice(0, 2)}${character}${valueAt(example, path).slice(2)}`,
    );
    const answer = await send(target, body);
    if (what === 'a line break' && NOTES.has(title)) {
      expect(answer.status).toBe(409);
      return;
    }
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('INVALID_REQUEST') });
  });
});

/** Free texts may contain any visible characters. */
const free = fields.filter(({ schema: { format, pattern } }) => format === undefined && pattern === '\\S');

describe.each(free)('$title', ({ title, target, example, path }) => {
  test('is refused by its path, with the place of the character', async () => {
    const answer = await send(target, replaceAt(example, path, 'Ac\u202eme'));
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(`"path":"${pathOf(path)}"`);
    expect(answer.text).toContain('Must not contain invisible characters (U+202E, at position 3). Remove them.');
  });

  test('is taken with blanks around it, in any script, and with emoji', async () => {
    for (const text of [' Acme\r\n', 'می\u200cخواهم', '👩\u200d❤\ufe0f\u200d👨']) {
      expect(await send(target, replaceAt(example, path, text))).toMatchObject({ status: 409 });
    }
    expect(title).toBeDefined();
  });
});
