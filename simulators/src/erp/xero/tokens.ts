import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { Grant } from '../oauth/grants.js';

export const ACCESS_SECONDS = 1_800;

let signingKey: KeyObject | undefined;

/** Creates a JWT like those of Xero. `authentication_event_id` identifies the OAuth consent and its connections. */
export function newAccessToken(grant: Grant, options: { clock: Clock; authEventId: string; clientId: string }): string {
  signingKey ??= generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const now = Math.floor(options.clock.now().getTime() / 1_000);
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = {
    nbf: now,
    exp: now + ACCESS_SECONDS,
    iss: 'https://identity.xero.com',
    aud: 'https://identity.xero.com/resources',
    client_id: options.clientId,
    sub: 'd8e1f2a3b4c55d6e8f90a1b2c3d4e5f6',
    auth_time: now,
    authentication_event_id: options.authEventId,
    jti: randomUUID(),
    scope: grant.scopes,
  };
  const signed = `${part({ alg: 'RS256', typ: 'JWT', kid: '1CAF8E66772D6DC028D6726FD0261581570EFC19' })}.${part(payload)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(signingKey).toString('base64url')}`;
}
