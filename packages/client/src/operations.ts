// Types of the operations, which are computed from the generated API description. This file has no code at run time.
import type { paths } from './gen/openapi.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Paths of the API that support the given HTTP method. */
export type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends { readonly [K in M]: object } ? P : never;
}[keyof paths];

export type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>;

type Parameters<O, In extends 'path' | 'query' | 'header'> = O extends { readonly parameters: infer All }
  ? NonNullable<All[In & keyof All]>
  : never;

/** Type of the JSON body of a response of the API. An operation without a body has the type `never`. */
type Json<R> = R extends { readonly content: { readonly 'application/json': infer T } } ? T : never;

/** The type of the request body of an API operation, with its required and optional fields. */
type Body<O> = O extends { readonly requestBody?: infer R } ? Json<NonNullable<R>> : never;

/**
 * Type of one option of an API call, such as `path` or `query`. The option does not exist if the operation has no
 * parameters of this kind, and is optional if none of them is required.
 */
type Option<Name extends string, T> = [T] extends [never]
  ? unknown
  : object extends T
    ? { readonly [K in Name]?: T }
    : { readonly [K in Name]: T };

/** Operations without parameters are handled first, because `keyof never` contains every name. */
type Has<T, Name extends string> = [T] extends [never] ? false : Name extends keyof T ? true : false;

type HonoursIdempotencyKey<O> = Has<Parameters<O, 'header'>, 'Idempotency-Key'>;

/** POST paths that return the first response again if the Idempotency-Key is the same. */
export type KeyedPath = {
  [P in PathsWith<'post'>]: HonoursIdempotencyKey<Operation<P, 'post'>> extends true ? P : never;
}[PathsWith<'post'>];

/** The options with which the API client calls an operation. */
export type CallOptions<O> = Option<'path', Parameters<O, 'path'>> &
  Option<'query', Parameters<O, 'query'>> &
  Option<'body', Body<O>> &
  (HonoursIdempotencyKey<O> extends true
    ? {
        /**
         * Idempotency-Key of the API call, 1 to 255 visible ASCII characters, such as the id of the document in your
         * system. The client creates a random key by default.
         */
        readonly idempotencyKey?: string;
      }
    : unknown) & {
    readonly headers?: Readonly<Record<string, string>>;
    /**
     * Signal that aborts the API call with all its attempts and pauses. The call rejects with the reason of the signal.
     */
    readonly signal?: AbortSignal;
  };

/** The body of the successful response to an API call, or undefined if there is none. */
export type Data<O> = O extends { readonly responses: infer All }
  ? {
      [S in keyof All & (200 | 201 | 202 | 204)]: All[S] extends { content: { readonly 'application/json': infer T } }
        ? T
        : undefined;
    }[keyof All & (200 | 201 | 202 | 204)]
  : never;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Paths of API lists that are returned in pages. */
export type PagedPath = {
  [P in PathsWith<'get'>]: Has<Parameters<Operation<P, 'get'>, 'query'>, 'cursor'> extends true ? P : never;
}[PathsWith<'get'>];

export type ItemOf<P extends PagedPath> = Data<Operation<P, 'get'>> extends Page<infer Item> ? Item : never;

/** The media types of a successful response of the API. */
type MediaTypes<O> = O extends { readonly responses: { readonly 200: { readonly content: infer C } } }
  ? keyof C
  : never;

/** POST paths that accept an XML file as their body. */
export type XmlPath = {
  [P in PathsWith<'post'>]: Operation<P, 'post'> extends { readonly requestBody?: infer R }
    ? NonNullable<R> extends { readonly content: { readonly 'application/xml': unknown } }
      ? P
      : never
    : never;
}[PathsWith<'post'>];

/**
 * API paths whose response is a file, including paths that return a file only to callers who ask for it by `Accept`.
 */
export type FilePath = {
  [P in PathsWith<'get'>]: [Exclude<MediaTypes<Operation<P, 'get'>>, 'application/json'>] extends [never] ? never : P;
}[PathsWith<'get'>];
