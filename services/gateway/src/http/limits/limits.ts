/** Bounds of HTTP requests and responses (HTTP and security reference, section 2). */
export const URL_LENGTH_MAX = 8 * 1024;
export const HEADERS_BYTES_MAX = 16 * 1024;
/**
 * Maximum total length of all headers with the same name. No header in this API needs more than a few hundred
 * characters.
 */
export const HEADER_VALUE_LENGTH_MAX = 4 * 1024;
export const CONNECTIONS_MAX = 5_000;
/**
 * Maximum number of connections with a valid key or token for one organization. Further connections count towards the
 * limit of their IP address.
 */
export const ORGANIZATION_CONNECTIONS_MAX = 500;
/**
 * Maximum number of connections for all organizations together. The remaining connections are reserved for unknown
 * callers, so that a new connection is always possible.
 */
export const RECOGNIZED_CONNECTIONS_MAX = 4_000;
export const REQUESTS_PER_CONNECTION_MAX = 1_000;
/** Maximum number of pipelined requests on one connection. A client without pipelining sends one request at a time. */
export const PIPELINED_MAX = 32;

/**
 * Maximum number of uploaded files that one process receives at the same time. Each file takes some hundred KiB of
 * memory.
 */
export const FILES_IN_FLIGHT_MAX = 200;
/** Maximum number of uploaded files that one organization sends at the same time. */
export const ORGANIZATION_FILES_IN_FLIGHT_MAX = 40;
/**
 * Maximum number of payment runs that one organization reads as a whole at the same time. A run of 10,000 lines takes
 * seconds, and a request without a body is not limited by the bytes that its organization sends.
 */
export const ORGANIZATION_WHOLE_RUNS_MAX = 4;
/**
 * Maximum number of data export archives that one process writes at the same time. Each archive takes minutes and reads
 * from every service.
 */
export const LONG_ANSWERS_MAX = 8;
/** Time limit for uploading a file. All other times are limited by {@link Timeouts}. */
export const FILE_BODY_MS = 300_000;
/**
 * Minimum number of request body bytes that must arrive in each {@link Timeouts.bodyWindowMs} while the gateway waits
 * for the body: 4 KiB a second.
 */
export const BODY_WINDOW_BYTES_MIN = 40 * 1024;

/** Time limits for HTTP clients. Node.js checks its connections at intervals. */
export interface Timeouts {
  readonly headersMs: number;
  readonly requestMs: number;
  /**
   * Period within which {@link BODY_WINDOW_BYTES_MIN} of a request body must arrive. Only the time in which the gateway
   * is waiting for the client counts.
   */
  readonly bodyWindowMs: number;
  /**
   * Time in milliseconds for which idle HTTP connections are kept. The time must be longer than the keep-alive time of
   * the load balancer, which would otherwise send requests on connections that were closed.
   */
  readonly keepAliveMs: number;
  /** Time limit from the end of a response until the client must have received its last byte. */
  readonly writeMs: number;
  /**
   * Time limit from a refusal that closes the connection until the connection is closed. Earlier requests on the
   * connection may get their responses until then.
   */
  readonly closingMs: number;
  readonly checkingIntervalMs: number;
}

export const TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 60_000,
  bodyWindowMs: 10_000,
  keepAliveMs: 65_000,
  writeMs: 60_000,
  closingMs: 10_000,
  checkingIntervalMs: 1_000,
};
