import { isIP } from 'node:net';
import { z } from 'zod';
import { parseCidr } from './addresses.js';

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((entry) => (entry.trim() === '' ? [] : [entry.trim()])));

/** Checks whether a text is the address of a DNS server: `address:port`, with an IPv6 address in brackets. */
function isDnsServer(text: string): boolean {
  const [, bracketed, plain, port] = /^(?:\[([0-9A-Fa-f:]+)\]|([0-9.]+)):(\d{1,5})$/.exec(text) ?? [];
  return isIP(bracketed ?? plain ?? '') !== 0 && Number(port) > 0 && Number(port) <= 65_535;
}

/**
 * Settings for calls to customer URLs. The configuration schema of every service that makes such calls includes them.
 * All are empty by default. {@link weakenedBy} names the settings that are refused in production.
 */
export const egressSettings = {
  /** Ranges of non-public addresses that are allowed, both when a URL is registered and when it is called. */
  EGRESS_ALLOW_CIDRS: list.refine((cidrs) => cidrs.every((cidr) => parseCidr(cidr) !== undefined), {
    message: 'must be ranges such as 127.0.0.1/32, separated by commas',
  }),
  /** Setting that allows customers to use `http:` URLs. */
  EGRESS_ALLOW_HTTP: z.stringbool().default(false),
  /**
   * Name servers that resolve the names of customer URLs (A and AAAA records). Empty for the name servers of the
   * system.
   */
  EGRESS_DNS_SERVERS: list.refine((servers) => servers.every(isDnsServer), {
    message: 'must be address:port, separated by commas',
  }),
};

export interface EgressSettings {
  readonly EGRESS_ALLOW_CIDRS: readonly string[];
  readonly EGRESS_ALLOW_HTTP: boolean;
  readonly EGRESS_DNS_SERVERS: readonly string[];
}

/** Returns the names of the settings that weaken the egress guard. */
export function weakenedBy({ EGRESS_ALLOW_CIDRS, EGRESS_ALLOW_HTTP }: EgressSettings): string[] {
  return [
    ...(EGRESS_ALLOW_CIDRS.length > 0 ? ['EGRESS_ALLOW_CIDRS'] : []),
    ...(EGRESS_ALLOW_HTTP ? ['EGRESS_ALLOW_HTTP'] : []),
  ];
}
