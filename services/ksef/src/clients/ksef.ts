import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { ksefCallLimited } from '../telemetry.js';
import type { z } from 'zod';
import { Access } from '../application/access.js';
import type { CallLimits, LimitSubject } from '../application/call-limits.js';
import type { AuthenticationCalls, AuthenticationDeps, Authenticator } from '../application/authentication.js';
import type {
  Ksef,
  KsefCalls,
  KsefCredentials,
  KsefEnvironment,
  Leaving,
  ListedInvoice,
  NoteWarnings,
  Upo,
} from '../application/ksef-calls.js';
import { UNKNOWN_KEY } from '../domain/classify-answer.js';
import { readSystemWarnings } from '../domain/connection-warnings.js';
import { sha256 } from '../domain/encryption.js';
import type { SessionKey } from '../domain/encryption.js';
import type { InboxRole } from '../domain/inbox.js';
import { KsefRefusal, MISSING_PERMISSIONS, UNREADABLE_ANSWER } from '../domain/ksef-refusal.js';
import { decodeLoginCertificate, requireUnexpired } from '../domain/login-certificate.js';
import { signLoginRequest } from '../domain/login-request.js';
import { dayOfKsefNumber } from '../domain/numbers.js';
import { withoutPermissions } from '../domain/permissions.js';
import { encryptSessionKey, encryptToken } from '../domain/public-keys.js';
import type { PublicKey } from '../domain/public-keys.js';
import type { KsefAnswer, KsefHttpSettings, KsefRequest } from './ksef-http.js';
import { ksefHttp, unexpectedAnswer } from './ksef-http.js';
import { PublicKeys } from './public-keys.js';
import * as answers from './read-answers.js';

export interface KsefSettings extends Pick<KsefHttpSettings, 'urls' | 'requestMs'> {
  /** Factor that multiplies the waits between calls to KSeF, as far as the ksef service itself chooses the waits. */
  readonly waitFactor: number;
  /** Keeps the calls of all replicas within the limits of KSeF. */
  readonly limits: CallLimits;
  /** Stores KSeF warnings about a connection. Without this function, the warnings are only logged. */
  readonly noteWarnings?: NoteWarnings;
}

export interface KsefClient extends Ksef {
  close(): Promise<void>;
}

/**
 * The caller of a request to KSeF: a connection, or the service itself when it reads the public keys of an environment.
 */
type Caller = KsefCredentials | { readonly environment: KsefEnvironment; readonly contextNip: '' };

const FORM_CODE = { systemCode: 'FA (3)', schemaVersion: '1-0E', value: 'FA' };
const SUBJECT_TYPES: Readonly<Record<InboxRole, string>> = {
  SUBJECT2: 'Subject2',
  SUBJECT3: 'Subject3',
  SUBJECT_AUTHORIZED: 'SubjectAuthorized',
};
const AUTH_POLL_MS = 1_000;
const THROTTLED_MS = 60_000;
const BLOCKED_MS = 30 * 60_000;
/** Maximum time that a KSeF call waits for rate limits. A longer wait is returned to the caller. */
const LIMIT_WAIT_MS_MAX = 5_000;
const BYTES_PER_MB = 1_000_000;
const PAGE_SIZE = 1_000;
const PAGES_MAX = 10;
const DAY_MS = 86_400_000;
/** Number of days for which sessions and invoices are listed to find out whether a KSeF connection has a permission. */
const PROBE_DAYS = 1;
const SEARCH_DAYS = 7;
/** Maximum number of KSeF connections whose tokens are in memory. The least recently used connection is evicted. */
const CONNECTIONS_MAX = 10_000;

/**
 * Calls KSeF 2.0 for connections (KSeF reference, sections 2 to 7). The service has one client, because connections
 * share keys and limits.
 */
