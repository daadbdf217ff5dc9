import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import type { RatePolicy } from '@invoicecontrol/contracts/rate-limits';
import type { z } from 'zod';
import type { PublicClients, TenantClients } from '../../clients.js';
import type { KeyAccess } from '../access/rights.js';
import type { BodyLimits } from '../body/body.js';
import type { SentFile } from '../body/sent-file.js';
import type { Reply } from '../response/reply.js';
import type { HeaderName } from './published-headers.js';

/** The published form of a success status. */
export interface PublishedResponse {
  readonly description: string;
  /** Absent if there is no body, or if the body is not JSON. */
  readonly schema?: z.ZodType;
  /** Media types of a body that is a file. */
  readonly mediaTypes?: readonly string[];
  /** Headers beyond those of every response. */
  readonly headers?: readonly HeaderName[];
}

/** The routes about one resource, as a tag of the published description. */
export interface Resource {
  readonly tag: string;
  readonly description: string;
  readonly routes: readonly Route[];
}

type NoFields = z.ZodObject<Record<never, never>>;

/** Input of a handler, after key, limits, rights and shape have been checked. */
export interface RouteInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly params: z.infer<P>;
  readonly query: z.infer<Q>;
  readonly body: z.infer<B>;
  /** SHA-256 of the body as canonical JSON; set only if the route honours the key. */
  readonly fingerprint: string;
  /** Body as it was sent; only for a route that takes it unparsed, see {@link Described.rawBodyBytesMax}. */
  readonly rawBody: Buffer;
  /** Query as it was sent, without `?`, for an owner that reads it itself. */
  readonly rawQuery: string;
  /** The Idempotency-Key, or empty without the header; set only if the route honours the key. */
  readonly idempotencyKey: string;
  /** The If-None-Match header, for responses with an ETag. */
  readonly ifNoneMatch: string | undefined;
  /** Headers, for responses that depend on more of them than those above. */
  readonly headers: IncomingHttpHeaders;
  /** True when the request is for the headers of the response without its body. */
  readonly isHead: boolean;
}

interface Described<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> {
  /** Unique name, the `operationId` of the published description. */
  readonly operation: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path below `/v1`, with parameters written `:companyId`. */
  readonly path: string;
  readonly summary: string;
  /** Description for callers, in addition to the summary. */
  readonly description?: string;
  /** The rpc of the owner that answers: `<package>.<Service>/<Rpc>`. */
  readonly rpc: string;
  /** Further rpcs that are called for the response. */
  readonly alsoAsks?: readonly string[];
  /** Time limit of each call to the owner, retries included; 5 seconds by default. */
  readonly timeoutMs?: number;
  /** Name of the resource of the path, for the 404: malformed, foreign and unknown ids get the same message. */
  readonly resourceName?: string;
  /** Path parameters. A malformed id is refused with 404, like an unknown one. */
  readonly params?: P;
  /** Schema of the query; the query is ignored when it is absent. */
  readonly query?: Q;
  readonly body?: B;
  /** A request without a body is treated as one with `{}`. */
  readonly isBodyOptional?: true;
  /** Limits of a long body; {@link JSON_BODY_LIMITS} by default. */
  readonly bodyLimits?: BodyLimits;
  /** The body is a form of the browser (`application/x-www-form-urlencoded`), each field once; JSON otherwise. */
  readonly isForm?: true;
  /**
   * Maximum size of a body that is passed on as it was sent. A signature over its bytes proves the right to call, and
   * refused bodies do not count against their address. The schema only describes the body.
   */
  readonly rawBodyBytesMax?: number;
  /**
   * Reads the body in place of its schema, which then only describes the body. Used where rules about several fields apply, or
   * where checking all at once would block other requests. Throws or rejects with DomainError `invalid`.
   */
  readonly checkBody?: (body: unknown) => z.infer<B> | Promise<z.infer<B>>;
  /** True when If-None-Match is honoured; otherwise it is ignored. */
  readonly isConditional?: true;
  /** True when Idempotency-Key is honoured; otherwise it is ignored. */
  readonly honoursIdempotencyKey?: true;
  /** True when a repeat takes effect once without a key too, because the request names what it creates. */
  readonly takesEffectOnce?: true;
  /** True when a gateway runs one such request of an organization at a time; another one at the same time gets a 409. */
  readonly isOneAtATime?: true;
  /** A rate limit beyond those of every request. */
  readonly ratePolicy?: RatePolicy;
  /** Responses by status; the first is the usual one. */
  readonly responses: Readonly<Record<number, PublishedResponse>>;
  /** Published refusals, such as `409`, beyond those that follow from key, parameters and body. */
  readonly refusals?: readonly number[];
}

