import { setTimeout as delay } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { BlockedAddressError, openEgress } from '@invoicecontrol/egress/egress';
import { readCustomerUrl } from '@invoicecontrol/egress/customer-url';
import type { EgressSettings } from '@invoicecontrol/egress/settings';
import { Agent, request as sendRequest } from 'undici';
import type { Dispatcher } from 'undici';
import { BudgetSpent, ErpFault } from '../domain/faults.js';
import type { FaultCode } from '../domain/faults.js';
import type { ErpAnswer, ErpHttp, ErpRequest } from '../providers/provider.js';
import { companyLimits } from './company-limits.js';
import type { CompanyLimit } from './company-limits.js';

/** Bounds of calls to ERPs (ERP reference, section 14). */
export interface ErpHttpSettings {
  /** Of one call, from its beginning to the last byte of its answer. */
  readonly callMs: number;
  readonly responseBytesMax: number;
  readonly backoffMs: number;
  readonly backoffMsMax: number;
  /** Origins of the configuration: called as they are. Every other address is a customer's, and goes through the egress guard. */
  readonly trustedOrigins: ReadonlySet<string>;
}

/** Calls for one run or one test of a connection. */
export interface ErpCalls extends ErpHttp {
  readonly callsCount: number;
  /** Spent waiting because the ERP asked for it. */
  readonly throttledMs: number;
  /** Makes a call that goes another way: counted, and tried again, as those of {@link ErpHttp.send}. @throws ErpFault */
  tried<T>(call: () => Promise<T>): Promise<T>;
}

export interface ErpCallsOptions {
  /** Provider and remote company: all calls with one key share its limit. */
  readonly company: string;
  /** Calls at once to one remote company. */
  readonly concurrency: number;
  readonly callsMax: number;
  readonly runMs: number;
  /** Ends the calls: the lease is lost, or the service stops. */
  readonly signal: AbortSignal;
}

export interface ErpHttpClient {
  /** @throws TypeError from `send` once the signal is aborted */
  open(options: ErpCallsOptions): ErpCalls;
  close(): Promise<void>;
}

/** One call is tried so often. */
export const CALL_TRIES_MAX = 5;
/** A longer `Retry-After` counts as so much. */
const RETRY_AFTER_MS_MAX = 7 * 24 * 3_600_000;
const CONNECT_MS_MAX = 10_000;
const CONNECTIONS_PER_ORIGIN = 64;
const KEEP_ALIVE_MS = 10_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Calls ERPs with bounds on time, size, rate and number. One for the service: remote companies share their limits. */
export function erpHttpClient(settings: ErpHttpSettings, egressSettings: EgressSettings): ErpHttpClient {
  const egress = openEgress(egressSettings, {
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
    connectMs: CONNECT_MS_MAX,
    headersMs: settings.callMs,
  });
  const trusted = new Agent({
    connect: { timeout: CONNECT_MS_MAX, allowH2: false },
    connections: CONNECTIONS_PER_ORIGIN,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: settings.callMs,
    pipelining: 1,
    allowH2: false,
  });
  const limits = companyLimits();

  function dispatcherOf(url: string): Dispatcher {
    if (URL.canParse(url) && settings.trustedOrigins.has(new URL(url).origin)) return trusted;
    const read = readCustomerUrl(url, { isHttpAllowed: egressSettings.EGRESS_ALLOW_HTTP });
    if ('problem' in read) throw new ErpFault('BAD_RESPONSE', 'The ERP leads to an address that may not be called.');
    return egress.dispatcher;
  }

  return {
    open({ company, concurrency, callsMax, runMs, signal }) {
      const endsAt = performance.now() + runMs;
      let callsCount = 0;
      let throttledMs = 0;

      const spend = (): void => {
        signal.throwIfAborted();
        if (callsCount >= callsMax) {
          throw new BudgetSpent(
            'RATE_LIMITED',
            `The run has made the ${callsMax} calls that one run may make. The next run continues.`,
          );
        }
        if (performance.now() >= endsAt) throw timeSpent();
        callsCount++;
      };
      const timeSpent = (): BudgetSpent =>
        new BudgetSpent(
          'TIMEOUT',
          `The run has taken the ${Math.round(runMs / 1_000)} seconds that one run may take. The next run continues.`,
        );
      const wait = async (ms: number, isThrottled: boolean): Promise<void> => {
        if (performance.now() + ms >= endsAt) throw timeSpent();
        const begun = performance.now();
        try {
          await delay(ms, undefined, { signal });
        } finally {
          if (isThrottled) throttledMs += Math.round(performance.now() - begun);
        }
      };

      /** Waits until the remote company may be called again: another run may have been asked to wait. */
      const awaitPause = async (limit: CompanyLimit): Promise<void> => {
        const pauseMs = limit.pauseMs();
        if (pauseMs > settings.backoffMsMax) throw rateLimited(pauseMs);
        if (pauseMs > 0) await wait(pauseMs, true);
      };

      /** Before the next try. @throws ErpFault when the ERP does not want one so soon */
      const pauseAfter = async (fault: ErpFault, tries: number, retryAfterMs: number | undefined): Promise<void> => {
        if (retryAfterMs !== undefined && retryAfterMs > settings.backoffMsMax) throw rateLimited(retryAfterMs);
        const isThrottled = retryAfterMs !== undefined || fault.code === 'RATE_LIMITED';
        await wait(retryAfterMs ?? backoffMs(settings, tries), isThrottled);
      };

      const tryOnce = async (request: ErpRequest, limit: CompanyLimit): Promise<Tried> => {
        await awaitPause(limit);
        return limit.during(signal, async () => {
          spend();
          const dispatcher = dispatcherOf(request.url);
          const deadlineMs = Math.min(settings.callMs, Math.max(1, endsAt - performance.now()));
          return callOnce({ request, dispatcher, deadlineMs, bytesMax: settings.responseBytesMax, signal });
        });
      };

      return {
        get callsCount() {
          return callsCount;
        },
        get throttledMs() {
          return throttledMs;
        },
        async send(request) {
          const limit = limits.of(company, concurrency);
          for (let tries = 1; ; tries++) {
            const tried = await tryOnce(request, limit);
            signal.throwIfAborted();
            if ('answer' in tried && !isWorthRetrying(tried.answer, request)) return tried.answer;
            const fault = 'fault' in tried ? tried.fault : faultOf(tried.answer);
            const retryAfterMs = 'answer' in tried ? pauseAskedFor(tried.answer, request, settings) : undefined;
            if (retryAfterMs !== undefined) limit.pause(retryAfterMs);
            if (retryAfterMs !== undefined && retryAfterMs > settings.backoffMsMax) throw rateLimited(retryAfterMs);
            // A good status with a fault inside is the provider's to name.
            if (tries === CALL_TRIES_MAX && 'answer' in tried && tried.answer.status < 400) return tried.answer;
            if (fault.code === 'BAD_RESPONSE' || tries === CALL_TRIES_MAX) throw fault;
            await pauseAfter(fault, tries, retryAfterMs);
          }
        },
        async tried(call) {
          for (let tries = 1; ; tries++) {
            spend();
            try {
              return await call();
            } catch (error) {
              if (!(error instanceof ErpFault) || !isTransient(error) || tries === CALL_TRIES_MAX) throw error;
              await pauseAfter(error, tries, error.retryAfterMs);
            }
          }
        },
      };
    },
    async close() {
      await Promise.all([egress.close(), trusted.destroy()]);
    },
  };
}

