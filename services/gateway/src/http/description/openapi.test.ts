import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { publicEventTypes } from '@invoicecontrol/public-events';
import { routes } from '../../routes/table.js';
import { nameOf, published, publishedOperations, publishedText, validatorOf } from '../../testing/published.js';
import type { Content } from '../../testing/published.js';
import { exampleOf } from './examples.js';

const { paths, components } = published;

describe('the published description', () => {
  test('is the committed openapi.json (write it again with: npm run openapi -w services/gateway)', () => {
    expect(publishedText).toBe(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
  });

  test('is OpenAPI 3.1 below /v1, with one operation per route', () => {
    expect(published).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/v1' }], security: [{ bearer: [] }] });
    expect(publishedOperations.map(({ operationId }) => operationId)).toEqual(routes.map(({ operation }) => operation));
  });

  test('demands a key of every operation but those that prove their right by a token or a signature', () => {
    const open = publishedOperations.filter(({ security }) => security?.length === 0);
    expect(open.map(({ operationId }) => operationId)).toEqual([
      'receiveErpConsent',
      'decideErpConsent',
      'receiveErpConsentOfProvider',
      'decideErpConsentOfProvider',
      'restoreOrganization',
      'acceptInvitation',
      'receivePaddleNotification',
    ]);
  });

  test('names every path parameter and every way to be refused', () => {
    for (const { operationId, path, parameters, requestBody, responses } of publishedOperations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(inPath);
      const statuses = Object.keys(responses);
      expect(statuses).toEqual(expect.arrayContaining(['429', '500', '503', '504']));
      if (inPath.length > 0) expect(statuses).toContain('404');
      // The signed body of a payment notification is accepted with any declared media type.
      const isTyped = operationId !== 'receivePaddleNotification';
      if (requestBody !== undefined)
        expect(statuses).toEqual(expect.arrayContaining(['400', '413', ...(isTyped ? ['415'] : [])]));
    }
  });

  test('describes the body of POST /invoices as the specification does', () => {
    const { schemas } = components;
    expect(schemas['Invoice']?.required).toEqual([
      'supplier',
      'invoice_number',
      'issue_date',
      'currency',
      'gross_amount',
    ]);
    expect(schemas['AcceptedAnalysis']?.required).toEqual([
      'id',
      'status',
      'decision',
      'risk_score',
      'findings',
      'versions',
    ]);
  });

  test('describes every property, parameter, tag and header', () => {
    const undescribed: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, child] of Object.entries(value as Record<string, unknown>)) {
        if (name === 'example' || name === 'examples') continue;
        if (name === 'properties') {
          for (const [property, schema] of Object.entries(
            child as Record<string, { description?: string; $ref?: string }>,
          )) {
            const described = schema.description ?? components.schemas[nameOf(schema.$ref ?? '')]?.description;
            if (described === undefined || described === '') undescribed.push(`${path}.${property}`);
          }
        }
        walk(child, `${path}.${name}`);
      }
    };
    walk(components.schemas, 'schemas');
    walk(paths, 'paths');
    for (const { operationId, parameters = [] } of publishedOperations) {
      for (const { name, description } of parameters) if (!description) undescribed.push(`${operationId} ${name}`);
    }
    expect(undescribed).toEqual([]);

    const usedTags = new Set(publishedOperations.flatMap(({ tags }) => tags));
    expect(published.tags.filter(({ description }) => description !== '').map(({ name }) => name)).toEqual([
      ...usedTags,
      'webhook-events',
    ]);
  });

  test('states the headers of refusals and of conditional requests', () => {
    const headersOf = (name: string) => Object.keys(components.responses[name]?.headers ?? {});
    expect(headersOf('Unauthorized')).toContain('WWW-Authenticate');
    expect(headersOf('TooManyRequests')).toEqual(
      expect.arrayContaining(['Retry-After', 'RateLimit', 'RateLimit-Policy']),
    );
    expect(headersOf('Unavailable')).toContain('Retry-After');
    const latest = publishedOperations.find(({ operationId }) => operationId === 'getLatestAnalysis');
    expect(latest?.parameters?.map(({ name }) => name)).toContain('If-None-Match');
    for (const status of ['200', '304']) expect(latest?.responses[status]?.headers).toHaveProperty('ETag');
    for (const { operationId, security, responses } of publishedOperations) {
      for (const [status, { headers }] of Object.entries(responses)) {
        if (Number(status) >= 400) continue;
        const limits = security === undefined ? ['RateLimit', 'RateLimit-Policy'] : [];
        expect({ operationId, names: Object.keys(headers ?? {}) }).toEqual({
          operationId,
          names: expect.arrayContaining(['X-Request-Id', ...limits]) as unknown,
        });
      }
    }
  });

  test('names its schemas so that generators keep them apart, and has no type that is several at once', () => {
    expect(publishedText).not.toContain('"anyOf"');
    const names = Object.keys(published.components.schemas);
    for (const name of names) expect(name).toMatch(/^[A-Z][A-Za-z0-9]*$/);
    // Go clients have a function `NewX` for each schema X.
    expect(names.filter((name) => names.some((other) => name === `New${other}`))).toEqual([]);
    const inLowerCase = names.map((name) => name.toLowerCase());
    expect(new Set(inLowerCase).size).toBe(names.length);
  });

  test('links the guides, and says how to authenticate, fail, repeat, page and slow down', () => {
    const { description } = published.info;
    for (const guide of [
      'first-integration',
      'scanning-history',
      'checking-a-payment-run',
      'reviewing-findings',
      'uploading-documents',
      'connecting-an-erp',
      'submitting-to-ksef',
      'receiving-from-ksef',
    ]) {
      expect(description).toContain(`(/docs/guides/${guide}.md)`);
    }
    const headings = [...description.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['Authentication', 'Requests', 'Errors', 'Idempotency', 'Paging', 'Rate limits']);
  });
});

