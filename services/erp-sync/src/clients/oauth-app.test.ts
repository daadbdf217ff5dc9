import { describe, expect, test } from 'vitest';
import { GrantRefused } from '../application/authorization-server.js';
import { ErpFault, Outage } from '../domain/faults.js';
import { isOfErp, isTokenEnded, readJson, requireOk } from './erp-answer.js';
import { oauthApp } from './oauth-app.js';

const challenge = { 'www-authenticate': 'Basic realm="proxy"' };
const JSON_TYPE = { 'content-type': 'application/json' };

/**
 * Refreshes an OAuth token at a server with this response.
 * @returns the outcome
 */
async function refreshed(status: number, body: string, headers: Record<string, string> = JSON_TYPE): Promise<unknown> {
  const app = oauthApp(
    {
      issuer: 'https://erp.example.com',
      clientId: 'app',
      clientSecret: 'secret',
      authorizeUrl: 'https://erp.example.com/authorize',
      tokenUrl: 'https://erp.example.com/token',
      revokeUrl: 'https://erp.example.com/revoke',
      scopes: ['all'],
      accessSeconds: 60,
    },
    () => Promise.resolve(new Response(body, { status, headers })),
    { now: () => new Date('2026-03-02T10:00:00Z') },
  );
  return app.refresh('a refresh token').catch((error: unknown) => error);
}

describe('tokens', () => {
  test.each<[number, string, Record<string, string>?]>([
    [400, '{"error":"invalid_client"}'],
    [401, '{"error":"invalid_client"}'],
    [401, '{"error":"invalid_client"}', { ...JSON_TYPE, ...challenge }],
  ])('%i %s blames the app', async (...answer) => {
    expect(await refreshed(...answer)).toMatchObject({ code: 'AUTH_FAILED', needsAPerson: true });
  });

  test('invalid_grant ends the grant', async () => {
    expect(await refreshed(400, '{"error":"invalid_grant"}')).toBeInstanceOf(GrantRefused);
  });

  test('a request that is refused as wrong is not sent again', async () => {
    const fault = await refreshed(400, '{"error":"invalid_request"}');
    expect(fault).toMatchObject({ code: 'BAD_RESPONSE' });
    expect(fault).not.toBeInstanceOf(Outage);
  });

  test.each<[number, string, Record<string, string>?]>([
    [400, '{"error":"temporarily_unavailable"}'],
    [400, '{"error":"unheard_of"}'],
    [400, '<html>'],
    [400, ''],
    [401, '<html>', challenge],
    [401, '', challenge],
    [403, '<html>'],
    [404, '{"message":"no"}'],
    [200, '<html>', { 'content-type': 'text/html' }],
    [200, ''],
    [200, '{"access_tok'],
    [503, '{"error":"server_error"}'],
  ])('%i %s is an outage', async (...answer) => {
    const fault = await refreshed(...answer);
    expect(fault).toBeInstanceOf(Outage);
    expect(fault).toMatchObject({ needsAPerson: false });
  });
});

describe('other answers', () => {
  const answer = (status: number, body: string): Response => new Response(body, { status });
  const faultOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

  test.each([
    [401, 'AUTH_FAILED'],
    [403, 'PERMISSION_DENIED'],
    [404, 'TENANT_NOT_FOUND'],
  ])('%i is %s where the ERP itself says so, and an outage as a page', async (status, code) => {
    expect(await faultOf(requireOk(answer(status, '{"Title":"no"}')))).toMatchObject({ code });
    for (const body of ['<html>', '', '{"Tit']) {
      const fault = await faultOf(requireOk(answer(status, body)));
      expect(fault).toBeInstanceOf(Outage);
      expect(fault).toMatchObject({ code: 'UPSTREAM_ERROR' });
      expect(await isOfErp(answer(status, body))).toBe(false);
    }
  });

  test('a good status without JSON is an outage', async () => {
    for (const body of ['<html>', '', '{"a']) {
      expect(await faultOf(readJson(answer(200, body)))).toBeInstanceOf(Outage);
    }
    expect(await readJson(answer(200, '{"a":1}'))).toEqual({ a: 1 });
  });

  test('a token has ended where the server says so, and not because of a page or an outage', async () => {
    expect(await isTokenEnded(answer(400, '{"error":"invalid_request"}'))).toBe(true);
    for (const body of ['{"error":"temporarily_unavailable"}', '<html>', '', '{}']) {
      expect(await isTokenEnded(answer(400, body))).toBe(false);
    }
    expect(await faultOf(requireOk(answer(400, '<html>')))).toBeInstanceOf(ErpFault);
  });
});
