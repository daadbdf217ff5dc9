import { cleanLine } from '@invoicecontrol/values/readable-text';
import { KsefRefusal } from './ksef-refusal.js';

/** Calls by their names in sections 3 and 5 of the KSeF reference. */
export type Operation =
  | 'A1'
  | 'A2'
  | 'A3'
  | 'A4'
  | 'A5'
  | 'A6'
  | 'A7'
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
  | 'LIMITS';

/** An answer that is no success. */
export interface RefusedAnswer {
  readonly operation: Operation;
  readonly status: number;
  /** Undefined unless the content type says JSON and the body is JSON. */
  readonly json: unknown;
  readonly retryAfterMs: number | undefined;
}

export interface Waits {
  /** After a 429 that does not say how long. */
  readonly throttledMs: number;
  /** After a block of the gateway. */
  readonly blockedMs: number;
}

const SESSION_CODES: ReadonlySet<number> = new Set([21_155, 21_173, 21_180, 21_184]);
/** A key that KSeF does not know, or not any more. */
export const UNKNOWN_KEY = 'KSEF_API_21470';
export const BAD_CHALLENGE = 'KSEF_API_21111';
const TEXTS_MAX = 50;
const TEXT_MAX = 1_000;

/** What an answer other than a success means for the caller (KSeF reference, section 6). */
export function classifyAnswer({ operation, status, json, retryAfterMs }: RefusedAnswer, waits: Waits): KsefRefusal {
  const code = `KSEF_HTTP_${status}`;
  const isAboutAccess = operation.startsWith('A');
  const http = { code, httpStatus: status, isAboutAccess };
  const read = readError(json);
  if (status === 429) {
    return new KsefRefusal(
      'TRANSIENT',
      'KSeF takes no more calls of this kind at the moment. The call is repeated later.',
      {
        ...http,
        retryAfterMs: retryAfterMs ?? waits.throttledMs,
      },
    );
  }
  if (status === 401)
    return new KsefRefusal('PERMANENT', `KSeF does not accept the authentication. ${read.text}`, http);
  if (status === 403) {
    if (read.reasonCode === undefined || read.reasonCode === 'security-service-blocked') {
      return new KsefRefusal(
        'BLOCKED',
        'KSeF blocks calls from this installation. The call is repeated in half an hour.',
        {
          ...http,
          retryAfterMs: Math.max(retryAfterMs ?? 0, waits.blockedMs),
          incidentId: read.incidentId,
        },
      );
    }
    if (read.reasonCode === 'missing-permissions') {
      const message = `The token lacks a permission in this context. Give it InvoiceWrite in KSeF. ${read.text}`;
      return new KsefRefusal('PERMANENT', message, http);
    }
    return new KsefRefusal('PERMANENT', `KSeF refuses access (${read.reasonCode}). ${read.text}`, http);
  }
  // From a proxy in front of KSeF, or from KSeF while it fails.
  if (status >= 500 || status < 400 || status === 408 || !read.isOwn) {
    const message =
      status >= 300 && status < 400
        ? 'KSeF answered with a redirect. Redirects are not followed.'
        : `KSeF answered with status ${status} and nothing that can be read.`;
    return foreignAnswer(operation, message, { ...http, retryAfterMs });
  }
  if (status === 400 && read.code !== undefined) {
    const api = { ...http, code: `KSEF_API_${read.code}` };
    const kind = SESSION_CODES.has(read.code) && operation.startsWith('S') ? 'SESSION' : 'PERMANENT';
    return new KsefRefusal(kind, `KSeF refuses the call (${read.code}). ${read.text}`, api);
  }
  return new KsefRefusal('PERMANENT', `KSeF refuses the call with status ${status}. ${read.text}`, http);
}

/** No answer, or none that KSeF gives: a document that was sent may have arrived all the same. */
export function foreignAnswer(
  operation: Operation,
  message: string,
  facts: { readonly code: string; readonly httpStatus?: number; readonly retryAfterMs?: number | undefined },
): KsefRefusal {
  return new KsefRefusal(operation === 'S2' ? 'UNKNOWN' : 'TRANSIENT', message, facts);
}

interface ReadError {
  /** Of the first error. */
  readonly code: number | undefined;
  readonly reasonCode: string | undefined;
  readonly incidentId: string | undefined;
  readonly text: string;
  /** Whether it has a form of KSeF; other JSON is from a proxy in front of it. */
  readonly isOwn: boolean;
}

/** Reads problem details and the older form; whatever else the members hold is passed over. */
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
    // The name of a reason is part of our message.
    reasonCode: typeof reasonCode === 'string' && /^[a-z-]{1,60}$/.test(reasonCode) ? reasonCode : undefined,
    // It goes to the log.
    incidentId: typeof incidentId === 'string' && /^[\w-]{1,100}$/.test(incidentId) ? incidentId : undefined,
    text: safeText(said.map(String).join(' ')),
    isOwn: code !== undefined || (typeof problem['title'] === 'string' && typeof problem['status'] === 'number'),
  };
}

/** Text of KSeF as it may be shown: cut, in one line, without NIPs, addresses, bearer tokens and tokens of KSeF. */
export function safeText(text: string): string {
  return plainText(text)
    .replace(/\S*\|\S*\|\S*/g, '…')
    .replace(/\b(?:eyJ[\w-]+\.[\w.-]+|[0-9a-f]{64})\b/gi, '…')
    .replace(/\bhttps?:\/\/\S+/gi, '…')
    .replace(/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, '…')
    .replace(/(?<!\d)\d{6}(\d{4})(?!\d)/g, '******$1');
}

/** Text of KSeF in one line that people can read, and cut. */
export function plainText(text: string): string {
  return cleanLine(text, TEXT_MAX);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, TEXTS_MAX) : [];
}
