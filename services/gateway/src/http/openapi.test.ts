import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { routes } from '../routes/table.js';
import { describeApi } from './openapi.js';

interface Operation {
  operationId: string;
  security?: unknown;
  parameters?: { name: string; in: string }[];
  requestBody?: unknown;
  responses: Record<string, unknown>;
}
interface Described {
  openapi: string;
  servers: unknown;
  paths: Record<string, Record<string, Operation>>;
}

const text = describeApi(routes);
const described = JSON.parse(text) as Described;
const operations = Object.values(described.paths).flatMap((methods) => Object.values(methods));

describe('the published description', () => {
  test('is the committed openapi.json (write it again with: npm run openapi -w services/gateway)', () => {
    expect(text).toBe(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
  });

  test('is OpenAPI 3.1 below /v1, with one operation per route', () => {
    expect(described).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/v1' }] });
    expect(operations.map(({ operationId }) => operationId)).toEqual(routes.map(({ operation }) => operation));
  });

  test('demands a key of every operation but restoring', () => {
    const open = operations.filter(({ security }) => security === undefined);
    expect(open.map(({ operationId }) => operationId)).toEqual(['restoreOrganization', 'acceptInvitation']);
  });

  test('names every path parameter and every way to be refused', () => {
    for (const [path, methods] of Object.entries(described.paths)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters = [], requestBody, responses } of Object.values(methods)) {
        expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(inPath);
        const statuses = Object.keys(responses);
        expect(statuses).toEqual(expect.arrayContaining(['429', '500', '503', '504']));
        if (inPath.length > 0) expect(statuses).toContain('404');
        if (requestBody !== undefined) expect(statuses).toEqual(expect.arrayContaining(['400', '413', '415']));
      }
    }
  });

  test('describes the body of POST /invoices as the specification does', () => {
    const schemas = (JSON.parse(text) as { components: { schemas: Record<string, { required?: string[] }> } })
      .components.schemas;
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
});
