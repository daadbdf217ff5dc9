import type { Authentication } from './connection.js';
import { KsefRefusal, MISSING_PERMISSIONS } from './ksef-refusal.js';
import type { RefusalFacts, RefusalScope } from './ksef-refusal.js';
import { safeText } from './ksef-text.js';
import { credentialNames, lackOf } from './permissions.js';

/**
 * Calls by their names in sections 3, 5, 18 and 19 of the KSeF reference. The call R3 downloads a file from the storage
 * and needs no login.
 */
export type Operation =
  | 'A1'
  | 'A2'
  | 'A3'
  | 'A4'
  | 'A5'
  | 'A6'
  | 'A7'
  | 'X1'
  | 'S1'
  | 'S2'
  | 'S3'
  | 'S4'
  | 'S5'
  | 'S6'
  | 'S7'
  | 'S8'
  | 'S9'
  | 'S10'
  | 'R1'
  | 'R2'
  | 'R3'
  | 'R5'
  | 'LIMITS';

/** Response of KSeF whose HTTP status means failure. */
export interface RefusedAnswer {
  readonly operation: Operation;
  /** Login of the KSeF connection that made the call. Absent for a call without a login. */
  readonly authentication?: Authentication | undefined;
  readonly status: number;
  /**
   * Parsed body of an unsuccessful KSeF response. Undefined unless the content type is JSON and the body can be parsed.
   */
  readonly json: unknown;
  readonly retryAfterMs: number | undefined;
}

export interface Waits {
  /** Time to wait in milliseconds after a 429 response of KSeF that states no time. */
  readonly throttledMs: number;
  /** Time to wait in milliseconds after a block by the KSeF gateway. */
  readonly blockedMs: number;
}

/** Code for a key that KSeF does not know or no longer knows. */
export const UNKNOWN_KEY = 'KSEF_API_21470';
/** Title of the response to a request that the KSeF gateway blocked. No reason code has this form. */
const REQUEST_BLOCKED = 'Request blocked';
const TEXTS_MAX = 50;

/** Meaning of an error that KSeF returns, with a sentence for users to which the message from KSeF is appended. */
interface Meaning {
  readonly kind: 'TRANSIENT' | 'BLOCKED' | 'SESSION' | 'PERMANENT';
  readonly concerns?: RefusalScope;
  readonly sentence?: string | ((authentication: Authentication) => string);
}

/**
 * Calls to which a row of the KSeF error table applies: the calls of a login (A1 to A7), all other calls, a single
 * call, or all calls.
 */
type Calls = 'LOGIN' | 'OTHERS' | 'ALL' | Operation;

interface KnownError {
  readonly status: number;
  /**
   * Reason of a 403 response of KSeF, {@link REQUEST_BLOCKED} for a block by the gateway, or code of a 400 response.
   */
  readonly says?: string | number;
  readonly calls: Calls;
  readonly meaning: Meaning;
}

const CALL: Meaning = { kind: 'PERMANENT', concerns: 'CALL' };
const REFERENCE: Meaning = { kind: 'PERMANENT', concerns: 'REFERENCE' };
const SESSION: Meaning = { kind: 'SESSION' };
const CONNECTION: Meaning = { kind: 'PERMANENT', concerns: 'CONNECTION' };
const BLOCKED: Meaning = {
  kind: 'BLOCKED',
  sentence: 'KSeF blocks calls from this installation. The call is retried in half an hour.',
};

/**
 * Maps the errors that KSeF documents to their meanings (KSeF reference, sections 3, 5 and 6; full table:
 * docs/reference/ksef-answers.md). The first matching row applies. Errors that are not listed are treated as an outage
 * and retried.
 */
