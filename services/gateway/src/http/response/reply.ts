/** Response of a handler; the status is one of the route's `responses`. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  /** Bytes that are sent as they come, in place of a body. The headers describe them. */
  readonly content?: AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}