export function ksefClient({ waitFactor, limits, noteWarnings, ...rest }: KsefSettings, logger: Logger): KsefClient {
  const nowMs = (): number => Date.now();
  const waits = { throttledMs: THROTTLED_MS * waitFactor, blockedMs: BLOCKED_MS * waitFactor };
  const http = ksefHttp({ ...rest, waits }, logger);
  const accesses = new Map<string, Access>();

  /**
   * Stores the pause that a temporary KSeF refusal requires, so that no replica calls the operation before the pause is
   * over.
   */
  async function heed({ kind, httpStatus, retryAfterMs }: KsefRefusal, subject: LimitSubject): Promise<void> {
    if (httpStatus === 429) await limits.block(subject, subject.operation, retryAfterMs ?? waits.throttledMs);
    if (kind === 'BLOCKED') await limits.block(subject, 'EVERY', retryAfterMs ?? waits.blockedMs);
  }

  /** Passes the warnings of a KSeF response to the KSeF connection that sent the request. */
  function warningsOf(caller: Caller): KsefRequest['onWarning'] {
    if (!('connectionId' in caller)) return undefined;
    return (header) =>
      noteWarnings?.(caller, readSystemWarnings(header.replaceAll(caller.secret, '…'))) ?? Promise.resolve();
  }

  /**
   * Sends a request within the rate limits.
   * @throws KsefRefusal
   */
  async function send(
    caller: Caller,
    call: Omit<KsefRequest, 'environment' | 'authentication' | 'onWarning'>,
    beforeRequest?: Leaving['beforeRequest'],
  ): Promise<KsefAnswer> {
    const { environment, contextNip } = caller;
    const authentication = 'authentication' in caller ? caller.authentication : undefined;
    const request: KsefRequest = { ...call, environment, authentication, onWarning: warningsOf(caller) };
    const subject = { environment, contextNip, operation: request.operation };
    const endsAtMs = performance.now() + LIMIT_WAIT_MS_MAX;
    for (;;) {
      const taken = await limits.take(subject);
      if ('end' in taken) {
        try {
          await beforeRequest?.();
          return await http.send(request);
        } catch (error) {
          if (error instanceof KsefRefusal) await heed(error, subject);
          throw error;
        } finally {
          taken.end();
        }
      }
      if (performance.now() + taken.waitMs > endsAtMs) {
        ksefCallLimited(subject.environment, subject.operation);
        const seconds = Math.ceil(taken.waitMs / 1_000);
        const message = `KSeF limits the number of calls of this type. The next call is possible in ${seconds} seconds.`;
        throw new KsefRefusal('TRANSIENT', message, { code: 'KSEF_LIMIT', retryAfterMs: Math.ceil(taken.waitMs) });
      }
      await delay(Math.max(1, Math.ceil(taken.waitMs)));
    }
  }

  async function sendForJson<S extends z.ZodType>(
    caller: Caller,
    call: Omit<KsefRequest, 'environment' | 'authentication' | 'onWarning' | 'accept'>,
    schema: S,
    beforeRequest?: Leaving['beforeRequest'],
  ): Promise<z.infer<S>> {
    const { status, json } = await send(caller, { ...call, accept: 'json' }, beforeRequest);
    const read = schema.safeParse(json);
    if (!read.success) throw unexpectedAnswer(call.operation, status);
    return read.data;
  }

  const keys = new PublicKeys({
    nowMs,
    logger,
    read: (environment) =>
      sendForJson(
        { environment, contextNip: '' },
        { operation: 'A1', method: 'GET', path: '/security/public-key-certificates' },
        answers.certificatesAnswer,
      ),
  });

  /** Repeats a call once with newly read public keys if KSeF refuses its key (21470). */
  async function withCurrentKeys<T>(credentials: KsefCredentials, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof KsefRefusal) || error.code !== UNKNOWN_KEY) throw error;
    }
    await keys.reload(credentials.environment);
    return work();
  }

  const tokenAuthenticator: Authenticator = {
    async answer(credentials, { challenge, timestampMs }) {
      const { environment, contextNip, secret: token } = credentials;
      return withCurrentKeys(credentials, async () => {
        const key = await keys.choose(environment, 'KsefTokenEncryption');
        return sendForJson(
          credentials,
          {
            operation: 'A3',
            method: 'POST',
            path: '/auth/ksef-token',
            json: {
              challenge,
              contextIdentifier: { type: 'Nip', value: contextNip },
              encryptedToken: encryptToken(token, timestampMs, key),
              publicKeyId: key.id,
            },
          },
          answers.beginAnswer,
        );
      });
    },
    async reloadKeys({ environment }) {
      await keys.reload(environment);
    },
  };

  const certificateAuthenticator: Authenticator = {
    async answer(credentials, challenge) {
      const { contextNip, secret } = credentials;
      const login = decodeLoginCertificate(secret);
      requireUnexpired(login.certificate, new Date(challenge.timestampMs));
      return sendForJson(
        credentials,
        {
          operation: 'X1',
          method: 'POST',
          path: '/auth/xades-signature',
          xml: signLoginRequest({ ...challenge, contextNip }, login),
        },
        answers.beginAnswer,
      );
    },
    // Nothing in a login with a certificate is encrypted, so no public keys are needed.
    async reloadKeys() {},
  };

  const authenticationCalls: AuthenticationCalls = {
    challenge: (credentials) =>
      sendForJson(credentials, { operation: 'A2', method: 'POST', path: '/auth/challenge' }, answers.challengeAnswer),
    async status(credentials, { referenceNumber, authenticationToken }) {
      const path = `/auth/${referenceNumber}`;
      const bearer = authenticationToken.token;
      const call = { operation: 'A4', method: 'GET', path, bearer } as const;
      return (await sendForJson(credentials, call, answers.authStatusAnswer)).status;
    },
    async redeem(credentials, { authenticationToken }) {
      const bearer = authenticationToken.token;
      const call = { operation: 'A5', method: 'POST', path: '/auth/token/redeem', bearer } as const;
      const { accessToken, refreshToken } = await sendForJson(credentials, call, answers.redeemAnswer);
      return { access: accessToken, refresh: refreshToken };
    },
    async refresh(credentials, bearer) {
      const call = { operation: 'A6', method: 'POST', path: '/auth/token/refresh', bearer } as const;
      return (await sendForJson(credentials, call, answers.refreshAnswer)).accessToken;
    },
    async end(credentials, bearer) {
      const path = '/auth/sessions/current';
      await send(credentials, { operation: 'A7', method: 'DELETE', path, bearer, accept: 'nothing' });
    },
  };

  const authenticationDeps: AuthenticationDeps = {
    calls: authenticationCalls,
    authenticators: { TOKEN: tokenAuthenticator, CERTIFICATE: certificateAuthenticator },
    pollMs: AUTH_POLL_MS * waitFactor,
    nowMs,
  };

  function accessOf(credentials: KsefCredentials): Access {
    const known = accesses.get(credentials.connectionId);
    const access = known?.isFor(credentials) === true ? known : new Access(authenticationDeps, credentials);
    accesses.delete(credentials.connectionId);
    accesses.set(credentials.connectionId, access);
    const [oldest] = accesses.keys();
    if (accesses.size > CONNECTIONS_MAX && oldest !== undefined) accesses.delete(oldest);
    return access;
  }

  function callsWith(credentials: KsefCredentials, access: () => Access): KsefCalls {
    const { environment, contextNip } = credentials;
    type Call = Omit<KsefRequest, 'environment' | 'authentication' | 'onWarning' | 'bearer' | 'accept'>;
    const ask = <S extends z.ZodType>(call: Call, schema: S, { beforeRequest }: Leaving = {}): Promise<z.infer<S>> =>
      access().during((bearer) => sendForJson(credentials, { ...call, bearer }, schema, beforeRequest));
    const subject = { environment, contextNip };
    const readCallLimits = async (): Promise<void> => {
      const inForce = await ask({ operation: 'LIMITS', method: 'GET', path: '/rate-limits' }, answers.limitsAnswer);
      await limits.state(subject, {
        calls: {
          OPEN: inForce.onlineSession,
          SEND: inForce.invoiceSend,
          ...(inForce.onlineSessionClose ? { CLOSE: inForce.onlineSessionClose } : {}),
          INVOICE: inForce.invoiceStatus,
          INVOICES: inForce.sessionInvoiceList,
          READ: inForce.sessionMisc,
          SESSIONS: inForce.sessionList,
          METADATA: inForce.invoiceMetadata,
          ...(inForce.invoiceExport ? { EXPORT: inForce.invoiceExport } : {}),
          ...(inForce.invoiceExportStatus ? { EXPORT_STATUS: inForce.invoiceExportStatus } : {}),
          ...(inForce.invoiceDownload ? { DOWNLOAD: inForce.invoiceDownload } : {}),
        },
      });
    };
    const readContextLimits = async (): Promise<void> => {
      const call = { operation: 'LIMITS', method: 'GET', path: '/limits/context' } as const;
      const { onlineSession } = await ask(call, answers.contextLimitsAnswer);
      await limits.state(subject, {
        invoiceBytesMax: onlineSession.maxInvoiceSizeInMB * BYTES_PER_MB,
        invoicesOfSessionMax: onlineSession.maxInvoices,
      });
    };
    /** Reads the current limits from KSeF. The published value applies to each limit that KSeF does not state. */
    const readLimits = async (): Promise<void> => {
      if (!(await limits.isDue(subject))) return;
      for (const read of await Promise.allSettled([readCallLimits(), readContextLimits()])) {
        if (read.status === 'fulfilled') continue;
        logger.debug(
          { environment, error: read.reason as unknown },
          'the KSeF limits could not be read; the published limits are used',
        );
      }
    };
    const upo = async (call: Call): Promise<Upo> => {
      const { bytes, headers, status } = await access().during((bearer) =>
        send(credentials, { ...call, bearer, accept: 'xml' }),
      );
      const hash = sha256(bytes);
      const statedHash = headers['x-ms-meta-hash'];
      if (statedHash !== undefined && statedHash !== hash) {
        const message = 'KSeF sent a confirmation that does not match the stated hash.';
        throw new KsefRefusal('TRANSIENT', message, { code: 'KSEF_UPO_HASH', httpStatus: status });
      }
      return { xml: bytes, hash, isHashConfirmed: statedHash !== undefined };
    };
    const below = (sessionReferenceNumber: string): string => `/sessions/${encodeURIComponent(sessionReferenceNumber)}`;

    return {
      openSession: (sessionKey, options) =>
        withCurrentKeys(credentials, async () => {
          await readLimits();
          const { invoicesOfSessionMax = Infinity } = await limits.statedFor(subject);
          if (invoicesOfSessionMax < 1) throw overLimit('KSEF_SESSION_INVOICES', 'accepts no invoices in a session');
          if (options?.hasFreshKeys === true) await keys.reload(environment);
          const key = await keys.choose(environment, 'SymmetricKeyEncryption');
          const json = { formCode: FORM_CODE, encryption: encryptionOf(sessionKey, key) };
          return ask({ operation: 'S1', method: 'POST', path: '/sessions/online', json }, answers.openAnswer, options);
        }),
      async sendInvoice(session, { content, ...facts }, options) {
        const { invoiceBytesMax = Infinity } = await limits.statedFor(subject);
        if (facts.invoiceSize > invoiceBytesMax) {
          throw overLimit('KSEF_INVOICE_SIZE', `accepts invoices of at most ${invoiceBytesMax} bytes`);
        }
        const path = `/sessions/online/${encodeURIComponent(session)}/invoices`;
        const json = { ...facts, encryptedInvoiceContent: content.toString('base64'), offlineMode: false };
        return ask({ operation: 'S2', method: 'POST', path, json }, answers.sendAnswer, options);
      },
      invoiceStatus: (session, invoice) =>
        ask(
          { operation: 'S3', method: 'GET', path: `${below(session)}/invoices/${encodeURIComponent(invoice)}` },
          answers.invoiceAnswer,
        ),
      async sessionInvoices(session) {
        const found: ListedInvoice[] = [];
        let continuationToken: string | null | undefined;
        for (let page = 1; page <= PAGES_MAX; page++) {
          const headers = continuationToken ? { 'x-continuation-token': continuationToken } : {};
          const path = `${below(session)}/invoices?pageSize=${PAGE_SIZE}`;
          const answer = await ask({ operation: 'S4', method: 'GET', path, headers }, answers.invoicesAnswer);
          found.push(...answer.invoices);
          continuationToken = answer.continuationToken;
          if (!continuationToken) return found;
        }
        const message = `The KSeF session has more than ${PAGES_MAX} pages of invoices.`;
        throw new KsefRefusal('TRANSIENT', message, { code: UNREADABLE_ANSWER });
      },
      async closeSession(session) {
        const path = `/sessions/online/${encodeURIComponent(session)}/close`;
        await access().during((bearer) =>
          send(credentials, { operation: 'S5', method: 'POST', path, bearer, accept: 'nothing' }),
        );
      },
      async sessionStatus(session) {
        const answer = await ask({ operation: 'S6', method: 'GET', path: below(session) }, answers.sessionAnswer);
        return {
          status: answer.status,
          validUntil: answer.validUntil ?? undefined,
          upoReferenceNumbers: (answer.upo?.pages ?? []).map(({ referenceNumber }) => referenceNumber),
        };
      },
      upo: (session, reference) =>
        upo({ operation: 'S7', method: 'GET', path: `${below(session)}/upo/${encodeURIComponent(reference)}` }),
      invoiceUpo: (session, invoice) =>
        upo({ operation: 'S8', method: 'GET', path: `${below(session)}/invoices/${encodeURIComponent(invoice)}/upo` }),
      async probePermission() {
        const from = new Date(nowMs() - PROBE_DAYS * DAY_MS).toISOString();
        const path = `/sessions?sessionType=Online&pageSize=10&dateCreatedFrom=${encodeURIComponent(from)}`;
        await ask({ operation: 'S9', method: 'GET', path }, answers.sessionsAnswer);
      },
      async probeViewPermission() {
        const from = new Date(nowMs() - PROBE_DAYS * DAY_MS).toISOString();
        const json = { subjectType: 'Subject2', dateRange: { dateType: 'PermanentStorage', from } };
        const path = '/invoices/query/metadata?pageSize=10';
        await ask({ operation: 'S10', method: 'POST', path, json }, answers.metadataAnswer);
      },
      async findInvoice(ksefNumber) {
        const day = dayOfKsefNumber(ksefNumber).getTime();
        const json = {
          subjectType: 'Subject1',
          dateRange: {
            dateType: 'Invoicing',
            from: new Date(day - SEARCH_DAYS * DAY_MS).toISOString(),
            to: new Date(day + SEARCH_DAYS * DAY_MS).toISOString(),
          },
          ksefNumber,
        };
        const path = '/invoices/query/metadata?pageSize=10';
        const answer = await ask({ operation: 'S10', method: 'POST', path, json }, answers.metadataAnswer);
        return answer.invoices.find((invoice) => invoice.ksefNumber === ksefNumber);
      },
      startExport: (exportKey, { role, from, to }, options) =>
        withCurrentKeys(credentials, async () => {
          if (options?.hasFreshKeys === true) await keys.reload(environment);
          const key = await keys.choose(environment, 'SymmetricKeyEncryption');
          const json = {
            encryption: encryptionOf(exportKey, key),
            filters: {
              subjectType: SUBJECT_TYPES[role],
              dateRange: {
                dateType: 'PermanentStorage',
                from,
                ...(to === undefined ? {} : { to }),
                restrictToPermanentStorageHwmDate: true,
              },
            },
            compressionType: 'Zip',
          };
          const call = { operation: 'R1', method: 'POST', path: '/invoices/exports', json } as const;
          return ask(call, answers.startExportAnswer);
        }),
      exportStatus: (referenceNumber) =>
        ask(
          { operation: 'R2', method: 'GET', path: `/invoices/exports/${encodeURIComponent(referenceNumber)}` },
          answers.exportStatusAnswer,
        ),
      async invoice(ksefNumber) {
        const path = `/invoices/ksef/${encodeURIComponent(ksefNumber)}`;
        const { bytes: xml, headers } = await access().during((bearer) =>
          send(credentials, { operation: 'R5', method: 'GET', path, bearer, accept: 'xml' }),
        );
        return { xml, statedHash: headers['x-ms-meta-hash'] };
      },
    };
  }

  /**
   * Terminates a login session at KSeF to tidy up. A failure has no consequences and is only counted (`ksef.calls`,
   * operation A7).
   */
  async function endLogin(access: Access, connectionId: string): Promise<void> {
    try {
      await access.end();
    } catch (error) {
      logger.warn({ connectionId, error }, 'A KSeF login could not be revoked; it lasts until its tokens expire.');
    }
  }

  return {
    callsOf: (credentials) => callsWith(credentials, () => accessOf(credentials)),
    async test(credentials) {
      // The test of a KSeF connection uses a separate login, because tokens of other logins could hide that the stored
      // secret is no longer valid.
      const access = new Access(authenticationDeps, credentials);
      const calls = callsWith(credentials, () => access);
      try {
        if (await isPermitted(calls.probePermission())) return { isReadOnly: false };
        if (await isPermitted(calls.probeViewPermission())) return { isReadOnly: true };
        throw new KsefRefusal('PERMANENT', withoutPermissions(credentials.authentication), {
          code: 'KSEF_HTTP_403',
          httpStatus: 403,
          reasonCode: MISSING_PERMISSIONS,
          concerns: 'CONNECTION',
        });
      } finally {
        await endLogin(access, credentials.connectionId);
      }
    },
    async endAccess(connectionId) {
      const access = accesses.get(connectionId);
      accesses.delete(connectionId);
      if (access !== undefined) await endLogin(access, connectionId);
    },
    async close() {
      http.close();
      await limits.close();
    },
  };
}

/**
 * Returns true if the given check of a permission succeeded, and false if KSeF refused it because the permission is
 * missing.
 * @throws KsefRefusal if KSeF refuses the call for another reason
 */
async function isPermitted(probe: Promise<void>): Promise<boolean> {
  try {
    await probe;
    return true;
  } catch (error) {
    if (error instanceof KsefRefusal && error.isAboutPermission) return false;
    throw error;
  }
}

/** Returns the key of a KSeF session or an export in the form that the calls S1 and R1 require. */
function encryptionOf(sessionKey: SessionKey, key: PublicKey) {
  return {
    encryptedSymmetricKey: encryptSessionKey(sessionKey, key),
    initializationVector: sessionKey.iv.toString('base64'),
    publicKeyId: key.id,
  };
}

/** Returns the refusal for a document that exceeds the limits that KSeF states for the taxpayer. */
function overLimit(code: string, fact: string): KsefRefusal {
  return new KsefRefusal('PERMANENT', `KSeF ${fact} for this NIP. Ask KSeF for a higher limit, then submit again.`, {
    code,
  });
}
