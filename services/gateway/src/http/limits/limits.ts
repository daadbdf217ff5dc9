/** Bounds of the transport (HTTP and security reference, section 2). */
export const URL_LENGTH_MAX = 8 * 1024;
export const HEADERS_BYTES_MAX = 16 * 1024;
/** Maximum length of all headers of one name together. No header that this API reads needs more than some hundred characters. */
export const HEADER_VALUE_LENGTH_MAX = 4 * 1024;
export const CONNECTIONS_MAX = 5_000;
/** Connections with a good key or token that one organization may have; beyond them they count in the share of their address. */
export const ORGANIZATION_CONNECTIONS_MAX = 500;
/** Maximum for all organizations: the rest stay connections of strangers, so that a new one always finds room. */
export const RECOGNIZED_CONNECTIONS_MAX = 4_000;
export const REQUESTS_PER_CONNECTION_MAX = 1_000;
/** Requests of one connection that wait for their answers; a client that does not pipeline has one. */
export const PIPELINED_MAX = 32;

/** Files that one process receives at the same time; each is some hundred KiB of memory. */
export const FILES_IN_FLIGHT_MAX = 200;
/** Part of them that one organization may have. */
export const ORGANIZATION_FILES_IN_FLIGHT_MAX = 40;
/** Archives that one process writes at the same time; each reads from every service for minutes. */
export const LONG_ANSWERS_MAX = 8;
/** Time in which a client must send a file; everything else is bounded by {@link Timeouts}. */
export const FILE_BODY_MS = 300_000;
/**
 * Minimum number of bytes of a body that must arrive in each {@link Timeouts.bodyWindowMs} while the gateway waits for it: 4 KiB a second.
 */
export const BODY_WINDOW_BYTES_MIN = 40 * 1024;

/** Time limits for clients. Node looks at its connections only so often, hence the interval. */
export interface Timeouts {
  readonly headersMs: number;
  readonly requestMs: number;
  /** Window in which {@link BODY_WINDOW_BYTES_MIN} of a body must arrive; only time in which the gateway waits for the client counts. */
  readonly bodyWindowMs: number;
  /** Longer than the idle time of the balancer in front, which would otherwise meet closed connections. */
  readonly keepAliveMs: number;
  /** Time from a complete response until the client has taken its last byte. */
  readonly writeMs: number;
  /** Time from a refusal that ends the connection to its end; earlier requests may be answered until then. */
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
