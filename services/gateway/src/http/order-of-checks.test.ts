import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessFor, keyNamed, principal } from '../testing/fakes.js';
import { startGateway } from '../testing/running-gateway.js';
import type { RunningGateway } from '../testing/running-gateway.js';

const owner = keyNamed('owner');
const viewer = keyNamed('viewer');
const keys = new Map([
  [owner, principal({ apiKeyId: 'owner00000000000' })],
  [viewer, principal({ apiKeyId: 'viewer0000000000', role: 'VIEWER', scopes: ['invoices:read'] })],
]);

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({ access: accessFor(keys) });
});
afterAll(() => gateway.stop());

interface Case {
  title: string;
  method: string;
  path: string;
  key?: string;
  type?: string;
  body?: string;
  status: number;
  code: string;
}

const big = JSON.stringify({ text: 'x'.repeat(300 * 1024) });

const cases: Case[] = [
  { title: 'unknown route', method: 'GET', path: '/v1/nothing', status: 404, code: 'NOT_FOUND' },
  { title: 'route in another case', method: 'GET', path: '/v1/Invoices', status: 404, code: 'NOT_FOUND' },
  { title: 'route with a slash behind', method: 'GET', path: '/v1/invoices/', status: 404, code: 'NOT_FOUND' },
  {
    title: 'path that is not percent-encoding',
    method: 'GET',
    path: '/v1/invoices/%E0%A4%A',
    status: 404,
    code: 'NOT_FOUND',
  },
  { title: 'wrong method before the key', method: 'PUT', path: '/v1/invoices', status: 405, code: 'INVALID_REQUEST' },
  {
    title: 'OPTIONS, as there is no CORS',
    method: 'OPTIONS',
    path: '/v1/invoices',
    status: 405,
    code: 'INVALID_REQUEST',
  },
  {
    title: 'no key before the body',
    method: 'POST',
    path: '/v1/invoices',
    body: '{',
    status: 401,
    code: 'UNAUTHORIZED',
  },
  { title: 'malformed key', method: 'GET', path: '/v1/invoices', key: 'ick_live_x', status: 401, code: 'UNAUTHORIZED' },
  {
    title: 'scope before the body',
    method: 'POST',
    path: '/v1/invoices',
    key: viewer,
    body: '{',
    status: 403,
    code: 'FORBIDDEN',
  },
  {
    title: 'role before the path id',
    method: 'GET',
    path: '/v1/companies/not-a-uuid',
    key: viewer,
    status: 403,
    code: 'FORBIDDEN',
  },
  {
    title: 'path id that is not a UUID',
    method: 'GET',
    path: '/v1/invoices/not-a-uuid',
    key: owner,
    status: 404,
    code: 'NOT_FOUND',
  },
  {
    title: 'content type before the size',
    method: 'POST',
    path: '/v1/invoices',
    key: owner,
    type: 'text/plain',
    body: big,
    status: 415,
    code: 'INVALID_REQUEST',
  },
  {
    title: 'size before the syntax',
    method: 'POST',
    path: '/v1/invoices',
    key: owner,
    body: `{${big}`,
    status: 413,
    code: 'INVALID_REQUEST',
  },
  {
    title: 'syntax',
    method: 'POST',
    path: '/v1/invoices',
    key: owner,
    body: '{',
    status: 400,
    code: 'INVALID_REQUEST',
  },
  {
    title: 'shape',
    method: 'POST',
    path: '/v1/invoices',
    key: owner,
    body: '{}',
    status: 400,
    code: 'INVALID_REQUEST',
  },
];

describe('the first check that fails answers', () => {
  test.each(cases)(
    '$status for $title',
    async ({ method, path, key, type = 'application/json', body, status, code }) => {
      const response = await fetch(`${gateway.origin}${path}`, {
        method,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': type }),
        },
        ...(body === undefined ? {} : { body }),
      });
      const envelope = (await response.json()) as { error: { code: string; message: string; request_id: string } };
      expect({ status: response.status, code: envelope.error.code }).toEqual({ status, code });
      expect(envelope.error.message).toMatch(/\S/);
      expect(envelope.error.request_id).toBe(response.headers.get('x-request-id'));
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'strict-transport-security': 'max-age=31536000',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(response.headers.has('x-powered-by')).toBe(false);
      expect(response.headers.has('server')).toBe(false);
    },
  );

  test('405 names the methods of the path', async () => {
    const response = await fetch(`${gateway.origin}/v1/organizations/current`, { method: 'PUT' });
    expect(response.headers.get('allow')).toBe('DELETE, GET, HEAD, PATCH');
  });

  test('401 says how to authenticate', async () => {
    const response = await fetch(`${gateway.origin}/v1/invoices`);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="invoice-control"');
  });
});
