const DAY_MS = 24 * 3_600_000;

/** Time for which a certificate authority on one machine is valid. */
export const AUTHORITY_MS = 30 * DAY_MS;
/** Time for which the certificate of a service on one machine is valid. */
export const LEAF_MS = 7 * DAY_MS;
/** Certificates begin this long before they are made, for machines whose clocks are late. */
export const BACKDATED_MS = 60_000;
