import type { Answer, Client, ClientOptions, FileBytes, SendFileOptions } from './client-types.js';
import { ApiError, NetworkError } from './errors.js';
import type { KeyedPath, Method, Page } from './operations.js';
import { withRetries } from './retry.js';
import { uploadInvoice } from './upload-invoice.js';

/**
 * Default timeout of an attempt to call the API. POST /scans responds within 130 s (with 504 if the history scan takes
 * longer), and all other operations within seconds.
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
  '/payment-runs': true,
  '/scans': true,
};

/** Options that the API client accepts for a call of any operation. */
interface AnyOptions {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Content that the API client sends as it is, in place of a JSON body. */
  readonly file?: { readonly bytes: FileBytes; readonly mediaType: string };
  /** True if the successful response of the API operation is a file. */
  readonly isFile?: true;
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
    const { body, idempotencyKey, signal, file } = given;
    const headers = new Headers(given.headers);
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`);
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (file !== undefined) headers.set('content-type', file.mediaType);
    if (idempotencyKey !== undefined) headers.set(KEY_HEADER, idempotencyKey);
    // A request with a JSON body is retried only if its operation honours an Idempotency-Key, because any other retry
    // could change data a second time.
    const isKeyed = method === 'post' && path in honoursIdempotencyKey;
    // An XML file needs no Idempotency-Key. The API recognizes a file that it received before by its bytes, whichever
    // program sent it.
    if (isKeyed && file === undefined && !headers.has(KEY_HEADER)) headers.set(KEY_HEADER, crypto.randomUUID());
    const url = `${baseUrl}${fillPath(path, given.path)}${searchOf(given.query)}`;
    // Redirects are not followed, because the API key must not be sent to another address.
    const init = { method: method.toUpperCase(), headers, redirect: 'manual' as const };
    // The bytes of a request body may be a view of shared memory. Request refuses such a view at run time, and the
    // types cannot exclude it.
    const content =
      file === undefined
        ? body === undefined
          ? {}
          : { body: JSON.stringify(body) }
        : { body: file.bytes as Uint8Array<ArrayBuffer> | Blob };

    const send = async (): Promise<Answer<unknown>> => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const attempt = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
      try {
        const response = await fetch(new Request(url, { ...init, ...content, signal: attempt }));
        if (given.isFile === true && response.ok) return await toFile(response);
        return toAnswer(method, response, await response.text());
      } catch (error) {
        signal?.throwIfAborted();
        throw isOutage(error) ? toNetworkError(error, baseUrl, timeoutMs) : error;
      }
    };
    return method === 'get' || isKeyed || file !== undefined ? withRetries(send, options, signal) : send();
  };

  async function* pages(path: string, given: AnyOptions = {}): AsyncGenerator<Page<unknown>, void> {
    let cursor: string | null = null;
    do {
      const query: AnyOptions['query'] = { ...given.query, ...(cursor === null ? {} : { cursor }) };
      const { data, status, headers } = await call('get', path, { ...given, query });
      const page = data as Partial<Page<unknown>>;
      if (page.items === undefined) throw new ApiError(status, headers, undefined, 'without the `items` of a list');
      const nextCursor: string | null = page.nextCursor ?? null;
      yield { items: page.items, nextCursor };
      if (nextCursor === cursor && cursor !== null) {
        throw new ApiError(status, headers, undefined, 'with the same page again');
      }
      cursor = nextCursor;
    } while (cursor !== null);
  }

  async function* items(path: string, given: AnyOptions = {}): AsyncGenerator<unknown, void> {
    for await (const page of pages(path, given)) yield* page.items;
  }

  async function sendFile(uploadId: string, bytes: FileBytes, { mediaType, signal }: SendFileOptions): Promise<void> {
    try {
      await call('put', '/uploads/{uploadId}/content', {
        path: { uploadId },
        file: { bytes, mediaType },
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      // The response to the first attempt of an upload was lost: the bytes are already stored, so the repeated PUT was
      // refused.
      if (!(error instanceof ApiError && error.status === 409 && error.attempts > 1)) throw error;
    }
  }

  const by = (method: Method) => (path: string, given?: AnyOptions) => call(method, path, given);
  const calls = { get: by('get'), post: by('post'), patch: by('patch'), put: by('put'), delete: by('delete') };
  const file = (path: string, given?: AnyOptions) => call('get', path, { ...given, isFile: true });
  const postXml = (path: string, bytes: FileBytes, given?: AnyOptions) =>
    call('post', path, { ...given, file: { bytes, mediaType: 'application/xml' } });
  const client = { ...calls, file, postXml, sendFile, items, pages } as unknown as Client;
  return { ...client, uploadInvoice: (bytes, given) => uploadInvoice(client, bytes, given) };
}

/**
 * Fills the parameters of an API path with the values of a call.
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
 * Reads the body of a successful response of the API. A proxy, or a server that is not the API, may also respond with
 * status 200, so the form of the body is checked.
 * @throws ApiError if the response is not a success, or if its body is not an object (for a list, with `items` that are
 * objects)
 */
function toAnswer(method: Method, { ok, status, headers }: Response, text: string): Answer<unknown> {
  const body = parseJson(text);
  if (!ok) throw new ApiError(status, headers, body);
  // A response of the API without a body is expected only after DELETE or PUT with status 204.
  if ((method === 'delete' || method === 'put') && status === 204) return { data: undefined, status, headers };
  const fault = faultOf(body, text, headers);
  if (fault !== undefined) throw new ApiError(status, headers, undefined, fault);
  return { data: body, status, headers };
}

/** Returns the file in a response of the API. A response without a body, such as 204, gives an empty file. */
async function toFile(response: Response): Promise<Answer<Blob>> {
  const { status, headers } = response;
  return { data: await response.blob(), status, headers };
}

/**
 * Describes the fault in the body of a successful API response, as the end of a sentence that begins with "The service
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
 * Checks whether an error of `fetch` means that no response arrived. `fetch` throws a TypeError for every connection
 * failure. The error is recognized by its name, because it may come from another JavaScript realm.
 */
function isOutage(error: unknown): error is Error {
  return ['TypeError', 'TimeoutError'].includes((error as Partial<Error> | null)?.name ?? '');
}

/**
 * Returns the error of an API call that got no response. The error that `fetch` throws holds the reason in its cause,
 * with a system code if there is one.
 */
function toNetworkError(cause: Error, baseUrl: string, timeoutMs: number): NetworkError {
  if (cause.name === 'TimeoutError') {
    return new NetworkError(`The API at ${baseUrl} did not respond within ${timeoutMs / 1_000} seconds.`, { cause });
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
    // If the base URL cannot be parsed, this function throws a TypeError.
  }
  throw new TypeError('baseUrl is not an address such as https://api.example.com/v1.');
}
