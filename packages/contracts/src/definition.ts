/** Functions that encode and decode gRPC messages of one type, in the form that the code generator writes. */
export interface Codec<T> {
  encode(message: T): { finish(): Uint8Array };
  decode(bytes: Uint8Array): T;
}

/** One method (rpc) of a generated gRPC service definition. */
export interface Rpc {
  readonly name: string;
  // oxlint-disable-next-line no-explicit-any -- the message types differ per method
  readonly requestType: Codec<any>;
  readonly requestStream: boolean;
  // oxlint-disable-next-line no-explicit-any -- the message types differ per method
  readonly responseType: Codec<any>;
  readonly responseStream: boolean;
  readonly options: { readonly idempotencyLevel?: 'IDEMPOTENT' | 'NO_SIDE_EFFECTS' };
}

/** The generated definition of a gRPC service, which does not depend on a transport. */
export interface Definition {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, Rpc>>;
}

type MessageOf<C> = C extends Codec<infer T> ? T : never;

/**
 * The methods of a service as functions. `Call` is the second argument: call options in a client, and the context in a
 * server. Streamed requests or responses are async iterables; no method streams in both directions.
 */
export type Methods<D extends Definition, Call> = {
  [K in keyof D['methods']]: Method<D['methods'][K], Call>;
};

type Method<R extends Rpc, Call> = R extends { readonly requestStream: true }
  ? (requests: AsyncIterable<MessageOf<R['requestType']>>, call: Call) => Promise<MessageOf<R['responseType']>>
  : R extends { readonly responseStream: true }
    ? (request: MessageOf<R['requestType']>, call: Call) => AsyncIterable<MessageOf<R['responseType']>>
    : (request: MessageOf<R['requestType']>, call: Call) => Promise<MessageOf<R['responseType']>>;
