import { setTimeout as delay } from 'node:timers/promises';
import type { Authentication } from '../domain/connection.js';
import { KsefRefusal } from '../domain/ksef-refusal.js';
import { safeText } from '../domain/ksef-text.js';
import { decodeLoginCertificate, identityOf, maskedIdentity } from '../domain/login-certificate.js';
import { credentialNames, GRANT_PERMISSIONS } from '../domain/permissions.js';
import type { KsefCredentials, KsefStatus } from './ksef-calls.js';

/** An access or refresh token that KSeF issued for its calls. */
export interface Grant {
  readonly token: string;
  readonly validUntil: Date;
}

export interface Challenge {
  readonly challenge: string;
  readonly timestampMs: number;
}

export interface StartedAuthentication {
  readonly referenceNumber: string;
  readonly authenticationToken: Grant;
}

/**
 * Authentication calls that are the same for tokens and certificates.
 * @throws KsefRefusal
 */
export interface AuthenticationCalls {
  /** Requests a challenge for a login to KSeF (call A2). */
  challenge(credentials: KsefCredentials): Promise<Challenge>;
  /** Fetches the status of a login to KSeF (call A4). */
  status(credentials: KsefCredentials, started: StartedAuthentication): Promise<KsefStatus>;
  /** Fetches the KSeF tokens after a successful authentication (call A5). */
  redeem(credentials: KsefCredentials, started: StartedAuthentication): Promise<{ access: Grant; refresh: Grant }>;
  /** Refreshes an access token of KSeF (call A6). */
  refresh(credentials: KsefCredentials, refreshToken: string): Promise<Grant>;
  /** Terminates a KSeF login session (call A7). */
  end(credentials: KsefCredentials, bearer: string): Promise<void>;
}

/**
 * Answers an authentication challenge with the KSeF token (call A3) or with a certificate signature (call X1). Calls A4
 * to A7 follow in both cases.
 */
export interface Authenticator {
  /**
   * Sends the response to an authentication challenge of KSeF.
   * @throws KsefRefusal
   */
  answer(credentials: KsefCredentials, challenge: Challenge): Promise<StartedAuthentication>;
  /** Reloads the public keys of KSeF after KSeF could not decrypt the response to a challenge. */
  reloadKeys(credentials: KsefCredentials): Promise<void>;
}

export interface AuthenticationDeps {
  readonly calls: AuthenticationCalls;
  readonly authenticators: Readonly<Record<Authentication, Authenticator>>;
  /** Milliseconds between two polls of the status of a KSeF login (call A4). */
  readonly pollMs: number;
  readonly nowMs: () => number;
}

const AUTH_POLLS_MAX = 60;
/**
 * Maximum time for which the status of a KSeF authentication is polled. After this time, the login counts as failed and
 * is attempted again later.
 */
const POLL_MS_MAX = 60_000;
const ATTEMPTS_MAX = 2;

/**
 * Logs in to KSeF with the calls A2 to A5, and repeats them once with a new challenge if that may help.
 * @throws KsefRefusal
 */
export async function authenticate(
  { calls, authenticators, pollMs, nowMs }: AuthenticationDeps,
  credentials: KsefCredentials,
): Promise<{ access: Grant; refresh: Grant }> {
  const authenticator = authenticators[credentials.authentication];
  for (let attempt = 1; ; attempt++) {
    try {
      const challenge = await calls.challenge(credentials);
      const started = await authenticator.answer(credentials, challenge);
      const status = await awaitEnd(() => calls.status(credentials, started), { pollMs, nowMs });
      if (status.code >= 300) throw refusalOf(status, credentials);
      return await calls.redeem(credentials, started);
    } catch (error) {
      if (!(error instanceof KsefRefusal)) throw error;
      if (attempt >= ATTEMPTS_MAX || !mayHelpToRepeat(error)) throw ofLogin(error);
      if (isAboutEncryption(error)) await authenticator.reloadKeys(credentials);
    }
  }
}

async function awaitEnd(
  look: () => Promise<KsefStatus>,
  { pollMs, nowMs }: { readonly pollMs: number; readonly nowMs: () => number },
): Promise<KsefStatus> {
  const endsAtMs = nowMs() + POLL_MS_MAX;
  for (let polls = 1; ; polls++) {
    const status = await look();
    if (status.code >= 200) return status;
    if (polls >= AUTH_POLLS_MAX || nowMs() + pollMs > endsAtMs) {
      throw new KsefRefusal('TRANSIENT', 'KSeF did not complete the authentication in time.', {
        code: 'KSEF_AUTH_100',
      });
    }
    await delay(pollMs);
  }
}

