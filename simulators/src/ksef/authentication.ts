import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Answer, Call } from '../erp/call.js';
import type { Clock } from '../erp/clock.js';
import type { TakenFaults } from './faults.js';
import type { Keys } from './keys.js';
import { sha256 } from './keys.js';
import type { LoginCertificates } from './login-certificates.js';
import { identityOf, readLoginDocument } from './login-document.js';
import { hasNipCheckDigit, newReferenceNumber, timestamp } from './numbers.js';
import { readBody } from './read-body.js';
import type { Authentication, Bearer, BearerType, Challenge, Context, Proof, Settings, Status } from './records.js';
import { badRequest, forbidden, Refusal, unauthorized } from './refusal.js';
import type { Store, Table } from './store.js';

const CHALLENGE_MS = 10 * 60_000;
const AUTHENTICATION_MS = 45 * 60_000;
const ACCESS_MS = 15 * 60_000;
const REFRESH_MS = 7 * 86_400_000;
/** Time in milliseconds after which a login operation of the simulated KSeF no longer exists (410). */
const OPERATION_MS = 7 * 86_400_000;
const CLIENT_IP = '127.0.0.1';

const tokenRequest = z.object({
  challenge: z.string().length(36),
  contextIdentifier: z.object({
    type: z.enum(['Nip', 'InternalId', 'NipVatUe', 'PeppolId']),
    value: z.string().min(1),
  }),
  encryptedToken: z.base64().min(1),
  publicKeyId: z.base64().length(44).nullish(),
  authorizationPolicy: z.unknown().optional(),
});

const outcomes: Readonly<Record<number, string>> = {
  100: 'Uwierzytelnianie w toku',
  200: 'Uwierzytelnianie zakończone sukcesem',
  415: 'Uwierzytelnianie zakończone niepowodzeniem',
  425: 'Uwierzytelnienie unieważnione',
  450: 'Uwierzytelnianie zakończone niepowodzeniem z powodu błędnego tokenu',
  460: 'Uwierzytelnianie zakończone niepowodzeniem z powodu błędu certyfikatu',
  470: 'Uwierzytelnianie zakończone niepowodzeniem',
  480: 'Uwierzytelnienie zablokowane',
  500: 'Nieznany błąd',
  550: 'Operacja została anulowana przez system',
};

const TOKEN_METHOD = {
  authenticationMethod: 'Token',
  authenticationMethodInfo: { category: 'Token', code: 'token.ksef', displayName: 'Token KSeF' },
};
const CERTIFICATE_METHOD = {
  authenticationMethod: 'InternalCertificate',
  authenticationMethodInfo: {
    category: 'XadesSignature',
    code: 'xades.internal-certificate',
    displayName: 'Certyfikat KSeF',
  },
};

/** The caller of a KSeF operation and the permissions of the caller. */
export interface Caller {
  readonly context: string;
  readonly permissions: readonly string[];
  readonly proof: Proof;
}

/** Permissions that a company has for itself in the simulated KSeF. */
const OWNER_PERMISSIONS = ['InvoiceWrite', 'InvoiceRead'];

interface AuthenticationDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly contexts: Table<Context>;
  readonly certificates: LoginCertificates;
  readonly settings: () => Settings;
  readonly checksNips: boolean;
  /** True if this is the TEST environment of KSeF, which accepts self-signed certificates and SHA-1. */
  readonly isForTests: boolean;
}

/**
 * Authenticates with a KSeF token or a certificate (calls A1 to A7 and X1) and issues the tokens that authorize all
 * other calls.
 */
export class Authenticator {
  readonly #deps: AuthenticationDeps;
  readonly #challenges: Table<Challenge>;
  readonly #operations: Table<Authentication>;
  readonly #bearers: Table<Bearer>;

  constructor(deps: AuthenticationDeps) {
    this.#deps = deps;
    this.#challenges = deps.store.table('challenges');
    this.#operations = deps.store.table('authentications');
    this.#bearers = deps.store.table('bearers');
  }

  /** Returns the context (NIP) of the token of a KSeF call, even if the token is no longer valid. */
  contextOf(call: Call): string | null {
    return this.#bearers.get(bearerOf(call) ?? '')?.context ?? null;
  }

  /** Invalidates the token with which a call to KSeF was made. */
  kill(call: Call): void {
    const token = bearerOf(call) ?? '';
    const bearer = this.#bearers.get(token);
    if (bearer !== undefined) this.#bearers.put(token, { ...bearer, isDead: true });
  }

