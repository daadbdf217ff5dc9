/** A server that a crash test can kill and restart on the same address. */
export interface Server {
  url: string;
  /** Describes the server and its source for people. */
  about: string;
  /** Id of the child process; undefined for a server in Docker and for one that was given. */
  processId(): number | undefined;
  /** Ends it as a crash would, without a chance to tidy up. */
  kill(): Promise<void>;
  /** Starts it again after `kill` with the same data on the same port. */
  restart(): Promise<void>;
  /** Stops until `resume`: its connections stay, and no request gets a response. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}
