/**
 * Maximum size of a gRPC message. 4 MiB is the default of gRPC. The product states the limit, because both sides of a
 * call must use the same one.
 */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Maximum message size of services whose messages contain whole files: a request body of 10 MiB with added fields, or a
 * page of a hundred complete records.
 */
export const LARGE_MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