  /** Counts successful authentications to KSeF, for one context or for all contexts. */
  count(context: string | undefined): number {
    const all = [...this.#operations.values()];
    return all.filter((one) => one.isRedeemed && (context === undefined || one.context === context)).length;
  }

  /**
   * Returns the caller of a business operation of KSeF. The current permissions of its token apply, and an access token
   * is invalid if its KSeF token was removed or revoked. Changes by `PUT /control/contexts` therefore take effect at
   * once.
   * @throws Refusal 401 or 403
   */
  authorize(call: Call, anyOf?: readonly string[]): Caller {
    const bearer = this.#require(call, ['ContextToken']);
    const operation = this.#operations.get(bearer.authentication);
    const caller = operation === undefined ? undefined : this.#callerOf(operation);
    if (caller === undefined) throw unauthorized('Uwierzytelnienie zostało unieważnione.');
    const { permissions } = caller;
    if (anyOf !== undefined && !permissions.some((permission) => anyOf.includes(permission))) {
      throw forbidden('missing-permissions', {
        requiredAnyOfPermissions: anyOf,
        presentPermissions: permissions,
      });
    }
    return caller;
  }

  /**
   * Returns the caller who started a login to KSeF, or undefined if the token or the certificate is no longer valid.
   */
  #callerOf({ context, token, signed }: Authentication): Caller | undefined {
    if (signed !== undefined) {
      if (this.#deps.certificates.isRevoked(signed)) return undefined;
      return {
        context,
        permissions: this.#permissionsOf(signed.identity, context),
        proof: { tokenReferenceNumber: null, loginHash: signed.hash },
      };
    }
    const known = this.#deps.contexts.get(context)?.tokens.find((one) => one.token === token);
    if (known?.state !== 'ACTIVE') return undefined;
    const { permissions, referenceNumber: tokenReferenceNumber } = known;
    return { context, permissions, proof: { tokenReferenceNumber } };
  }

  #permissionsOf(identity: string, context: string): readonly string[] {
    const granted = this.#deps.contexts.get(context)?.people?.[identity];
    return granted ?? (identity === context ? OWNER_PERMISSIONS : []);
  }