/** Marks a refusal of KSeF that concerns a single login only, so that the next login may succeed. */
function ofLogin(error: KsefRefusal): KsefRefusal {
  const kind = error.concerns === 'REFERENCE' ? 'TRANSIENT' : error.kind;
  return new KsefRefusal(kind, error.message, { ...error, isOfLogin: true });
}

const REVOKED = 'The authentication was revoked in KSeF. Test the connection again.';
const CAUSES: Readonly<Record<Authentication, Readonly<Record<number, string>>>> = {
  TOKEN: {
    415: `The owner of the token has no permission in this context. ${GRANT_PERMISSIONS}`,
    425: REVOKED,
    450: 'KSeF does not accept the token. Create a new token in this KSeF environment, and save the connection with it.',
    460: 'KSeF does not accept the certificate.',
    470: 'KSeF refused the owner of the token.',
    480: 'KSeF has blocked the owner of the token after a suspected security incident. Ask the KSeF helpdesk.',
  },
  CERTIFICATE: {
    415: `The holder of the certificate has no permission in this context. ${GRANT_PERMISSIONS}`,
    425: REVOKED,
    450: 'KSeF does not accept the login request.',
    460: 'KSeF does not accept the certificate. It may have been revoked, or it may belong to another KSeF environment. Save the connection again with a valid certificate.',
    470: 'KSeF refused the holder of the certificate.',
    480: 'KSeF has blocked the holder of the certificate after a suspected security incident. Ask the KSeF helpdesk.',
  },
};

/**
 * Returns the refusal for a final authentication status (A4) other than success. See section 3 of the KSeF reference.
 */
function refusalOf({ code, description, details }: KsefStatus, credentials: KsefCredentials): KsefRefusal {
  const said = safeText([description, ...details].join(' '));
  const facts = { code: `KSEF_AUTH_${code}` };
  const cause =
    code === 450 && (ENCRYPTION.test(said) || CHALLENGE.test(said))
      ? loginNotRead(credentials.authentication)
      : CAUSES[credentials.authentication][code];
  if (cause === undefined) {
    return new KsefRefusal(
      'TRANSIENT',
      `KSeF could not complete the authentication (${code}). Try again later. ${said}`,
      facts,
    );
  }
  const message = [cause, hintOf(credentials), said].filter((part) => part !== '').join(' ');
  return new KsefRefusal('PERMANENT', message, { ...facts, concerns: 'CONNECTION' });
}

/**
 * Returns the message for a KSeF login that failed because of its challenge or encryption. KSeF does not identify the
 * token or certificate as the cause, so another token or certificate may not help.
 */
function loginNotRead(authentication: Authentication): string {
  return `KSeF could not read the login request, but did not report that the ${credentialNames[authentication]} is wrong. Test the connection again later. If the error persists, notify the operator.`;
}
const ENCRYPTION = /szyfrowani|kodowani|encrypt|encod/i;
const CHALLENGE = /wyzwani|challenge|czas tokena|token time/i;

/**
 * Returns a hint that the token or certificate may belong to another taxpayer, because KSeF does not explain this
 * mistake.
 */
function hintOf({ authentication, secret, contextNip }: KsefCredentials): string {
  switch (authentication) {
    case 'TOKEN': {
      const nip = /\|nip-(\d{10})\|/i.exec(secret)?.[1];
      const isOther = nip !== undefined && nip !== contextNip;
      return isOther ? 'The token belongs to a different NIP than the KSeF connection.' : '';
    }
    case 'CERTIFICATE': {
      const identity = identityOf(decodeLoginCertificate(secret).certificate);
      const isOther = identity !== undefined && identity.value !== contextNip;
      return isOther ? `The certificate names ${maskedIdentity(identity)}, not the NIP of the KSeF connection.` : '';
    }
  }
}

function mayHelpToRepeat(error: KsefRefusal): boolean {
  const { code, concerns, message } = error;
  if (concerns === 'REFERENCE' || code === 'KSEF_AUTH_425') return true;
  return code === 'KSEF_AUTH_450' && (isAboutEncryption(error) || CHALLENGE.test(message));
}

function isAboutEncryption({ code, message }: KsefRefusal): boolean {
  return code === 'KSEF_AUTH_450' && ENCRYPTION.test(message);
}
