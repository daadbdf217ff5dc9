import { lookup } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { repeat } from '@invoicecontrol/runtime/repeat';

/** Time between two counts of the gateways. An autoscaler adds or removes gateways in steps of half a minute. */
export const COUNT_INTERVAL_MS = 10_000;

export type Resolve = (hostname: string) => Promise<readonly Pick<LookupAddress, 'family'>[]>;

export interface PeerCountOptions {
  /**
   * Host name that resolves to the addresses of the gateways. Without a host name, the number of gateways is `initial`.
   */
  readonly hostname: string | undefined;
  /** Number of gateways that is used until the gateways have been counted. */
  readonly initial: number;
  readonly logger: Logger;
  readonly resolve?: Resolve;
}

/**
 * Counts the gateways that share the rate limits, so that the share of each gateway changes when an autoscaler adds or
 * removes gateways. Each gateway is one address of a host name, such as a headless Service in Kubernetes. While the
 * name cannot be resolved, the last counted number applies.
 */
export class PeerCount {
  readonly #options: PeerCountOptions;
  readonly #resolve: Resolve;
  #count: number;
  #isFailing = false;
  #counting: { stop(): Promise<void> } | undefined;

  constructor(options: PeerCountOptions) {
    this.#options = options;
    // The resolver of the system adds the search domains of the pod to a short name such as `gateway-peers`.
    this.#resolve = options.resolve ?? ((hostname) => lookup(hostname, { all: true }));
    this.#count = options.initial;
  }

  get count(): number {
    return this.#count;
  }

  start(): void {
    const { hostname } = this.#options;
    if (hostname === undefined) return;
    void this.#refresh(hostname);
    this.#counting = repeat(
      COUNT_INTERVAL_MS,
      () => this.#refresh(hostname),
      () => {},
    );
  }

  async stop(): Promise<void> {
    await this.#counting?.stop();
  }

  /** Counts the addresses of the gateways. A failure is logged once until a count succeeds again. */
  async #refresh(hostname: string): Promise<void> {
    try {
      const addresses = await this.#resolve(hostname);
      // In a cluster with IPv4 and IPv6, each gateway has an address of both families.
      const families = [4, 6].map((family) => addresses.filter((address) => address.family === family).length);
      const count = Math.max(...families);
      if (count === 0) throw new Error(`The host ${hostname} has no address in DNS. Check GATEWAY_PEERS.`);
      this.#isFailing = false;
      this.#count = count;
    } catch (error) {
      if (!this.#isFailing)
        this.#options.logger.warn({ error, hostname, gateways: this.#count }, 'the gateways could not be counted');
      this.#isFailing = true;
    }
  }
}
