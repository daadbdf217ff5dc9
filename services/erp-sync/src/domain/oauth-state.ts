import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * The values in the signed `state` parameter of an OAuth consent (ERP reference, section 7.1). No value in the OAuth
 * state is secret.
 */
export interface OAuthState {
  /** Id of the stored OAuth consent flow that the state belongs to. */
  readonly flowId: string;
  readonly organizationId: string;
  readonly provider: string;
  readonly companyId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/**
 * A key that signs OAuth state parameters. Its id is part of the parameter, so that older keys can still be used for
 * verification.
 */
export interface StateKey {
  readonly id: string;
  readonly bytes: Buffer;
}

const VERSION = 1;
const KEY_BYTES = 32;
/** Maximum length of an OAuth state parameter. Those that the erp-sync service creates have about 400 characters. */
const STATE_LENGTH_MAX = 2_048;

/**
 * Derives the keys that sign OAuth state parameters from the keys that seal stored secrets. A derived key reveals
 * nothing about the key from which it was derived.
 */
export function stateKeys(ring: readonly [StateKey, ...StateKey[]]): readonly [StateKey, ...StateKey[]] {
  const derive = ({ id, bytes }: StateKey): StateKey => ({
    id,
    bytes: Buffer.from(hkdfSync('sha256', bytes, Buffer.alloc(0), 'erp-sync oauth state', KEY_BYTES)),
  });
  const [newest, ...older] = ring;
  return [derive(newest), ...older.map(derive)];
}

/**
 * Signs the state of an OAuth consent.
 * @returns base64url of JSON, a dot, base64url of its HMAC-SHA256
 */
export function signState(state: OAuthState, [key]: readonly [StateKey, ...StateKey[]]): string {
  const body = Buffer.from(
    JSON.stringify({
      v: VERSION,
      kid: key.id,
      jti: state.flowId,
      org: state.organizationId,
      prv: state.provider,
      co: state.companyId,
      iat: toSeconds(state.issuedAt),
      exp: toSeconds(state.expiresAt),
    }),
  ).toString('base64url');
  return `${body}.${sign(body, key).toString('base64url')}`;
}

/** Returns the OAuth state if one of the keys signed it and it has not expired, and otherwise undefined. */
export function readState(text: string, keys: readonly StateKey[], now: Date): OAuthState | undefined {
  if (text.length > STATE_LENGTH_MAX) return undefined;
  const [body = '', signature = '', ...rest] = text.split('.');
  if (rest.length > 0) return undefined;
  const fields = parse(body);
  const key = keys.find(({ id }) => id === fields?.['kid']);
  if (fields === undefined || key === undefined) return undefined;
  const given = Buffer.from(signature, 'base64url');
  const expected = sign(body, key);
  // The signature of an OAuth state is compared as text, because the same bytes have several base64url encodings and
  // only one was issued.
  if (given.toString('base64url') !== signature || given.length !== expected.length) return undefined;
  if (!timingSafeEqual(given, expected)) return undefined;
  const { v, jti, org, prv, co, iat, exp } = fields;
  if (v !== VERSION || typeof iat !== 'number' || typeof exp !== 'number') return undefined;
  if (typeof jti !== 'string' || typeof org !== 'string' || typeof prv !== 'string' || typeof co !== 'string') {
    return undefined;
  }
  if (exp * 1_000 <= now.getTime()) return undefined;
  return {
    flowId: jti,
    organizationId: org,
    provider: prv,
    companyId: co,
    issuedAt: new Date(iat * 1_000),
    expiresAt: new Date(exp * 1_000),
  };
}

function sign(body: string, { bytes }: StateKey): Buffer {
  return createHmac('sha256', bytes).update(body).digest();
}

function parse(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function toSeconds(at: Date): number {
  return Math.ceil(at.getTime() / 1_000);
}
