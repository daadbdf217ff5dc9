import { ApiError, NetworkError } from './errors.js';
import type { components } from './gen/openapi.js';
import type {
  CallOptions,
  Data,
  ItemOf,
  KeyedPath,
  Method,
  Operation,
  Page,
  PagedPath,
  PathsWith,
} from './operations.js';
import { withRetries } from './retry.js';
import type { RetryOptions } from './retry.js';

export { ApiError, NetworkError } from './errors.js';
export type { ErrorCode, FieldFault } from './errors.js';
export type { Retry } from './retry.js';
export { WebhookError, verifyWebhook } from './verify-webhook.js';
export type { WebhookEvent, WebhookFault, WebhookHeaders, WebhookRequest } from './verify-webhook.js';

/** The schemas of the API by name, such as `Schemas['Finding']`. */
export type Schemas = components['schemas'];

/**
 * Default timeout of an attempt. POST /scans responds within 130 s (with 504 if the history scan takes longer), and all
 * other operations within seconds.
 */
const TIMEOUT_MS = 150_000;
const KEY_HEADER = 'idempotency-key';

/**
 * The paths that honour an Idempotency-Key. The compiler compares this list with the API description, so a missing or
 * additional path does not compile.
 */
const honoursIdempotencyKey: Readonly<Record<KeyedPath, true>> = {
  '/invoices': true,
  '/invoices/from-upload': true,
  '/scans': true,
};

export interface ClientOptions extends RetryOptions {
  /** Base URL of the API, ending in `/v1`, such as `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /**
   * API key, such as `ick_live_...`. The few operations without authentication, such as accepting an invitation, need
   * none.
   */
  readonly apiKey?: string | undefined;
  /** Timeout of one attempt in milliseconds. The default is 150 s. */
  readonly timeoutMs?: number | undefined;
  /** Function to use instead of the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

export interface Answer<T> {
  readonly data: T;
  readonly status: number;
  readonly headers: Headers;
}

type Call<M extends Method> = <P extends PathsWith<M>>(
  path: P,
  ...options: object extends CallOptions<Operation<P, M>>
    ? [options?: CallOptions<Operation<P, M>>]
    : [options: CallOptions<Operation<P, M>>]
) => Promise<Answer<Data<Operation<P, M>>>>;

/**
 * Calls by method and path, as the API documents them. Every call resolves with a successful response.
 * @throws ApiError when the API refuses, NetworkError without a response, the reason of `signal` when it is aborted
 */
export interface Client {
  /** Sends a GET request. Failed requests are retried. */
  readonly get: Call<'get'>;
  /**
   * Sends a POST request. It is retried only if the operation honours an Idempotency-Key; if the caller gives no key,
   * the client creates one for the call.
   */
  readonly post: Call<'post'>;
  /**
   * Sends a PATCH request. It is never retried (like `delete`), because the client cannot know whether the first
   * attempt took effect.
   */
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;
  /** Iterates over the items of a list and requests one page after the other. `query.limit` is the size of a page. */
  items<P extends PagedPath>(path: P, options?: CallOptions<Operation<P, 'get'>>): AsyncGenerator<ItemOf<P>, void>;
}

/** Options that a call of any operation accepts. */
interface AnyOptions {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Creates a client for one API and one API key.
 * @throws TypeError if the address or the key is malformed; the message does not contain the key
 */
export function createClient(options: ClientOptions): Client {
  const { apiKey, fetch = (request) => globalThis.fetch(request), timeoutMs = TIMEOUT_MS } = options;
  const baseUrl = options.baseUrl.replace(/(?<!\/)\/+$/, '');
  const { username, password, search, hash } = readBaseUrl(baseUrl);
  if (`${username}${password}${search}${hash}` !== '') {
    throw new TypeError('baseUrl has a user name, a password, a query or a fragment. Pass only the address.');
  }
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError(
      'apiKey is empty or has spaces or other characters that a key cannot have. Pass only the key itself.',
    );
  }

