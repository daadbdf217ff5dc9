/** 4 MiB is gRPC's own default, stated here because both sides must agree on it. */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * The limit of services whose messages carry whole files of rows: a request body of 10 MiB with room for what is added to it, or
 * a page of a hundred records with all that belongs to them.
 */
export const LARGE_MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
