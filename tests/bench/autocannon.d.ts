// autocannon brings no types; this is what the benchmarks use of it.
declare module 'autocannon' {
  interface Request {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    /** Milliseconds between two readings of the clock. */
    readonly sampleInt: number;
    /** Each connection is opened again after so many requests. */
    readonly reconnectRate: number;
    readonly requests: readonly { setupRequest(): Request }[];
  }
  interface Run extends PromiseLike<{ readonly errors: number }> {
    on(
      event: 'response',
      listener: (client: unknown, status: number, bytes: number, durationMs: number) => void,
    ): unknown;
  }
  export default function autocannon(options: Options): Run;
}