/** A route that needs an API key. */
export interface KeyRoute<
  P extends z.ZodObject = NoFields,
  Q extends z.ZodObject = NoFields,
  B extends z.ZodType = z.ZodUndefined,
> extends Described<P, Q, B> {
  readonly access: KeyAccess;
  handle(input: RouteInput<P, Q, B> & { readonly principal: Principal }, clients: TenantClients): Promise<Reply>;
}

/** A route without a key: a token in its body proves the right to call. Its rate limit is by address. */
export interface PublicRoute<
  P extends z.ZodObject = NoFields,
  Q extends z.ZodObject = NoFields,
  B extends z.ZodType = z.ZodUndefined,
> extends Described<P, Q, B> {
  readonly access: 'public';
  handle(input: RouteInput<P, Q, B>, clients: PublicClients): Promise<Reply>;
}

/** A route whose body is a file, handed to its owner while it comes. A token in the URL may replace the key. */
export interface FileRoute<P extends z.ZodObject = NoFields> extends Described<P, NoFields, z.ZodUndefined> {
  readonly access: KeyAccess;
  /** Accepted media types as published; the owner decides. */
  readonly mediaTypes: readonly string[];
  /**
   * Finds the organization whose file the token in the URL authorizes.
   * @throws DomainError unauthenticated, not_found
   */
  authorize(input: { readonly params: z.infer<P>; readonly token: string }, clients: PublicClients): Promise<string>;
  receive(
    input: { readonly params: z.infer<P>; readonly right: FileRight; readonly file: SentFile },
    clients: PublicClients,
  ): Promise<Reply>;
}

/** The organization or the token that authorizes a file. */
export type FileRight = { readonly organizationId: string } | { readonly token: string };

export type AnyFileRoute = FileRoute<z.ZodObject>;
export type AnyKeyRoute = KeyRoute<z.ZodObject, z.ZodObject, z.ZodType>;
export type AnyPublicRoute = PublicRoute<z.ZodObject, z.ZodObject, z.ZodType>;

/** A route as the table holds it, with its schema types erased. */
export type Route = AnyKeyRoute | AnyPublicRoute | AnyFileRoute;

/** States a route as data; the handler's input follows from its schemas. */
export function route<
  P extends z.ZodObject = NoFields,
  Q extends z.ZodObject = NoFields,
  B extends z.ZodType = z.ZodUndefined,
>(definition: KeyRoute<P, Q, B>): Route {
  return definition as unknown as AnyKeyRoute;
}

/** Same as {@link route} for a route without a key. */
export function publicRoute<
  P extends z.ZodObject = NoFields,
  Q extends z.ZodObject = NoFields,
  B extends z.ZodType = z.ZodUndefined,
>(definition: PublicRoute<P, Q, B>): Route {
  return definition as unknown as AnyPublicRoute;
}

/** Same as {@link route} for a route that takes a file. */
export function fileRoute<P extends z.ZodObject = NoFields>(definition: FileRoute<P>): Route {
  return definition as unknown as AnyFileRoute;
}

export function isFileRoute(route: Route): route is AnyFileRoute {
  return 'receive' in route;
}

/** Returns the path as it is published and as requests are counted, such as `/companies/{companyId}`. */
export function pathTemplate(path: string): string {
  return path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
}
