/**
 * The request rate limits. The gateway defines the numbers, and the organization service counts the requests in each
 * time window (HTTP and security reference, section 7).
 */
export const ratePolicies = ['default', 'organization', 'writes', 'scans', 'documents'] as const;

export type RatePolicy = (typeof ratePolicies)[number];

/** The highest rate limit that can be configured. */
export const REQUESTS_PER_MINUTE_MAX = 100_000_000;
