import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const key = keyNamed('owner');

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({ access: accessFor(new Map([[key, principal()]])) });
});
afterAll(() => gateway.stop());

function post(headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  return fetch(`${gateway.origin}/v1/invoices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body,
  });
}

describe('a body', () => {
  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; profile=x',
    'application/json; charset=utf-8; charset=UTF-8',
    'application/json; profile="; charset=latin1"',
    'application/json; charset = utf-8',
  ])('of type %s is read', async (type) => {
    const response = await post({ 'content-type': type }, '[]');
    expect(response.status).toBe(400);
  });

  test.each([
    'text/plain',
    'application/vnd.x+json',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin9',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; x="; charset=utf-8"; charset=latin1',
    'application/json; charset=utf-8 x',
    '',
  ])('of type "%s" is 415 and says what to send', async (type) => {
    const response = await post({ 'content-type': type }, '{}');
    expect(response.status).toBe(415);
    expect(response.headers.get('accept')).toBe('application/json');
  });

  test.each(['gzip', 'br', 'zstd', 'identity, gzip'])('in the encoding %s is 415', async (encoding) => {
    const body = Uint8Array.from(gzipSync('{}'));
    const response = await post({ 'content-type': 'application/json', 'content-encoding': encoding }, body);
    expect(response.status).toBe(415);
    expect(response.headers.get('accept-encoding')).toBe('identity');
  });

  test.each(['identity', ''])('in the encoding "%s" is read', async (encoding) => {
    const response = await post({ 'content-type': 'application/json', 'content-encoding': encoding }, '{}');
    expect(response.status).toBe(400);
  });

  test('that is empty is 400', async () => {
    const response = await post({ 'content-type': 'application/json' }, '');
    expect(response.status).toBe(400);
  });
});
