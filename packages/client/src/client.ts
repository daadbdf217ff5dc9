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

/** The bodies of the API by their names: `Schemas['Finding']`. */
export type Schemas = components['schemas'];

/** POST /scans responds within 130 s, with 504 when the scan takes longer; everything else within seconds. */
const TIMEOUT_MS = 150_000;
const KEY_HEADER = 'idempotency-key';

/** The compiler compares this list with the description: a route that is added or removed does not compile. */
const honoursIdempotencyKey: Readonly<Record<KeyedPath, true>> = {
  '/invoices': true,
  '/invoices/from-upload': true,
  '/scans': true,
};

export interface ClientOptions extends RetryOptions {
  /** Ends in `/v1`: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** `ick_live_...`. The few routes that need none, as accepting an invitation, work without. */
  readonly apiKey?: string | undefined;
  /** Time limit of one attempt, 150 s by default. */
  readonly timeoutMs?: number | undefined;
  /** Used in place of the global `fetch`. */
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
  /** Retried. */
  readonly get: Call<'get'>;
  /** Retried where the route honours an Idempotency-Key; without one the client makes one for the call. */
  readonly post: Call<'post'>;
  /** Never retried, like `delete`: it cannot be known whether the first attempt took effect. */
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;
  /** The items of a list, page after page. `query.limit` is the size of a page. */
  items<P extends PagedPath>(path: P, options?: CallOptions<Operation<P, 'get'>>): AsyncGenerator<ItemOf<P>, void>;
}

/** The options that all operations have. */
interface AnyOptions {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * A client of one API with one key.
 * @throws TypeError for an address or a key that cannot be one; the key is not in the message
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
    // A route that does not honour the key would take effect again.
    const isKeyed = method === 'post' && path in honoursIdempotencyKey;
    if (isKeyed && !headers.has(KEY_HEADER)) headers.set(KEY_HEADER, crypto.randomUUID());
    const url = `${baseUrl}${fillPath(path, given.path)}${searchOf(given.query)}`;
    // Redirects are not followed: the key is for this address and no other.
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

/** @throws TypeError for a value that would lead to another path */
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
 * @throws ApiError unless the response is a success with the kind of body that every response of the API has: an object, whose
 * `items` are objects. A proxy, or an address that is not the API, may also respond with 200.
 */
function toAnswer(method: Method, { ok, status, headers }: Response, text: string): Answer<unknown> {
  const body = parseJson(text);
  if (!ok) throw new ApiError(status, headers, body);
  // Only the response to a DELETE has no body.
  if (method === 'delete' && status === 204) return { data: undefined, status, headers };
  const fault = faultOf(body, text, headers);
  if (fault !== undefined) throw new ApiError(status, headers, undefined, fault);
  return { data: body, status, headers };
}

/** Says what is wrong with the body of a success, to follow "The service returned status 200". */
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

/** `fetch` throws a TypeError whatever is wrong with the connection; by name, because it may come from another realm. */
function isOutage(error: unknown): error is Error {
  return ['TypeError', 'TimeoutError'].includes((error as Partial<Error> | null)?.name ?? '');
}

/** The error of `fetch` has the reason in its cause, with a system code if there is one. */
function toNetworkError(cause: Error, baseUrl: string, timeoutMs: number): NetworkError {
  if (cause.name === 'TimeoutError') {
    return new NetworkError(`${baseUrl} did not respond within ${timeoutMs / 1_000} seconds.`, { cause });
  }
  const reason = (cause.cause ?? cause) as Partial<NodeJS.ErrnoException>;
  return new NetworkError(`${baseUrl} cannot be reached (${reason.code ?? reason.message}).`, { cause });
}

// `URL.canParse` is not used: in Node 20 it gives wrong results for characters such as "ü" after many calls.
function readBaseUrl(text: string): URL {
  try {
    if (/^https?:\/\/[^/]/.test(text)) return new URL(text);
  } catch {
    // Said below.
  }
  throw new TypeError('baseUrl is not an address such as https://api.example.com/v1.');
}
