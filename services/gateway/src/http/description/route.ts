import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import type { RatePolicy } from '@invoicecontrol/contracts/rate-limits';
import type { z } from 'zod';
import type { PublicClients, TenantClients } from '../../clients.js';
import type { KeyAccess } from '../access/rights.js';
import type { BodyLimits } from '../body/body.js';
import type { SentFile } from '../body/sent-file.js';
import type { Reply } from '../response/reply.js';
import { resourceNames } from './fields.js';
import type { HeaderName } from './published-headers.js';

/** A successful response of a route, as the API description states it. */
export interface PublishedResponse {
  readonly description: string;
  /** Schema of the request body of a route. Absent if there is no body, or if the body is not JSON. */
  readonly schema?: z.ZodType;
  /**
   * Media types of a response that is a file. If the route also has a schema, a caller requests the file with the
   * header Accept.
   */
  readonly mediaTypes?: readonly string[];
  /** Headers that the response of a route has in addition to the headers of every response. */
  readonly headers?: readonly HeaderName[];
}

/** A resource of the API with its routes. The API description publishes each resource as a tag. */
export interface Resource {
  readonly tag: string;
  readonly description: string;
  readonly routes: readonly Route[];
}

type NoFields = z.ZodObject<Record<never, never>>;

/** Input for the handler of a route, after the API key, the limits, the rights and the format have been checked. */
export interface RouteInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly params: z.infer<P>;
  readonly query: z.infer<Q>;
  readonly body: z.infer<B>;
  /**
   * SHA-256 hash of the request body as canonical JSON, or of the bytes of an XML body. Set only if the route honours the
   * Idempotency-Key.
   */
  readonly fingerprint: string;
  /**
   * Request body as it was sent. It is present for a route that receives it unparsed (see
   * {@link Described.rawBodyBytesMax}) and for an XML body (see {@link Described.xml}). In every other case it is
   * empty.
   */
  readonly rawBody: Buffer;
  /** URL query of a request as it was sent, without `?`, for a service that parses the query itself. */
  readonly rawQuery: string;
  /** The Idempotency-Key, or an empty string if the header is missing. Set only if the route honours it. */
  readonly idempotencyKey: string;
  /** The If-None-Match header of a request, for responses with an ETag. */
  readonly ifNoneMatch: string | undefined;
  /** All headers of the request, for routes that need further headers. */
  readonly headers: IncomingHttpHeaders;
  /** True if the request method is HEAD, which returns only the headers. */
  readonly isHead: boolean;
}

/** Timeout of a call to a service, for routes that state no timeout. */
export const CALL_TIMEOUT_MS = 5_000;

interface Described<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> {
  /** Unique operation name, which is the `operationId` in the published API description. */
  readonly operation: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path of the route below `/v1`, with parameters such as `:companyId`. */
  readonly path: string;
  readonly summary: string;
  /** Description of the operation for callers, in addition to its summary. */
  readonly description?: string;
  /** gRPC method that responds to the request, in the form `<package>.<Service>/<Rpc>`. */
  readonly rpc: string;
  /** Further gRPC methods that the route calls to build its response. */
  readonly alsoAsks?: readonly string[];
  /** Timeout of each call of a route to a service, including retries (default {@link CALL_TIMEOUT_MS}). */
  readonly timeoutMs?: number;
  /** Resource name in the 404 messages of a route, which are the same for malformed, foreign and unknown ids. */
  readonly resourceName?: string;
  /** Schema of the path parameters of a route. A malformed id is refused with 404, like an unknown one. */
  readonly params?: P;
  /** Schema of the URL query of a route. If absent, the query is ignored. */
  readonly query?: Q;
  readonly body?: B;
  /** True if a route treats a request without a body as one with `{}`. */
  readonly isBodyOptional?: true;
  /** Limits for the large request body of a route, by default {@link JSON_BODY_LIMITS}. */
  readonly bodyLimits?: BodyLimits;
  /**
   * True if the request body is an HTML form (`application/x-www-form-urlencoded`) in which each field occurs once.
   * Otherwise the body is JSON.
   */
  readonly isForm?: true;
  /**
   * Maximum size of a request body that a route passes on as it was sent. A signature over the bytes of the body
   * authorizes the request. A refused body does not count as a refused attempt of the sender's address. The schema only
   * describes the body.
   */
  readonly rawBodyBytesMax?: number;
  /**
   * Maximum size of an XML body that the route accepts and passes on as it was sent. A route with a schema also accepts
   * JSON, which the schema describes. Absent if the route accepts no XML.
   */
  readonly xml?: { readonly bytesMax: number };
  /**
   * Function that checks and reads the request body. If a route has one, its body schema only describes the body and
   * checks nothing. Such a function is needed where rules about several fields apply, or where checking the whole body
   * at once would block other requests. Throws or rejects with DomainError `invalid`.
   */
  readonly checkBody?: (body: unknown) => z.infer<B> | Promise<z.infer<B>>;
  /** True if the route honours the header If-None-Match. Otherwise the header is ignored. */
  readonly isConditional?: true;
  /** True if the route honours `Prefer: respond-async`. Otherwise the header is ignored. */
  readonly honoursPrefer?: true;
  /** True if the route honours the header Idempotency-Key. Otherwise the header is ignored. */
  readonly honoursIdempotencyKey?: true;
  /**
   * True if a repeated request takes effect only once even without an Idempotency-Key, because the request names the
   * resource that it creates.
   */
  readonly takesEffectOnce?: true;
  /**
   * True if a gateway runs only one request to the route for an organization at a time. Another request gets a 409
   * response.
   */
  readonly isOneAtATime?: true;
  /**
   * True if a request to the route reads a payment run as a whole. The number of such requests that one organization
   * may send at the same time is small.
   */
  readonly readsWholeRun?: true;
  /** True if a request to the route ends the session of the app that authenticated it. */
  readonly endsSession?: true;
  /** True if a request to the route makes the `url` in its body a receiver of webhook events. */
  readonly sendsEventsToUrl?: true;
  /** Rate limit that applies to this route in addition to the general rate limit. */
  readonly ratePolicy?: RatePolicy;
  /** Described responses of a route by HTTP status. The first one is the usual response. */
  readonly responses: Readonly<Record<number, PublishedResponse>>;
  /**
   * Statuses of the published refusals of a route, such as `409`, in addition to those that follow from its API key,
   * parameters and body.
   */
  readonly refusals?: readonly number[];
}

