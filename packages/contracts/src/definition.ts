/** Encodes and decodes one message, as the generator writes it. */
export interface Codec<T> {
  encode(message: T): { finish(): Uint8Array };
  decode(bytes: Uint8Array): T;
}

/** One rpc of a generated service definition. */
export interface Rpc {
  readonly name: string;
  // oxlint-disable-next-line no-explicit-any -- the message types differ per method
  readonly requestType: Codec<any>;
  readonly requestStream: boolean;
  // oxlint-disable-next-line no-explicit-any -- as above
  readonly responseType: Codec<any>;
  readonly responseStream: boolean;
  readonly options: { readonly idempotencyLevel?: 'IDEMPOTENT' | 'NO_SIDE_EFFECTS' };
}

/** A generated service definition, independent of the transport. */
export interface Definition {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, Rpc>>;
}

type MessageOf<C> = C extends Codec<infer T> ? T : never;

/** The rpcs of a service as functions; `Call` is the second argument: call options in a client, the context in a server. */
export type Methods<D extends Definition, Call> = {
  [K in keyof D['methods']]: (
    request: MessageOf<D['methods'][K]['requestType']>,
    call: Call,
  ) => Promise<MessageOf<D['methods'][K]['responseType']>>;
};
