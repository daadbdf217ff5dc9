// Types of the API client. This file has no code at run time.
import type { components } from './gen/openapi.js';
import type {
  CallOptions,
  Data,
  FilePath,
  ItemOf,
  Method,
  Operation,
  Page,
  PagedPath,
  PathsWith,
  XmlPath,
} from './operations.js';
import type { RetryOptions } from './retry.js';

/** The schemas of the API by name, such as `Schemas['Finding']`. */
export type Schemas = components['schemas'];

export interface ClientOptions extends RetryOptions {
  /** Base URL of the API, ending in `/v1`, such as `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /**
   * API key, such as `ick_live_...`. The few operations without authentication, such as accepting an invitation, need
   * no API key.
   */
  readonly apiKey?: string | undefined;
  /** Timeout of one attempt of an API call in milliseconds. The default is 150 s. */
  readonly timeoutMs?: number | undefined;
  /** Function that the API client calls instead of the global `fetch`. */
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
 * The calls of the API by method and path. Every call resolves with a successful response.
 * @throws ApiError when the API refuses, NetworkError without a response, the reason of `signal` when it is aborted
 */
export interface Client {
  /** Sends a GET request to the API. Failed requests are retried. */
  readonly get: Call<'get'>;
  /**
   * Sends a POST request. A failed request is retried only if the operation honours an Idempotency-Key; if the caller
   * gives no key, the client creates one for the call.
   */
  readonly post: Call<'post'>;
  /**
   * Sends a PATCH request to the API. Neither PATCH nor DELETE requests are retried, because the client cannot know
   * whether the first attempt took effect.
   */
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;
  /** Sends a PUT request to the API with a JSON body. Like PATCH requests, PUT requests are never retried. */
  readonly put: Call<'put'>;
  /**
   * Reads a file, such as a document, a page of it, a confirmation from KSeF or the archive of the organization. Failed
   * requests are retried. A part of a document is read with the header `Range`.
   */
  readonly file: <P extends FilePath>(
    path: P,
    ...options: object extends CallOptions<Operation<P, 'get'>>
      ? [options?: CallOptions<Operation<P, 'get'>>]
      : [options: CallOptions<Operation<P, 'get'>>]
  ) => Promise<Answer<Blob>>;
  /**
   * Sends an XML file to an operation that accepts one, such as a payment run or the status report of a bank. The
   * operation takes effect once for the same bytes, so failed requests are retried.
   */
  readonly postXml: <P extends XmlPath>(
    path: P,
    bytes: FileBytes,
    options?: Omit<CallOptions<Operation<P, 'post'>>, 'body'>,
  ) => Promise<Answer<Data<Operation<P, 'post'>>>>;
  /** Sends the bytes of a reserved upload. Failed requests are retried. */
  readonly sendFile: (uploadId: string, bytes: FileBytes, options: SendFileOptions) => Promise<void>;
  /**
   * Reserves an upload, sends the bytes, requests the analysis and waits for the decision.
   * @throws ApiError with status 422 if no invoice can be read; NetworkError; the reason of the signal
   */
  readonly uploadInvoice: (bytes: FileBytes, options: UploadOptions) => Promise<Answer<Schemas['AcceptedAnalysis']>>;
  /** Iterates over the pages of an API list, for callers that store the `nextCursor` of each page. */
  pages<P extends PagedPath>(
    path: P,
    options?: CallOptions<Operation<P, 'get'>>,
  ): AsyncGenerator<Page<ItemOf<P>>, void>;
  /**
   * Iterates over the items of an API list and requests one page after the other. `query.limit` is the size of a page.
   */
  items<P extends PagedPath>(path: P, options?: CallOptions<Operation<P, 'get'>>): AsyncGenerator<ItemOf<P>, void>;
}

/** Content of a file that is uploaded to the API or downloaded from it. */
export type FileBytes = Uint8Array | ArrayBuffer | Blob;

export interface SendFileOptions {
  /** Media type of the uploaded file, which must equal the media type in the reservation of the upload. */
  readonly mediaType: string;
  readonly signal?: AbortSignal | undefined;
}

export interface UploadOptions {
  /** Media type of the document, such as `application/pdf`. */
  readonly mediaType: string;
  readonly companyId?: string | undefined;
  readonly purchaseOrderRef?: string | undefined;
  /** Maximum time for which the API client waits for the decision on a document (default 5 minutes). */
  readonly totalMsMax?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Function that tests pass to replace the pauses between attempts of the API client. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}
