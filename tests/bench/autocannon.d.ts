// Types of the part of autocannon that the benchmarks use. The package has no types.
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
    /** Duration of the benchmark's load in seconds. */
    readonly duration: number;
    /** Interval in milliseconds at which the load of a benchmark is sampled. */
    readonly sampleInt: number;
    /** Number of requests after which a connection is opened again. */
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
