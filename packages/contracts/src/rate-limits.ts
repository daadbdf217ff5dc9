/** The limits of requests: the gateway has their numbers, organization keeps their windows (HTTP and security reference, 7). */
export const ratePolicies = ['default', 'organization', 'writes', 'scans', 'documents'] as const;

export type RatePolicy = (typeof ratePolicies)[number];

/** The highest limit that may be configured. */
export const REQUESTS_PER_MINUTE_MAX = 100_000_000;
