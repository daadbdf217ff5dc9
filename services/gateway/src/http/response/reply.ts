/** Response of a route handler. Its status must be one of the `responses` of the route. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  /** Bytes of a response that are sent as they arrive, instead of a JSON body. The headers describe the bytes. */
  readonly content?: AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns bytes that are already complete as the content of a response, which is then sent in one piece. */
export async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
