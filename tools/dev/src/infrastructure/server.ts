/** A server that a crash test can kill and restart on the same address. */
export interface Server {
  url: string;
  /** Which server it is, and from where, for people. */
  about: string;
  /** Of the process that runs here and is ours; undefined for a server in Docker and for one that was given. */
  processId(): number | undefined;
  /** Ends it as a crash would, without a chance to tidy up. */
  kill(): Promise<void>;
  /** Starts it again after `kill` with the same data on the same port. */
  restart(): Promise<void>;
  /** Stands still until `resume`: its connections stay, and nothing is answered. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}
