import { randomInt } from 'node:crypto';

/** The service answers within 130 s, with 504 when the scan takes longer. */
const REQUEST_TIMEOUT_MS = 180_000;
/** Broken connections and answers that a repeat can help. */
const TRIES_MAX = 6;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;
/** How long a chunk waits in all for its turn: another scan, the rate limit. */
const TURN_WAIT_MS_MAX = 15 * 60_000;
/** No answer is repeated sooner, and where one asks for more it is asked again after the longest. */
const SINGLE_WAIT_MS_MIN = 1_000;
const SINGLE_WAIT_MS_MAX = 120_000;
const repeatable = new Set([500, 502, 503, 504]);

/** The answer of POST /scans (specification 2.9). */
export interface ScanResult {
  readonly id: string;
  readonly invoicesAnalyzed: number;
  readonly rowsSkipped: number;
  readonly skippedRows: readonly {
    readonly sourceRowNumber: number;
    readonly externalId: string;
    readonly reason: string;
  }[];
  readonly analyzedValue: string;
  readonly analyzedValueCurrency: string;
  readonly unconvertedInvoices: number;
  readonly decisionCounts: Readonly<Record<string, number>>;
  readonly findingCounts: Readonly<Record<string, number>>;
}

export type Outcome =
  | { readonly kind: 'scanned'; readonly scan: ScanResult; readonly wasSentBefore: boolean }
  /** Every externalId was imported before. */
  | { readonly kind: 'nothing-new' };

/** The service did not take a chunk; repeating at once would not help. */
export class ScanRefused extends Error {
  readonly status: number | undefined;
  readonly details: readonly FieldFault[];

  constructor(message: string, { status, details = [] }: { status?: number; details?: readonly FieldFault[] } = {}) {
    super(message);
    this.name = 'ScanRefused';
    this.status = status;
    this.details = details;
  }
}

export interface FieldFault {
  /** `rows[17].issueDate`. */
  readonly path: string;
  readonly message: string;
}

export interface ApiOptions {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Ends requests and pauses. */
  readonly signal: AbortSignal;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Told before each pause: what happened, and for how long. */
  readonly onPause: (reason: string, ms: number) => void;
}

export interface ScanApi {
  /**
   * Sends one chunk until it is answered.
   * @throws ScanRefused; whatever ended `signal`
   */
  createScan(request: ScanRequest): Promise<Outcome>;
  /** The severities that findings of each type can have, least severe first; empty where the key may not read them. */
  findingSeverities(): Promise<ReadonlyMap<string, readonly string[]>>;
}

export interface ScanRequest {
  readonly body: string;
  readonly idempotencyKey: string;
  /** Only then can a refusal mean that there is nothing new. */
  readonly everyRowHasExternalId: boolean;
}