const KNOWN_ERRORS: readonly KnownError[] = [
  // A 401 response means that the access tokens of a KSeF login are no longer valid. Another login shows whether the
  // stored KSeF token is still valid.
  { status: 401, calls: 'LOGIN', meaning: REFERENCE },
  {
    status: 401,
    calls: 'OTHERS',
    meaning: { ...CONNECTION, sentence: 'KSeF does not accept the authentication even after a new login.' },
  },
  // Looking up and receiving invoices in KSeF requires another permission than sending invoices.
  {
    status: 403,
    says: MISSING_PERMISSIONS,
    calls: 'S10',
    meaning: { ...REFERENCE, sentence: (authentication) => `${lackOf('InvoiceRead', authentication)}.` },
  },
  ...(['R1', 'R2', 'R5'] as const).map((calls) => ({
    status: 403,
    says: MISSING_PERMISSIONS,
    calls,
    meaning: {
      ...REFERENCE,
      sentence: (authentication: Authentication) =>
        `${lackOf('InvoiceRead', authentication)}, so the inbox receives nothing. Grant InvoiceRead in KSeF, then start the runs of the inbox.`,
    },
  })),
  {
    status: 403,
    says: MISSING_PERMISSIONS,
    calls: 'ALL',
    meaning: {
      ...CONNECTION,
      sentence: (authentication) =>
        `${lackOf('InvoiceWrite', authentication)}. Grant InvoiceWrite in KSeF, then test the connection.`,
    },
  },
  {
    status: 403,
    says: 'ip-not-allowed',
    calls: 'ALL',
    meaning: {
      ...CONNECTION,
      sentence:
        'KSeF does not accept calls from the IP address of this installation (ip-not-allowed). Allow the address in KSeF, then test the connection.',
    },
  },
  {
    status: 403,
    says: 'auth-method-not-allowed',
    calls: 'ALL',
    meaning: {
      ...CONNECTION,
      sentence: (authentication) =>
        `KSeF does not accept this call after a login with a ${credentialNames[authentication]} (auth-method-not-allowed). Ask the KSeF helpdesk.`,
    },
  },
  {
    status: 403,
    says: 'context-type-not-allowed',
    calls: 'ALL',
    meaning: {
      ...CONNECTION,
      sentence: 'KSeF does not accept this call for a NIP (context-type-not-allowed). Ask the KSeF helpdesk.',
    },
  },
  {
    status: 403,
    says: 'insufficient-resource-access',
    calls: 'ALL',
    meaning: {
      ...REFERENCE,
      sentence: 'KSeF refused this connection access to the requested resource (insufficient-resource-access).',
    },
  },
  { status: 403, says: 'security-service-blocked', calls: 'ALL', meaning: BLOCKED },
  { status: 403, says: REQUEST_BLOCKED, calls: 'ALL', meaning: BLOCKED },
  { status: 404, calls: 'ALL', meaning: REFERENCE },
  { status: 410, calls: 'ALL', meaning: REFERENCE },
  // An invalid challenge, key or login does not mean that the KSeF token is invalid.
  { status: 400, says: 21_111, calls: 'LOGIN', meaning: REFERENCE },
  { status: 400, says: 21_470, calls: 'LOGIN', meaning: REFERENCE },
  { status: 400, says: 21_301, calls: 'LOGIN', meaning: REFERENCE },
  { status: 400, says: 21_304, calls: 'LOGIN', meaning: REFERENCE },
  { status: 400, says: 21_308, calls: 'LOGIN', meaning: CONNECTION },
  { status: 400, says: 21_405, calls: 'LOGIN', meaning: CONNECTION },
  ...[9_101, 9_102, 9_103, 9_105, 21_001, 21_217, 21_401, 21_406].map((says) => ({
    status: 400,
    says,
    calls: 'X1' as const,
    meaning: { ...CONNECTION, sentence: 'KSeF does not accept the signature made with the certificate.' },
  })),
  ...[21_115, 21_117].map((says) => ({
    status: 400,
    says,
    calls: 'X1' as const,
    meaning: {
      ...CONNECTION,
      sentence: 'KSeF does not accept the certificate. Save the connection again with another certificate.',
    },
  })),
  { status: 400, says: 21_175, calls: 'R2', meaning: REFERENCE },
  {
    status: 400,
    says: 21_164,
    calls: 'R5',
    meaning: { ...REFERENCE, sentence: 'KSeF has no invoice with this KSeF number for this NIP.' },
  },
  { status: 400, says: 21_181, calls: 'R1', meaning: CALL },
  { status: 400, says: 21_155, calls: 'OTHERS', meaning: SESSION },
  { status: 400, says: 21_173, calls: 'OTHERS', meaning: SESSION },
  { status: 400, says: 21_180, calls: 'OTHERS', meaning: SESSION },
  { status: 400, says: 21_184, calls: 'OTHERS', meaning: SESSION },
  { status: 400, says: 21_178, calls: 'OTHERS', meaning: REFERENCE },
  { status: 400, says: 21_166, calls: 'OTHERS', meaning: CALL },
  { status: 400, says: 21_167, calls: 'OTHERS', meaning: CALL },
  { status: 400, says: 21_183, calls: 'OTHERS', meaning: CALL },
  { status: 400, says: 21_402, calls: 'OTHERS', meaning: CALL },
  { status: 400, says: 21_403, calls: 'OTHERS', meaning: CALL },
  { status: 400, says: 21_405, calls: 'OTHERS', meaning: CALL },
  { status: 400, says: 21_470, calls: 'OTHERS', meaning: CALL },
];