/** A route that requires an API key. */
export interface KeyRoute<
  P extends z.ZodObject = NoFields,
  Q extends z.ZodObject = NoFields,
  B extends z.ZodType = z.ZodUndefined,
> extends Described<P, Q, B> {
  readonly access: KeyAccess;
  handle(input: RouteInput<P, Q, B> & { readonly principal: Principal }, clients: TenantClients): Promise<Reply>;
}

/**
 * A route without an API key. A token in its body authorizes the request, and its rate limit applies to the IP address
 * of the caller.
 */
export interface PublicRoute<
  P extends z.ZodObject = NoFields,
  Q extends z.ZodObject = NoFields,
  B extends z.ZodType = z.ZodUndefined,
> extends Described<P, Q, B> {
  readonly access: 'public';
  handle(input: RouteInput<P, Q, B>, clients: PublicClients): Promise<Reply>;
}

/**
 * A route whose request body is a file, which is passed on while it is received. A token in the URL may replace the API
 * key.
 */
export interface FileRoute<P extends z.ZodObject = NoFields> extends Described<P, NoFields, z.ZodUndefined> {
  readonly access: KeyAccess;
  /**
   * Published media types of the file that a route receives. The service behind the route decides which of them it
   * accepts.
   */
  readonly mediaTypes: readonly string[];
  /**
   * Returns the organization for which the upload token in the URL authorizes a file.
   * @throws DomainError unauthenticated, not_found
   */
  authorize(input: { readonly params: z.infer<P>; readonly token: string }, clients: PublicClients): Promise<string>;
  receive(
    input: { readonly params: z.infer<P>; readonly right: FileRight; readonly file: SentFile },
    clients: PublicClients,
  ): Promise<Reply>;
}

/** The organization or the token that authorizes a file upload. */
export type FileRight = { readonly organizationId: string } | { readonly token: string };

export type AnyFileRoute = FileRoute<z.ZodObject>;
export type AnyKeyRoute = KeyRoute<z.ZodObject, z.ZodObject, z.ZodType>;
export type AnyPublicRoute = PublicRoute<z.ZodObject, z.ZodObject, z.ZodType>;

/** A route in the route table, without its schema types. */
export type Route = AnyKeyRoute | AnyPublicRoute | AnyFileRoute;

/** Declares a route. The types of its handler follow from its schemas. */
export function route<
  P extends z.ZodObject = NoFields,
  Q extends z.ZodObject = NoFields,
  B extends z.ZodType = z.ZodUndefined,
>(definition: KeyRoute<P, Q, B>): Route {
  return withResourceName(definition) as unknown as AnyKeyRoute;
}

/** Declares a route without an API key. The types of its handler follow from its schemas, as for {@link route}. */
export function publicRoute<
  P extends z.ZodObject = NoFields,
  Q extends z.ZodObject = NoFields,
  B extends z.ZodType = z.ZodUndefined,
>(definition: PublicRoute<P, Q, B>): Route {
  return withResourceName(definition) as unknown as AnyPublicRoute;
}

/** Declares a route that receives a file. The types of its handler follow from its schemas, as for {@link route}. */
export function fileRoute<P extends z.ZodObject = NoFields>(definition: FileRoute<P>): Route {
  return withResourceName(definition) as unknown as AnyFileRoute;
}

/**
 * Returns the name of the resource that the last id in the path of a route identifies, such as an invoice, unless the
 * route states another name.
 */
function withResourceName<D extends { readonly params?: z.ZodObject }>(definition: D): D {
  const names = Object.values(definition.params?.shape ?? {}).map((schema) => resourceNames.get(schema)?.name);
  return { resourceName: names.findLast((name) => name !== undefined), ...definition };
}

export function isFileRoute(route: Route): route is AnyFileRoute {
  return 'receive' in route;
}

/** Checks whether requests to a route have a body that the gateway reads. */
export function hasBody({ body, xml }: Pick<Route, 'body' | 'xml'>): boolean {
  return body !== undefined || xml !== undefined;
}

/** Returns the path as it is published and as requests are counted, such as `/companies/{companyId}`. */
export function pathTemplate(path: string): string {
  return path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
}