type Tried = { readonly answer: ErpAnswer } | { readonly fault: ErpFault };

interface Call {
  readonly request: ErpRequest;
  readonly dispatcher: Dispatcher;
  readonly deadlineMs: number;
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}

/**
 * Sends the request once and reads its answer whole. The deadline is a timer of our own, which also bounds a body that
 * drips: undici does not end connecting or the TLS handshake for a signal.
 */
async function callOnce({ request, dispatcher, deadlineMs, bytesMax, signal }: Call): Promise<Tried> {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'TIMEOUT'>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, 'TIMEOUT');
  });
  let onAbort = (): void => {};
  const stopped = new Promise<'STOPPED'>((resolve) => {
    onAbort = () => resolve('STOPPED');
    signal.addEventListener('abort', onAbort, { once: true });
  });
  const answering = readAnswer(request, dispatcher, bytesMax, ending.signal);
  try {
    const ended = await Promise.race([answering, timeout, stopped]);
    if (ended === 'STOPPED') signal.throwIfAborted();
    if (ended === 'TIMEOUT' || ended === 'STOPPED') {
      return {
        fault: new ErpFault(
          'TIMEOUT',
          `The ERP did not answer completely within ${Math.ceil(deadlineMs / 1_000)} seconds.`,
        ),
      };
    }
    return { answer: ended };
  } catch (error) {
    if (signal.aborted) throw error;
    return { fault: faultOfError(error) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    ending.abort();
    // It may still fail; nobody reads that.
    answering.catch(() => {});
  }
}

async function readAnswer(
  { method, url, headers, body }: ErpRequest,
  dispatcher: Dispatcher,
  bytesMax: number,
  signal: AbortSignal,
): Promise<ErpAnswer> {
  const response = await sendRequest(url, {
    dispatcher,
    method,
    headers: { 'user-agent': 'invoice-control', 'accept-encoding': 'gzip', ...headers },
    ...(body === undefined ? {} : { body }),
    signal,
  });
  const answerHeaders = Object.fromEntries(
    Object.entries(response.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), [value].flat().join(', ')]],
    ),
  );
  if (REDIRECTS.has(response.statusCode)) {
    response.body.destroy();
    throw new ErpFault('BAD_RESPONSE', 'The ERP answered with a redirect. Redirects are not followed.');
  }
  const text = await readText(response.body, answerHeaders['content-encoding'], bytesMax);
  return {
    status: response.statusCode,
    headers: answerHeaders,
    json: parseJson(text, response.statusCode, answerHeaders),
    text,
  };
}

