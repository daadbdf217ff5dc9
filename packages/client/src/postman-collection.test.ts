import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Entry {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

/** The members of a request that Postman's format 2.1 requires and this collection uses. */
interface Item {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly auth?: { readonly type: string };
    readonly header: readonly Entry[];
    readonly url: {
      readonly raw: string;
      readonly host: readonly string[];
      readonly path: readonly string[];
      readonly query: readonly Entry[];
      readonly variable: readonly Entry[];
    };
    readonly body?: { readonly mode: 'raw'; readonly raw: string } | { readonly mode: 'file' };
  };
}

interface Collection {
  readonly info: { readonly name: string; readonly schema: string };
  readonly auth: unknown;
  readonly variable: readonly Entry[];
  readonly item: readonly { readonly name: string; readonly item: readonly Item[] }[];
}

interface Parameter {
  readonly name: string;
}

interface Operation {
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: unknown;
}

interface OpenApi {
  readonly security?: readonly unknown[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}

const collection = read('../postman-collection.json') as Collection;
const described = read('../../../services/gateway/openapi.json') as OpenApi;
const nameOf = (parameter: Parameter | { readonly $ref: string }): string =>
  'name' in parameter
    ? parameter.name
    : (described.components.parameters[parameter.$ref.split('/').at(-1) ?? '']?.name ?? parameter.$ref);
const items = collection.item.flatMap((folder) => folder.item.map((item) => ({ folder: folder.name, ...item })));

test('the Postman collection has every operation once, in the folder of its tag, with its parameters, key and body', () => {
  const published = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { tags, security = described.security ?? [], parameters = [], requestBody }]) => ({
        folder: tags[0],
        request: `${method.toUpperCase()} {{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        isPublic: security.length === 0,
        parameters: parameters.map(nameOf).toSorted(),
        hasBody: requestBody !== undefined,
      }),
    ),
  );
  const collected = items.map(({ folder, request: { method, url, auth, header, body } }) => ({
    folder,
    request: `${method} ${url.raw}`,
    isPublic: auth?.type === 'noauth',
    parameters: [...url.query, ...url.variable, ...header.filter(({ key }) => key !== 'Content-Type')]
      .map(({ key }) => key)
      .toSorted(),
    hasBody: body !== undefined,
  }));
  const sort = (list: { readonly request: string }[]): unknown[] =>
    list.toSorted((a, b) => a.request.localeCompare(b.request));
  expect(sort(collected)).toEqual(sort(published));
});

test('the Postman collection is of format 2.1, asks for the key once and uses no variable that it does not have', () => {
  expect(collection.info.schema).toBe('https://schema.getpostman.com/json/collection/v2.1.0/collection.json');
  expect(collection.auth).toMatchObject({ type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}' }] });
  const used = new Set([...JSON.stringify(collection).matchAll(/\{\{([^}]+)\}\}/g)].map(([, name]) => name));
  expect(used).toEqual(new Set(['$guid', 'apiKey', 'baseUrl']));
  expect(collection.variable.map(({ key }) => key)).toEqual(['baseUrl', 'apiKey']);
  for (const { name, request } of items) {
    expect(`${name}: ${request.url.raw}`).toBe(`${name}: ${request.url.host.join()}/${request.url.path.join('/')}`);
    if (request.body?.mode === 'raw') expect(JSON.parse(request.body.raw)).toBeInstanceOf(Object);
  }
});

test('the Postman collection sends a new Idempotency-Key each time where one is honoured', () => {
  const keyed = items.filter(({ request }) => request.header.some(({ key }) => key === 'Idempotency-Key'));
  expect(keyed.map(({ request }) => request.url.raw)).toEqual([
    '{{baseUrl}}/invoices',
    '{{baseUrl}}/invoices/from-upload',
    '{{baseUrl}}/scans',
    '{{baseUrl}}/payment-runs',
  ]);
  expect(keyed.map(({ request }) => request.header[0])).toMatchObject(keyed.map(() => ({ value: '{{$guid}}' })));
});