  const call = async (method: Method, path: string, given: AnyOptions = {}): Promise<Answer<unknown>> => {
    const { body, idempotencyKey, signal } = given;
    const headers = new Headers(given.headers);
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`);
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (idempotencyKey !== undefined) headers.set(KEY_HEADER, idempotencyKey);
    // If the operation does not honour the key, a retry would take effect a second time.
    const isKeyed = method === 'post' && path in honoursIdempotencyKey;
    if (isKeyed && !headers.has(KEY_HEADER)) headers.set(KEY_HEADER, crypto.randomUUID());
    const url = `${baseUrl}${fillPath(path, given.path)}${searchOf(given.query)}`;
    // Redirects are not followed, because the API key must not be sent to another address.
    const init = { method: method.toUpperCase(), headers, redirect: 'manual' as const };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };

    const send = async (): Promise<Answer<unknown>> => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const attempt = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
      try {
        const response = await fetch(new Request(url, { ...init, ...content, signal: attempt }));
        return toAnswer(method, response, await response.text());
      } catch (error) {
        signal?.throwIfAborted();
        throw isOutage(error) ? toNetworkError(error, baseUrl, timeoutMs) : error;
      }
    };
    return method === 'get' || isKeyed ? withRetries(send, options, signal) : send();
  };

  async function* items(path: string, given: AnyOptions = {}): AsyncGenerator<unknown, void> {
    let cursor: string | null = null;
    do {
      const query: AnyOptions['query'] = { ...given.query, ...(cursor === null ? {} : { cursor }) };
      const { data, status, headers } = await call('get', path, { ...given, query });
      const page = data as Partial<Page<unknown>>;
      if (page.items === undefined) throw new ApiError(status, headers, undefined, 'without the `items` of a list');
      yield* page.items;
      if (page.nextCursor === cursor && cursor !== null) {
        throw new ApiError(status, headers, undefined, 'with the same page again');
      }
      cursor = page.nextCursor ?? null;
    } while (cursor !== null);
  }

  const by = (method: Method) => (path: string, given?: AnyOptions) => call(method, path, given);
  return { get: by('get'), post: by('post'), patch: by('patch'), delete: by('delete'), items } as Client;
}

/**
 * Fills the parameters of a path with the values of a call.
 * @throws TypeError if a path parameter would lead to another path
 */
function fillPath(path: string, values: AnyOptions['path'] = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? '');
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`path.${name} is missing or empty.`);
    return encodeURIComponent(value);
  });
}

function searchOf(query: AnyOptions['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search.toString()}`;
}

/**
 * @throws ApiError if the response is not a success with an object as its body (with `items` that are objects, for a
 * list). A proxy, or a server that is not the API, may also respond with status 200.
 */
function toAnswer(method: Method, { ok, status, headers }: Response, text: string): Answer<unknown> {
  const body = parseJson(text);
  if (!ok) throw new ApiError(status, headers, body);
  // A response without a body is expected only after DELETE with status 204.
  if (method === 'delete' && status === 204) return { data: undefined, status, headers };
  const fault = faultOf(body, text, headers);
  if (fault !== undefined) throw new ApiError(status, headers, undefined, fault);
  return { data: body, status, headers };
}

/**
 * Describes the fault in the body of a successful response, as the end of a sentence that begins with "The service
 * returned status 200".
 */
function faultOf(body: unknown, text: string, headers: Headers): string | undefined {
  if (text === '') return 'without a body';
  if (body === undefined) return `with ${headers.get('content-type') ?? 'text'} in place of JSON`;
  if (!isObject(body)) return 'with JSON that is not an object';
  const { items, nextCursor } = body as Partial<Page<unknown>>;
  if (items === undefined) return undefined;
  if (!Array.isArray(items)) return 'with `items` that are not a list';
  const wrong = items.findIndex((item) => !isObject(item));
  if (wrong >= 0) return `with a list whose items[${wrong}] is not an object`;
  if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== 'string') {
    return 'with a list whose `nextCursor` is not a string';
  }
  return undefined;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * `fetch` throws a TypeError for every connection failure. The error is recognized by its name, because it may come
 * from another realm.
 */
function isOutage(error: unknown): error is Error {
  return ['TypeError', 'TimeoutError'].includes((error as Partial<Error> | null)?.name ?? '');
}

/** The error that `fetch` throws holds the reason in its cause, with a system code if there is one. */
function toNetworkError(cause: Error, baseUrl: string, timeoutMs: number): NetworkError {
  if (cause.name === 'TimeoutError') {
    return new NetworkError(`${baseUrl} did not respond within ${timeoutMs / 1_000} seconds.`, { cause });
  }
  const reason = (cause.cause ?? cause) as Partial<NodeJS.ErrnoException>;
  return new NetworkError(`${baseUrl} cannot be reached (${reason.code ?? reason.message}).`, { cause });
}

// Parses the base URL of the API. `URL.canParse` is not used, because in Node 20 it gives wrong results for characters
// such as "ü" after many calls.
function readBaseUrl(text: string): URL {
  try {
    if (/^https?:\/\/[^/]/.test(text)) return new URL(text);
  } catch {
    // Returns undefined if the base URL is not valid, which the caller of this function reports.
  }
  throw new TypeError('baseUrl is not an address such as https://api.example.com/v1.');
}
