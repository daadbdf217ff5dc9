/** Maximum message size. 4 MiB is the default of gRPC; it is stated here because both sides must use the same limit. */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Maximum message size of services whose messages contain whole files: a request body of 10 MiB with added fields, or a
 * page of a hundred complete records.
 */
export const LARGE_MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