/** Returns the meaning of an unsuccessful KSeF response for the caller. */
export function classifyAnswer(
  { operation, authentication = 'TOKEN', status, json, retryAfterMs }: RefusedAnswer,
  waits: Waits,
): KsefRefusal {
  const isOfLogin = isLogin(operation);
  const http = { code: `KSEF_HTTP_${status}`, httpStatus: status, isOfLogin };
  const read = readError(json);
  if (status === 429) {
    const message = 'KSeF currently accepts no more calls of this type. The call is retried later.';
    return new KsefRefusal('TRANSIENT', message, { ...http, retryAfterMs: retryAfterMs ?? waits.throttledMs });
  }
  // When the gateway in front of KSeF blocks a call, it gives no reason and often sends no body. A 403 response without
  // readable content therefore counts as a block. The exception is the call that ends a login (A7), to which KSeF
  // itself often responds with an empty 403.
  const isBlock = status === 403 && (read.isOwn ? read.isBlock : operation !== 'A7');
  // An error response of an unknown form was sent by a proxy in front of KSeF, or by KSeF during a failure.
  if (status >= 500 || status < 400 || status === 408 || !(read.isOwn || isBlock)) {
    const message =
      status >= 300 && status < 400
        ? 'KSeF responded with a redirect, and redirects are not followed.'
        : `KSeF responded with HTTP status ${status} and unreadable content.`;
    return foreignAnswer(operation, message, { ...http, retryAfterMs });
  }
  const reason = read.reasonCode ?? (isBlock ? REQUEST_BLOCKED : undefined);
  const said = status === 403 ? reason : status === 400 ? read.code : undefined;
  const code = status === 400 && said !== undefined ? `KSEF_API_${said}` : http.code;
  const named = said ?? `status ${status}`;
  const meaning = meaningOf(operation, status, said);
  const stated = meaning?.sentence ?? `KSeF refused the call (${named}).`;
  const sentence = typeof stated === 'string' ? stated : stated(authentication);
  const { kind, concerns } = meaning ?? { kind: 'TRANSIENT' as const, concerns: undefined };
  return new KsefRefusal(kind, kind === 'BLOCKED' ? sentence : `${sentence} ${read.text}`, {
    ...http,
    code,
    reasonCode: reason,
    retryAfterMs: kind === 'BLOCKED' ? Math.max(retryAfterMs ?? 0, waits.blockedMs) : retryAfterMs,
    ...(concerns === undefined ? {} : { concerns }),
    ...(kind === 'BLOCKED' ? { incidentId: read.incidentId } : {}),
  });
}

function isLogin(operation: Operation): boolean {
  return operation.startsWith('A') || operation === 'X1';
}

/**
 * Returns the meaning of a KSeF error.
 * @returns undefined for an error that is not in the documentation of KSeF
 */
function meaningOf(operation: Operation, status: number, said: string | number | undefined): Meaning | undefined {
  const group = isLogin(operation) ? 'LOGIN' : 'OTHERS';
  const fits = ({ calls }: KnownError): boolean => calls === 'ALL' || calls === operation || calls === group;
  return KNOWN_ERRORS.find((row) => row.status === status && row.says === said && fits(row))?.meaning;
}

/**
 * Returns the refusal for a missing response to a KSeF call, or for a response that KSeF did not write. A sent document
 * may still have arrived.
 */
export function foreignAnswer(
  operation: Operation,
  message: string,
  facts: Omit<RefusalFacts, 'concerns' | 'incidentId'>,
): KsefRefusal {
  return new KsefRefusal(operation === 'S2' ? 'UNKNOWN' : 'TRANSIENT', message, facts);
}

interface ReadError {
  /** Code of the first error that the KSeF response lists. */
  readonly code: number | undefined;
  readonly reasonCode: string | undefined;
  readonly incidentId: string | undefined;
  /**
   * True if the response shows that the gateway of KSeF blocked the call. Like KSeF itself, the gateway sends problem
   * details.
   */
  readonly isBlock: boolean;
  readonly text: string;
  /** True if the error response has a form that KSeF uses. A proxy in front of KSeF sends other JSON. */
  readonly isOwn: boolean;
}

/**
 * Reads an error response of KSeF in the form of problem details or in the older form. Members of other types are
 * ignored.
 */
function readError(json: unknown): ReadError {
  const problem = objectOf(json);
  const errors = listOf(problem['errors']).map(objectOf);
  const older = listOf(objectOf(problem['exception'])['exceptionDetailList']).map(objectOf);
  const status = objectOf(problem['status']);
  const texts = [
    ...errors.flatMap(({ description, details }) => [description, ...listOf(details)]),
    ...older.flatMap(({ exceptionDescription, details }) => [exceptionDescription, ...listOf(details)]),
    status['description'],
    ...listOf(status['details']),
  ];
  const said = texts.filter((text) => typeof text === 'string' && text !== '').slice(0, TEXTS_MAX);
  const { detail, reasonCode } = problem;
  const { incidentId } = objectOf(problem['security']);
  if (said.length === 0 && typeof detail === 'string') said.push(detail);
  const [code] = [...errors.map((error) => error['code']), ...older.map((error) => error['exceptionCode'])].filter(
    (value): value is number => typeof value === 'number' && Number.isInteger(value),
  );
  return {
    code,
    // The reason code from KSeF becomes part of the error message, so only safe characters are accepted.
    reasonCode: typeof reasonCode === 'string' && /^[a-z-]{1,60}$/.test(reasonCode) ? reasonCode : undefined,
    // The incident id of KSeF is written to the log.
    incidentId: typeof incidentId === 'string' && /^[\w-]{1,100}$/.test(incidentId) ? incidentId : undefined,
    isBlock: problem['title'] === REQUEST_BLOCKED || typeof incidentId === 'string',
    text: safeText(said.map(String).join(' ')),
    isOwn: code !== undefined || (typeof problem['title'] === 'string' && typeof problem['status'] === 'number'),
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, TEXTS_MAX) : [];
}