/** The whole body as text; what is compressed counts by its size when unpacked. */
async function readText(
  body: Dispatcher.ResponseData['body'],
  encoding: string | undefined,
  bytesMax: number,
): Promise<string> {
  const isPacked = encoding === 'gzip' || encoding === 'x-gzip';
  if (!isPacked && encoding !== undefined && encoding !== 'identity') {
    body.destroy();
    throw new ErpFault('BAD_RESPONSE', 'The ERP answered in an encoding that was not asked for.');
  }
  const unpacked = isPacked ? body.pipe(createGunzip()) : body;
  if (isPacked) body.once('error', (error) => (unpacked as ReturnType<typeof createGunzip>).destroy(error));
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > bytesMax) {
        throw new ErpFault('BAD_RESPONSE', `The ERP answered with more than ${bytesMax} bytes.`);
      }
      chunks.push(chunk);
    }
  } finally {
    // Also of an answer that is cut off: the connection must not wait for its rest.
    body.destroy();
  }
  const text = Buffer.concat(chunks, size).toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function parseJson(text: string, status: number, headers: Readonly<Record<string, string>>): unknown {
  const isJson = /\bjson\b/i.test(headers['content-type'] ?? '');
  if (!isJson && !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const isSuccess = status >= 200 && status <= 299;
    if (isJson && isSuccess && text !== '') throw new ErpFault('BAD_RESPONSE', 'The ERP answered with broken JSON.');
    return undefined;
  }
}

function isTransient({ code }: ErpFault): boolean {
  return code === 'RATE_LIMITED' || code === 'TIMEOUT' || code === 'UPSTREAM_ERROR';
}

/** What the answer says, or the vendor's manual where a 429 says nothing. */
function pauseAskedFor(
  answer: ErpAnswer,
  { throttledPauses }: ErpRequest,
  { backoffMs: base, backoffMsMax: cap }: ErpHttpSettings,
): number | undefined {
  const asked = retryAfterOf(answer);
  if (asked !== undefined || answer.status !== 429 || throttledPauses === undefined) return asked;
  return Math.min(cap, throttledPauses * base);
}

function isWorthRetrying(answer: ErpAnswer, { retries }: ErpRequest): boolean {
  const { status, json } = answer;
  if (retries !== undefined) return retries(status, json ?? answer.text);
  return status === 408 || status === 429 || status >= 500;
}

function faultOf({ status }: ErpAnswer): ErpFault {
  if (status === 429) return new ErpFault('RATE_LIMITED', 'The ERP takes no more calls at the moment.');
  if (status === 408 || status === 504) return new ErpFault('TIMEOUT', 'The ERP did not answer in time.');
  return new ErpFault('UPSTREAM_ERROR', `The ERP answered with an error of its own (status ${status}).`);
}

const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

/** The message names no address: it is shown to callers. */
function faultOfError(error: unknown): ErpFault {
  if (error instanceof ErpFault) return error;
  if (isBlocked(error))
    return new ErpFault('BAD_RESPONSE', 'The host of the ERP leads to an address that may not be called.');
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code === 'string' && TIMEOUT_CODES.has(code))
    return new ErpFault('TIMEOUT', 'The ERP did not answer in time.');
  if (typeof code === 'string' && code.startsWith('Z_')) {
    return new ErpFault('BAD_RESPONSE', 'The ERP answered with data that cannot be unpacked.');
  }
  return new ErpFault('UPSTREAM_ERROR', 'The ERP could not be reached, or broke off its answer.');
}

function isBlocked(error: unknown): boolean {
  const cause = (error as { cause?: unknown } | undefined)?.cause;
  return error instanceof BlockedAddressError || cause instanceof BlockedAddressError;
}

function rateLimited(retryAfterMs: number): ErpFault {
  const message = `The ERP takes no more calls for ${Math.ceil(retryAfterMs / 1_000)} seconds. The next run continues after them.`;
  return new ErpFault('RATE_LIMITED' satisfies FaultCode, message, retryAfterMs);
}

/** Seconds, or a day and time by the clock of the ERP. */
function retryAfterOf({ headers }: ErpAnswer): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, RETRY_AFTER_MS_MAX);
  const now = Date.parse(headers['date'] ?? '') || Date.now();
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), RETRY_AFTER_MS_MAX);
}

/** Exponential with full jitter. */
function backoffMs({ backoffMs: base, backoffMsMax: cap }: ErpHttpSettings, tries: number): number {
  return Math.random() * Math.min(cap, base * 2 ** (tries - 1));
}
