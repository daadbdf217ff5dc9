// The outside systems of a workstation: local counterparts that check what the real ones check.
import { startEcbFeedSimulator } from '@invoicecontrol/simulators/ecb-feed';

export interface Simulators {
  /** What tells the services where their outside systems are. */
  readonly env: Readonly<Record<string, string>>;
  /** By name, as `.data/demo.json` tells them. */
  readonly urls: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startSimulators(): Promise<Simulators> {
  const ecbFeed = await startEcbFeedSimulator();
  return {
    env: { ECB_FEED_URL: ecbFeed.url },
    urls: { ecbFeed: ecbFeed.url },
    stop: () => ecbFeed.stop(),
  };
}
