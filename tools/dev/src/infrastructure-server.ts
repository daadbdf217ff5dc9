/** A server that can be taken away and brought back under the same address, as the tests of crashes do. */
export interface Server {
  url: string;
  /** Ends it as a crash would, without a chance to tidy up. */
  kill(): Promise<void>;
  /** Starts it again after `kill` with the same data on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}
