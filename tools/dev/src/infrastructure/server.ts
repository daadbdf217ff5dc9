/** A server that a crash test can kill and restart on the same address. */
export interface Server {
  url: string;
  /** Text that names the server and where it comes from. */
  about: string;
  /** Id of the child process. Undefined for a server in Docker and for a server that was configured by its address. */
  processId(): number | undefined;
  /** Ends the server process as a crash would, without a chance to clean up. */
  kill(): Promise<void>;
  /** Starts the killed MongoDB or NATS server again, with the same data and port. */
  restart(): Promise<void>;
  /** Pauses the server process until `resume` is called: its connections stay open, and no request gets a response. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** A NATS server that proves its identity with a certificate. */
export interface Broker extends Server {
  /** Makes the NATS server read its certificate files again. Open connections continue. */
  readIdentity(): Promise<void>;
}
