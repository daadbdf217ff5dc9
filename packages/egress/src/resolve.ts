import { Resolver } from 'node:dns/promises';

/** Returns all IPv4 and IPv6 addresses of a host name, in the order of the responses. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Error of a host name that has no address, or about which no name server responded. */
export class UnresolvedNameError extends Error {
  constructor(name: string, options?: ErrorOptions) {
    super(`The host ${name} has no address.`, options);
    this.name = 'UnresolvedNameError';
  }
}

const TRY_MS = 2_000;
const TRIES = 2;

/**
 * Queries name servers for A and AAAA records. The hosts file is not used, because it is meant for the machine and not
 * for names of customers.
 * @param servers name servers as `address:port`; empty for the name servers of the system
 */
export function resolveWith(servers: readonly string[]): Resolve {
  return async (name) => {
    // Each DNS lookup has its own resolver, so that a query that hangs does not delay other queries.
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    throw new UnresolvedNameError(name, { cause: answers.find((answer) => answer.status === 'rejected')?.reason });
  };
}
