/** What a handler answers; the status is one of the route's `responses`. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  /** In place of a body: bytes that are sent as they come. What they are stands in the headers. */
  readonly content?: AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}
