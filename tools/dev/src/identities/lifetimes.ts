const DAY_MS = 24 * 3_600_000;

/** Time for which the certificate authority of an installation on one machine is valid. */
export const AUTHORITY_MS = 30 * DAY_MS;
/** Time for which the certificate of a service is valid in an installation on one machine. */
export const LEAF_MS = 7 * DAY_MS;
/**
 * Time by which the validity of a certificate begins before its creation, because the clock of another machine may be
 * slow.
 */
export const BACKDATED_MS = 60_000;