describe('the examples', () => {
  const assertValid = (what: string, content: Content): void => {
    // Only JSON responses are checked, because a response with a file has no example.
    if (content['application/json'] === undefined) return;
    const { schema, example, examples } = content['application/json'];
    const validate = validatorOf(schema);
    const values = examples === undefined ? [example] : Object.values(examples).map(({ value }) => value);
    for (const value of values) {
      expect({ what, value }).toEqual({ what, value: expect.anything() as unknown });
      validate(value);
      expect({ what, faults: validate.errors ?? [] }).toEqual({ what, faults: [] });
    }
    expect(values.length).toBeGreaterThan(0);
  };

  test('are there for every body, and are as published', () => {
    for (const { operationId, requestBody, responses, parameters = [] } of publishedOperations) {
      if (requestBody !== undefined) assertValid(operationId, requestBody.content);
      for (const [status, { content }] of Object.entries(responses)) {
        if (content !== undefined) assertValid(`${operationId} ${status}`, content);
      }
      for (const { name, schema, example } of parameters.filter((parameter) => parameter.in === 'path')) {
        expect({ name, isValid: validatorOf(schema)(example) }).toEqual({ name, isValid: true });
      }
    }
    for (const [name, { content }] of Object.entries(components.responses)) {
      if (content === undefined) throw new Error(`${name} has no body.`);
      assertValid(name, content);
    }
  });

  test('are there for the body of every event that endpoints receive', () => {
    const { webhooks } = JSON.parse(publishedText) as {
      webhooks: Record<string, { post: { requestBody: { content: Content } } }>;
    };
    expect(Object.keys(webhooks)).toEqual([...publicEventTypes]);
    for (const [type, { post }] of Object.entries(webhooks)) assertValid(type, post.requestBody.content);
  });

  test('pass the checks of the code', () => {
    for (const { operation, body, responses } of routes) {
      const schemas = [body, ...Object.values(responses).map(({ schema }) => schema)];
      for (const schema of schemas.filter((one) => one !== undefined)) {
        const { error } = schema.safeParse(exampleOf(schema));
        expect({ operation, issues: error?.issues ?? [] }).toEqual({ operation, issues: [] });
      }
    }
  });
});
