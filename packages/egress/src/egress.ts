import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import type { buildConnector as BuildConnector } from 'undici';
import { agentsOf, destroyAgents } from './agents.js';
import type { AgentLimits, Agents } from './agents.js';
import { allowedAddresses } from './addresses.js';
import { buildConnector } from './connector.js';
import { literalAddress, readCustomerUrl } from './customer-url.js';
import type { CustomerUrl } from './customer-url.js';
import { resolveWith, UnresolvedNameError } from './resolve.js';
import type { Resolve } from './resolve.js';
import type { EgressSettings } from './settings.js';

/**
 * Error that a customer URL resolves to an address that must not be called. The message contains neither the address
 * nor the network.
 */
export class BlockedAddressError extends Error {
  constructor(host: string) {
    super(`The host ${host} resolves to an address that must not be called.`);
    this.name = 'BlockedAddressError';
  }
}

/** Checks customer URLs and calls them. Each service that calls customer URLs has one instance. */
export interface Egress {
  /**
   * Checks whether the URL may be registered, by its format and the addresses that its name currently resolves to. A
   * name that cannot be resolved within three seconds is accepted, because it may exist later; every call resolves it
   * again.
   */
  checkUrl(text: string): Promise<CustomerUrl>;
  /**
   * HTTP agents whose connections reach only allowed addresses, whatever a name resolves to when the connection is
   * opened.
   */
  readonly agents: Agents;
  close(): void;
}

export interface EgressOptions extends AgentLimits {
  /** Certificate authorities in PEM that are trusted in addition to the authorities that Node.js trusts. */
  readonly extraCa?: string | undefined;
}

/** Replacements of network functions for tests that open no connection. */
export interface EgressOverrides {
  readonly resolve?: Resolve;
  readonly buildConnect?: (
    options: BuildConnector.BuildOptions & { readonly lookup: LookupFunction },
  ) => BuildConnector.connector;
}

const CHECK_MS_MAX = 3_000;

export function openEgress(
  settings: EgressSettings,
  { connectionsPerOrigin, connectMs, peer, extraCa }: EgressOptions,
  { resolve = resolveWith(settings.EGRESS_DNS_SERVERS), buildConnect = buildConnector }: EgressOverrides = {},
): Egress {
  const isAllowed = allowedAddresses(settings.EGRESS_ALLOW_CIDRS);

  /**
   * Returns the IP addresses of a host name. Every address must be allowed, because other code chooses to which of the
   * addresses it connects.
   */
  async function addressesOf(name: string): Promise<readonly string[]> {
    const addresses = await resolve(name);
    if (addresses.length === 0) throw new UnresolvedNameError(name);
    if (!addresses.every(isAllowed)) throw new BlockedAddressError(name);
    return addresses;
  }

  const lookup: LookupFunction = (name, options, callback) => {
    addressesOf(name).then(
      (addresses) => {
        const all = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = all;
        if (options.all === true || first === undefined) callback(null, all);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };

  const connect = buildConnect({
    lookup,
    timeout: connectMs,
    allowH2: false,
    minVersion: 'TLSv1.2',
    // The TLS context is built only once. Reading all authorities for each connection takes about 40 ms of CPU time and
    // 1 MiB.
    ...(extraCa === undefined
      ? {}
      : { secureContext: createSecureContext({ ca: [...rootCertificates, extraCa], minVersion: 'TLSv1.2' }) }),
  });
  const guarded: BuildConnector.connector = (options, callback) => {
    const literal = literalAddress(options.hostname);
    // An IP address in a customer URL is not resolved by name, so the filter of resolved addresses would not check it.
    if (literal !== undefined && !isAllowed(literal)) {
      callback(new BlockedAddressError(options.hostname), null);
      return;
    }
    connect(options, (error, socket) => {
      if (error !== null) {
        callback(error, null);
      } else if (isAllowed(socket.remoteAddress ?? '')) {
        callback(null, socket);
      } else {
        socket.destroy();
        callback(new BlockedAddressError(options.hostname), null);
      }
    });
  };
  const agents = agentsOf(guarded, { connectionsPerOrigin, peer });

  return {
    agents,
    async checkUrl(text) {
      const read = readCustomerUrl(text, { isHttpAllowed: settings.EGRESS_ALLOW_HTTP });
      if ('problem' in read) return read;
      const { hostname } = read.url;
      const literal = literalAddress(hostname);
      if (literal !== undefined) return isAllowed(literal) ? read : refused;
      return (await isBlockedWithin(addressesOf(hostname), CHECK_MS_MAX)) ? refused : read;
    },
    close: () => destroyAgents(agents),
  };
}

const refused: CustomerUrl = {
  problem: 'must resolve to a public address; private, local and reserved addresses are not called',
};

/** Checks whether the IP addresses of a customer URL are known to be blocked. False if the lookup takes too long. */
async function isBlockedWithin(addresses: Promise<readonly string[]>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const isBlocked = addresses.then(
    () => false,
    (error: unknown) => error instanceof BlockedAddressError,
  );
  return Promise.race([isBlocked, timeout]).finally(() => clearTimeout(timer));
}
