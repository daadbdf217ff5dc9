import { setTimeout as delay } from 'node:timers/promises';
import { safeText } from '../domain/classify-answer.js';
import { KsefRefusal } from '../domain/ksef-refusal.js';
import type { KsefCredentials, KsefStatus } from './ksef-calls.js';

/** A token of KSeF for calls. */
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

/** The calls of authentication that are the same for every way to prove who one is. @throws KsefRefusal */
export interface AuthenticationCalls {
  /** A2 */
  challenge(credentials: KsefCredentials): Promise<Challenge>;
  /** A4 */
  status(credentials: KsefCredentials, started: StartedAuthentication): Promise<KsefStatus>;
  /** A5 */
  redeem(credentials: KsefCredentials, started: StartedAuthentication): Promise<{ access: Grant; refresh: Grant }>;
  /** A6 */
  refresh(credentials: KsefCredentials, refreshToken: string): Promise<Grant>;
  /** A7 */
  end(credentials: KsefCredentials, bearer: string): Promise<void>;
}

/**
 * Answers a challenge: how the caller proves who it is. The token of KSeF is one way (A3). A certificate is another:
 * `POST /auth/xades-signature` with the signed challenge returns the same `StartedAuthentication`, and A4 to A7 follow unchanged.
 */
export interface Authenticator {
  /** @throws KsefRefusal */
  answer(credentials: KsefCredentials, challenge: Challenge): Promise<StartedAuthentication>;
  /** KSeF could not decrypt the answer: the keys are read again before the next one. */
  reloadKeys(credentials: KsefCredentials): Promise<void>;
}

export interface AuthenticationDeps {
  readonly calls: AuthenticationCalls;
  readonly authenticator: Authenticator;
  /** Time between two polls of A4. */
  readonly pollMs: number;
  readonly nowMs: () => number;
}

const AUTH_POLLS_MAX = 60;
/** Time limit of the polls; after it a later attempt follows. */
const POLL_MS_MAX = 60_000;
const ATTEMPTS_MAX = 2;

/** A2 to A5. Repeated once with a new challenge where that may help. @throws KsefRefusal */
export async function authenticate(
  { calls, authenticator, pollMs, nowMs }: AuthenticationDeps,
  credentials: KsefCredentials,
): Promise<{ access: Grant; refresh: Grant }> {
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
      throw new KsefRefusal('TRANSIENT', 'KSeF did not decide on the authentication in time.', {
        code: 'KSEF_AUTH_100',
      });
    }
    await delay(pollMs);
  }
}

/** A refusal of one login says nothing about the next one. */
function ofLogin(error: KsefRefusal): KsefRefusal {
  return error.concerns === 'REFERENCE' ? new KsefRefusal('TRANSIENT', error.message, error) : error;
}

const CAUSES: Readonly<Record<number, string>> = {
  415: 'The owner of the token has no permission in this context. Grant one in KSeF.',
  425: 'The authentication was revoked in KSeF. Test the connection again.',
  450: 'KSeF does not accept the token. Create a new one in this environment of KSeF, and save the connection again.',
  460: 'KSeF does not accept the certificate.',
  470: 'KSeF refused the owner of the token.',
  480: 'KSeF has blocked the owner of the token after a suspected security incident. Ask the KSeF helpdesk.',
};

/** Returns the meaning of a final status of A4 other than a success (KSeF reference, section 3). */
function refusalOf({ code, description, details }: KsefStatus, credentials: KsefCredentials): KsefRefusal {
  const said = safeText([description, ...details].join(' '));
  const facts = { code: `KSEF_AUTH_${code}` };
  const cause = code === 450 && (ENCRYPTION.test(said) || CHALLENGE.test(said)) ? LOGIN_NOT_READ : CAUSES[code];
  if (cause === undefined) {
    return new KsefRefusal('TRANSIENT', `KSeF could not authenticate (${code}). Try again later. ${said}`, facts);
  }
  const message = [cause, hintOf(credentials), said].filter((part) => part !== '').join(' ');
  return new KsefRefusal('PERMANENT', message, { ...facts, concerns: 'CONNECTION' });
}

/** KSeF names its challenge or the encryption, and not the token: that a new one helps is not known. */
const LOGIN_NOT_READ =
  'KSeF could not read the login, but does not say that the token is wrong. Test the connection again later; tell the operator if this persists.';
const ENCRYPTION = /szyfrowani|kodowani|encrypt|encod/i;
const CHALLENGE = /wyzwani|challenge|czas tokena|token time/i;

/** A token of KSeF names its NIP: a mistake that KSeF does not explain. */
function hintOf({ token, contextNip }: KsefCredentials): string {
  const nip = /\|nip-(\d{10})\|/i.exec(token)?.[1];
  return nip === undefined || nip === contextNip ? '' : 'The token belongs to another NIP than the connection.';
}

function mayHelpToRepeat(error: KsefRefusal): boolean {
  const { code, concerns, message } = error;
  if (concerns === 'REFERENCE' || code === 'KSEF_AUTH_425') return true;
  return code === 'KSEF_AUTH_450' && (isAboutEncryption(error) || CHALLENGE.test(message));
}

function isAboutEncryption({ code, message }: KsefRefusal): boolean {
  return code === 'KSEF_AUTH_450' && ENCRYPTION.test(message);
}
