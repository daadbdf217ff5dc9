import { randomBytes, randomUUID } from 'node:crypto';
import { readForm } from '../call.js';
import type { Answer, Call } from '../call.js';
import type { Clock } from '../clock.js';

const TOKEN_SECONDS = 3_599;
const SCOPE = 'https://api.businesscentral.dynamics.com/.default';
const TOKENS_MAX = 1_000;

export interface Application {
  readonly clientId: string;
  readonly clientSecret: string;
  isSecretExpired: boolean;
  /** Expiry times of the access tokens that the simulated Business Central issued, in milliseconds. */
  readonly tokens: Map<string, number>;
}

/** Handles `POST /{tenantId}/oauth2/v2.0/token` of the login to Business Central, for the client credentials grant. */
export function issueToken(call: Call, tenantId: string, application: Application | undefined, clock: Clock): Answer {
  const refuse = (status: number, error: string, code: number, description: string): Answer => {
    const [trace, correlation] = [randomUUID(), randomUUID()];
    const timestamp = clock
      .now()
      .toISOString()
      .replace('T', ' ')
      .replace(/\.\d+Z$/, 'Z');
    const text = `AADSTS${code}: ${description} Trace ID: ${trace} Correlation ID: ${correlation} Timestamp: ${timestamp}`;
    return {
      status,
      body: {
        error,
        error_description: text,
        error_codes: [code],
        timestamp,
        trace_id: trace,
        correlation_id: correlation,
        error_uri: `https://login.microsoftonline.com/error?code=${code}`,
      },
    };
  };
  if (application === undefined) {
    return refuse(
      400,
      'invalid_request',
      90002,
      `Tenant '${tenantId}' not found. Check to make sure you have the correct tenant ID.`,
    );
  }
  const form = readForm(call.body);
  for (const name of ['grant_type', 'client_id', 'scope']) {
    if (form[name] === undefined || form[name] === '') {
      return refuse(
        400,
        'invalid_request',
        900144,
        `The request body must contain the following parameter: '${name}'.`,
      );
    }
  }
  if (form['grant_type'] !== 'client_credentials') {
    return refuse(
      400,
      'unsupported_grant_type',
      70003,
      `The app requested an unsupported grant type '${form['grant_type']}'.`,
    );
  }
  if (form['scope'] !== SCOPE) {
    return refuse(
      400,
      'invalid_scope',
      70011,
      `The provided value for the input parameter 'scope' is not valid: ${form['scope']}.`,
    );
  }
  if (form['client_id']?.toLowerCase() !== application.clientId.toLowerCase()) {
    return refuse(
      400,
      'unauthorized_client',
      700016,
      `Application with identifier '${form['client_id']}' was not found in the directory '${tenantId}'.`,
    );
  }
  if (form['client_secret'] !== application.clientSecret) {
    return refuse(
      401,
      'invalid_client',
      7000215,
      'Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID.',
    );
  }
  if (application.isSecretExpired) {
    return refuse(
      401,
      'invalid_client',
      7000222,
      `The provided client secret keys for app '${application.clientId}' are expired.`,
    );
  }
  const token = randomBytes(32).toString('base64url');
  if (application.tokens.size >= TOKENS_MAX) application.tokens.clear();
  application.tokens.set(token, clock.now().getTime() + TOKEN_SECONDS * 1_000);
  return {
    status: 200,
    headers: { 'cache-control': 'no-store, no-cache' },
    body: { token_type: 'Bearer', expires_in: TOKEN_SECONDS, ext_expires_in: TOKEN_SECONDS, access_token: token },
  };
}

/** Checks whether the header `Authorization` of a call to Business Central has a valid token. */
export function isAuthorized(call: Call, application: Application, clock: Clock): boolean {
  const [, token = ''] = /^Bearer (.+)$/i.exec(call.headers['authorization'] ?? '') ?? [];
  const expiresAt = application.tokens.get(token);
  return expiresAt !== undefined && expiresAt > clock.now().getTime();
}