export function scanApi(options: ApiOptions): ScanApi {
  return {
    createScan: (request) => createScan(options, request),
    findingSeverities: () => findingSeverities(options),
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

async function createScan(options: ApiOptions, request: ScanRequest): Promise<Outcome> {
  let tries = 0;
  let waitedMs = 0;
  for (;;) {
    const answer = await attempt(options, request);
    if (answer instanceof Error || repeatable.has(answer.status)) {
      tries += 1;
      const reason = answer instanceof Error ? answer.message : sentenceOf(answer);
      if (tries === TRIES_MAX) throw new ScanRefused(`${reason} (tried ${TRIES_MAX} times)`, statusOf(answer));
      const asked = answer instanceof Error ? undefined : retryAfterMs(answer.headers);
      await pause(options, reason, asked ?? backoffMs(tries));
      continue;
    }
    const turnMs = msUntilTurn(answer);
    if (turnMs === undefined) return outcomeOf(answer, request);
    if (waitedMs + turnMs > TURN_WAIT_MS_MAX) {
      throw new ScanRefused(
        `${sentenceOf(answer)} (waited ${Math.round(waitedMs / 60_000)} minutes)`,
        statusOf(answer),
      );
    }
    waitedMs += turnMs;
    await pause(options, sentenceOf(answer), turnMs);
  }
}

/** An answer, or the error of a connection that broke. */
async function attempt(options: ApiOptions, request: ScanRequest): Promise<Answer | Error> {
  try {
    return await call(options, 'POST', '/scans', request.body, { 'idempotency-key': request.idempotencyKey });
  } catch (error) {
    options.signal.throwIfAborted();
    return new Error(connectionTrouble(options.baseUrl, error));
  }
}

async function call(
  { baseUrl, apiKey, signal }: ApiOptions,
  method: string,
  path: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    // The key is for this address and no other.
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parseJson(text) };
}

/** How long a chunk has to wait that the service would take later; undefined when waiting does not help. */
function msUntilTurn({ status, headers, body }: Answer): number | undefined {
  const asked = retryAfterMs(headers);
  if (status === 429) return errorOf(body)?.code === 'RATE_LIMITED' ? (asked ?? SINGLE_WAIT_MS_MAX / 2) : undefined;
  return status === 409 ? asked : undefined;
}

function outcomeOf(answer: Answer, { everyRowHasExternalId }: ScanRequest): Outcome {
  const { status, headers, body } = answer;
  if (status === 201) {
    if (!isScanResult(body))
      throw new ScanRefused('The answer is not that of a scan. Does --base-url lead to the service?');
    return { kind: 'scanned', scan: body, wasSentBefore: headers.get('idempotency-replayed') === 'true' };
  }
  // A key is never met by another body (chunkKey), so a conflict without Retry-After says that all rows are known.
  if (status === 409 && everyRowHasExternalId) return { kind: 'nothing-new' };
  throw new ScanRefused(sentenceOf(answer), { status, details: errorOf(body)?.details ?? [] });
}

async function findingSeverities(options: ApiOptions): Promise<ReadonlyMap<string, readonly string[]>> {
  try {
    const { status, body } = await call(options, 'GET', '/finding-types');
    const items = status === 200 ? (body as { items?: unknown }).items : undefined;
    if (!Array.isArray(items)) return new Map();
    return new Map(
      (items as { type: string; severities: string[] }[]).map(({ type, severities }) => [type, severities]),
    );
  } catch {
    // The scans are done; their summary can do without.
    return new Map();
  }
}

async function pause({ signal, pause: sleep, onPause }: ApiOptions, reason: string, ms: number): Promise<void> {
  onPause(reason, ms);
  await sleep(ms, signal);
}

/** Seconds, or a date as proxies send it. */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, SINGLE_WAIT_MS_MIN), SINGLE_WAIT_MS_MAX);
}

function backoffMs(tries: number): number {
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), PAUSE_MS_MAX);
  return pauseMs + randomInt(pauseMs / 4);
}

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly request_id: string;
  readonly details?: readonly FieldFault[];
}

function errorOf(body: unknown): ErrorBody | undefined {
  const error = typeof body === 'object' && body !== null ? (body as { error?: unknown }).error : undefined;
  return typeof error === 'object' && error !== null && 'message' in error ? (error as ErrorBody) : undefined;
}

function sentenceOf({ status, body }: Answer): string {
  const error = errorOf(body);
  return error === undefined
    ? `The service answered ${status} without saying why. Does --base-url lead to it?`
    : `${error.message} (${error.code}, request ${error.request_id})`;
}

function statusOf(answer: Answer | Error): { status?: number } {
  return answer instanceof Error ? {} : { status: answer.status };
}

/** What `fetch` throws says in its cause what happened, by a code of the system where there is one. */
function connectionTrouble(baseUrl: string, thrown: unknown): string {
  const error = thrown as Partial<Error>;
  if (error.name === 'TimeoutError') {
    return `${baseUrl} has not answered within ${REQUEST_TIMEOUT_MS / 1_000} seconds.`;
  }
  const cause = (error.cause ?? error) as Partial<NodeJS.ErrnoException>;
  return `${baseUrl} cannot be reached (${cause.code ?? cause.message}).`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isScanResult(body: unknown): body is ScanResult {
  if (typeof body !== 'object' || body === null) return false;
  const scan = body as Partial<Record<keyof ScanResult, unknown>>;
  return (
    typeof scan.id === 'string' &&
    typeof scan.invoicesAnalyzed === 'number' &&
    typeof scan.rowsSkipped === 'number' &&
    typeof scan.unconvertedInvoices === 'number' &&
    typeof scan.analyzedValue === 'string' &&
    typeof scan.analyzedValueCurrency === 'string' &&
    Array.isArray(scan.skippedRows) &&
    typeof scan.decisionCounts === 'object' &&
    typeof scan.findingCounts === 'object'
  );
}
