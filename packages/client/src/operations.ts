// Types of calls, computed from the generated description. Nothing here exists at run time.
import type { paths } from './gen/openapi.js';

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** The paths that have this method. */
export type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends { readonly [K in M]: object } ? P : never;
}[keyof paths];

export type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>;

type Parameters<O, In extends 'path' | 'query' | 'header'> = O extends { readonly parameters: infer All }
  ? NonNullable<All[In & keyof All]>
  : never;

/** Distributes over `never`, which an operation without a body has. */
type Json<R> = R extends { readonly content: { readonly 'application/json': infer T } } ? T : never;

/** The type of the body, required or optional. */
type Body<O> = O extends { readonly requestBody?: infer R } ? Json<NonNullable<R>> : never;

/** No option where there is nothing to say, an optional one where nothing is required. */
type Option<Name extends string, T> = [T] extends [never]
  ? unknown
  : object extends T
    ? { readonly [K in Name]?: T }
    : { readonly [K in Name]: T };

/** `keyof never` has every name, so an operation without parameters is distinguished first. */
type Has<T, Name extends string> = [T] extends [never] ? false : Name extends keyof T ? true : false;

type HonoursIdempotencyKey<O> = Has<Parameters<O, 'header'>, 'Idempotency-Key'>;

/** POST paths whose first response is repeated under the same Idempotency-Key. */
export type KeyedPath = {
  [P in PathsWith<'post'>]: HonoursIdempotencyKey<Operation<P, 'post'>> extends true ? P : never;
}[PathsWith<'post'>];

/** The options of a call. */
export type CallOptions<O> = Option<'path', Parameters<O, 'path'>> &
  Option<'query', Parameters<O, 'query'>> &
  Option<'body', Body<O>> &
  (HonoursIdempotencyKey<O> extends true
    ? {
        /** Your own name of the document, 1 to 255 visible ASCII characters. A random one unless told. */
        readonly idempotencyKey?: string;
      }
    : unknown) & {
    readonly headers?: Readonly<Record<string, string>>;
    /** Ends the call, its attempts and its pauses; the call rejects with the reason. */
    readonly signal?: AbortSignal;
  };

/** The body of the successful response; undefined if it has none. */
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

/** Lists that come in pages. */
export type PagedPath = {
  [P in PathsWith<'get'>]: Has<Parameters<Operation<P, 'get'>, 'query'>, 'cursor'> extends true ? P : never;
}[PathsWith<'get'>];

export type ItemOf<P extends PagedPath> = Data<Operation<P, 'get'>> extends Page<infer Item> ? Item : never;