  /** Returns the certificates that KSeF publishes (call A1). */
  certificates(): Answer {
    const body = this.#deps.keys.published().map((pair) => ({
      certificate: pair.certificate,
      certificateId: sha256(Buffer.from(pair.certificate, 'base64')),
      publicKeyId: pair.id,
      validFrom: timestamp(new Date(pair.validFrom)),
      validTo: timestamp(new Date(pair.validTo)),
      usage: [pair.usage],
    }));
    return { status: 200, body };
  }

  /** Creates an authentication challenge for a login to KSeF (call A2). */
  challenge(): Answer {
    const now = this.#deps.clock.now();
    const challenge = newReferenceNumber('CR', now);
    this.#challenges.put(challenge, { timestampMs: now.getTime(), isUsed: false });
    // Digits below a millisecond are added to the time of a login challenge, so that a client that rounds them instead
    // of truncating gets another time.
    const body = {
      challenge,
      timestamp: timestamp(now, '8765'),
      timestampMs: now.getTime(),
      clientIp: CLIENT_IP,
    };
    return { status: 200, body };
  }

  /** Begins a login to KSeF with a token (A3). */
  begin(call: Call): Answer {
    const request = readBody(call, tokenRequest);
    const { type, value } = request.contextIdentifier;
    if (type === 'Nip' && (!/^\d{10}$/.test(value) || (this.#deps.checksNips && !hasNipCheckDigit(value)))) {
      throw badRequest(21_405, 'contextIdentifier.value: nieprawidłowy NIP.');
    }
    const challenge = this.#liveChallenge(request.challenge);
    const keyId = request.publicKeyId ?? undefined;
    if (keyId !== undefined && !this.#deps.keys.isKnown(keyId)) {
      throw badRequest(21_470, `Klucz o identyfikatorze ${keyId} nie jest wspierany.`);
    }
    this.#challenges.put(request.challenge, { ...challenge, isUsed: true });

    const plain = this.#deps.keys.decrypt('KsefTokenEncryption', Buffer.from(request.encryptedToken, 'base64'), keyId);
    const { token, outcome } = this.#verify(plain, type === 'Nip' ? value : '', challenge.timestampMs);
    return this.#start({ context: value, token, outcome });
  }

  /** Begins a login to KSeF with a signed request (X1). */
  beginSigned(call: Call): Answer {
    const { isForTests, checksNips, certificates, clock } = this.#deps;
    const document = readLoginDocument(call.body, { isSha1Taken: isForTests });
    const { challenge: name, contextNip, certificate } = document;
    if (checksNips && !hasNipCheckDigit(contextNip))
      throw badRequest(21_405, 'ContextIdentifier/Nip: nieprawidłowy NIP.');
    const challenge = this.#liveChallenge(name);
    this.#challenges.put(name, { ...challenge, isUsed: true });
    const { serialNumber } = certificate;
    const identity = identityOf(certificate) ?? '';
    const fault = certificates.faultOf(certificate, clock.now(), { isSelfSignedTaken: isForTests });
    const mayCall = this.#permissionsOf(identity, contextNip).length > 0;
    const refused = mayCall ? undefined : toOutcome(415, ['Brak przypisanych uprawnień']);
    return this.#start({
      context: contextNip,
      token: null,
      signed: { identity, serialNumber, hash: sha256(call.body) },
      outcome: fault === undefined ? (refused ?? toOutcome(200)) : toOutcome(460, [fault]),
    });
  }

  #liveChallenge(name: string): Challenge {
    const challenge = this.#challenges.get(name);
    const ageMs = this.#deps.clock.now().getTime() - (challenge?.timestampMs ?? 0);
    if (challenge === undefined || challenge.isUsed || ageMs > CHALLENGE_MS) throw badRequest(21_111);
    return challenge;
  }

  #start(begun: Pick<Authentication, 'context' | 'token' | 'signed' | 'outcome'>): Answer {
    const now = this.#deps.clock.now();
    const referenceNumber = newReferenceNumber('AU', now);
    this.#operations.put(referenceNumber, {
      ...begun,
      referenceNumber,
      startedAt: now.toISOString(),
      looks: 0,
      isRedeemed: false,
      refreshedAt: null,
      refreshValidUntil: null,
    });
    const owner = { authentication: referenceNumber, context: begun.context };
    const authenticationToken = this.#issue('AuthenticationToken', owner);
    return { status: 202, body: { referenceNumber, authenticationToken } };
  }

  /** Returns the status of a login attempt to the simulated KSeF (call A4). */
  status(call: Call, referenceNumber: string, faults: TakenFaults): Answer {
    const bearer = this.#require(call, ['AuthenticationToken', 'ContextToken']);
    const found = this.#operations.get(referenceNumber);
    if (found === undefined) throw unknownOperation(referenceNumber);
    if (found.context !== bearer.context) throw forbidden('insufficient-resource-access');
    const { clock } = this.#deps;
    if (clock.now().getTime() - Date.parse(found.startedAt) > OPERATION_MS) {
      throw new Refusal({ status: 410, description: 'Operacja wygasła.' });
    }
    const forced = faults.effect('AUTH_STATUS');
    const looked: Authentication = {
      ...found,
      looks: found.looks + 1,
      ...(forced === undefined || forced.code < 200 ? {} : { outcome: toOutcome(forced.code, forced.details) }),
    };
    this.#operations.put(referenceNumber, looked);
    const status = forced === undefined ? this.#statusOf(looked) : toOutcome(forced.code, forced.details);
    return {
      status: 200,
      body: {
        startDate: timestamp(new Date(looked.startedAt)),
        ...(looked.signed === undefined ? TOKEN_METHOD : CERTIFICATE_METHOD),
        status,
        isTokenRedeemed: looked.isRedeemed,
        lastTokenRefreshDate: looked.refreshedAt === null ? null : timestamp(new Date(looked.refreshedAt)),
        refreshTokenValidUntil:
          looked.refreshValidUntil === null ? null : timestamp(new Date(looked.refreshValidUntil)),
      },
    };
  }

  /** Issues the access and refresh tokens after a successful login to KSeF (call A5). */
  redeem(call: Call): Answer {
    const bearer = this.#require(call, ['AuthenticationToken']);
    const found = this.#operation(bearer);
    if (found.isRedeemed) {
      throw badRequest(21_301, `Tokeny dla operacji uwierzytelniania ${found.referenceNumber} zostały już pobrane.`);
    }
    const { code } = this.#statusOf(found);
    if (code !== 200) throw badRequest(21_301, `Status uwierzytelniania (${code}) nie pozwala na pobranie tokenów.`);
    this.#requireActive(found);
    const owner = { authentication: found.referenceNumber, context: found.context };
    const accessToken = this.#issue('ContextToken', owner);
    const refreshToken = this.#issue('RefreshToken', owner);
    const refreshValidUntil = new Date(refreshToken.validUntil).toISOString();
    this.#operations.put(found.referenceNumber, { ...found, isRedeemed: true, refreshValidUntil });
    return { status: 200, body: { accessToken, refreshToken } };
  }

  /** Refreshes an access token of the simulated KSeF (call A6). */
  refresh(call: Call): Answer {
    const bearer = this.#require(call, ['RefreshToken']);
    const found = this.#operation(bearer);
    this.#requireActive(found);
    const accessToken = this.#issue('ContextToken', { authentication: found.referenceNumber, context: found.context });
    this.#operations.put(found.referenceNumber, { ...found, refreshedAt: this.#deps.clock.now().toISOString() });
    return { status: 200, body: { accessToken } };
  }

  /** Terminates a KSeF login session (call A7). */
  end(call: Call): Answer {
    const { authentication } = this.#require(call, ['ContextToken', 'RefreshToken']);
    for (const [token, bearer] of this.#bearers.entries()) {
      if (bearer.authentication !== authentication || bearer.type !== 'RefreshToken') continue;
      this.#bearers.put(token, { ...bearer, isDead: true });
    }
    return { status: 204 };
  }

  /** Verifies a decrypted KSeF token and returns its status (KSeF reference, section 3, A4 statuses). */
  #verify(
    plain: Buffer | undefined,
    context: string,
    timestampMs: number,
  ): { readonly token: string | null; readonly outcome: Status } {
    const refuse = (detail: string): { token: null; outcome: Status } => ({
      token: null,
      outcome: toOutcome(450, [detail]),
    });
    if (plain === undefined) return refuse('Nieprawidłowe szyfrowanie tokena');
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(plain);
    } catch {
      return refuse('Nieprawidłowe kodowanie tokena');
    }
    // The KSeF token itself contains separators, so the decrypted text is split at the last separator.
    const at = text.lastIndexOf('|');
    if (at < 0) return refuse('Nieprawidłowe kodowanie tokena');
    const value = text.slice(0, at);
    if (text.slice(at + 1) !== String(timestampMs)) return refuse('Nieprawidłowy czas tokena');
    const owners = [...this.#deps.contexts.values()].filter(({ tokens }) => tokens.some((one) => one.token === value));
    if (owners.length === 0) return refuse('Nieprawidłowy token');
    const token = owners.find(({ nip }) => nip === context)?.tokens.find((one) => one.token === value);
    if (token === undefined) return refuse(`Token nie może być użyty w kontekście ${context}`);
    if (token.state === 'REVOKED') return refuse('Token unieważniony');
    if (token.state === 'INACTIVE') return refuse('Token nieaktywny');
    if (token.permissions.length === 0) {
      return { token: value, outcome: toOutcome(415, ['Brak przypisanych uprawnień']) };
    }
    return { token: value, outcome: toOutcome(200) };
  }

  #statusOf({ looks, outcome }: Authentication): Status {
    return looks > this.#deps.settings().authPolls ? outcome : toOutcome(100);
  }

  #operation(bearer: Bearer): Authentication {
    const found = this.#operations.get(bearer.authentication);
    if (found === undefined) throw unknownOperation(bearer.authentication);
    return found;
  }

  #requireActive(operation: Authentication): void {
    if (this.#callerOf(operation) === undefined) throw badRequest(21_301, 'Uwierzytelnienie zostało unieważnione.');
  }

  /**
   * Returns the valid token with which a call to KSeF was made.
   * @throws Refusal 401
   */
  #require(call: Call, types: readonly BearerType[]): Bearer {
    const bearer = this.#bearers.get(bearerOf(call) ?? '');
    const isValid =
      bearer !== undefined &&
      types.includes(bearer.type) &&
      !bearer.isDead &&
      Date.parse(bearer.validUntil) > this.#deps.clock.now().getTime();
    if (!isValid) throw unauthorized('Wymagane jest uwierzytelnienie.');
    return bearer;
  }

  #issue(
    type: BearerType,
    owner: { readonly authentication: string; readonly context: string },
  ): { readonly token: string; readonly validUntil: string } {
    const lifetimes = { AuthenticationToken: AUTHENTICATION_MS, ContextToken: ACCESS_MS, RefreshToken: REFRESH_MS };
    const now = this.#deps.clock.now().getTime();
    const validUntil = new Date(now + lifetimes[type]);
    const claims = { typ: type, exp: Math.floor(validUntil.getTime() / 1_000), jti: randomBytes(8).toString('hex') };
    const token = [encode({ alg: 'HS256', typ: 'JWT' }), encode(claims), randomBytes(32).toString('base64url')].join(
      '.',
    );
    this.#bearers.put(token, { type, ...owner, validUntil: validUntil.toISOString(), isDead: false });
    return { token, validUntil: timestamp(validUntil) };
  }
}

function toOutcome(code: number, details?: readonly string[]): Status {
  const description = outcomes[code] ?? `Status ${code}`;
  return { code, description, ...(details === undefined ? {} : { details }) };
}

function unknownOperation(referenceNumber: string): Refusal {
  return badRequest(
    21_304,
    `Operacja uwierzytelniania o numerze referencyjnym ${referenceNumber} nie została znaleziona.`,
  );
}

function bearerOf(call: Call): string | undefined {
  return /^Bearer (\S+)$/i.exec(call.headers['authorization'] ?? '')?.[1];
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
