import { configSchema } from '../config.js';
import type { Config } from '../config.js';

/** The configuration of a gateway on a free port, in front of one server that stands for all services. */
export function testConfig({ natsUrl }: { readonly natsUrl: string }, servicesAddress: string): Config {
  return configSchema.parse({
    PORT: '0',
    ORGANIZATION_ADDRESS: servicesAddress,
    ANALYSIS_ADDRESS: servicesAddress,
    SCAN_ADDRESS: servicesAddress,
    NATS_URL: natsUrl,
    LOG_LEVEL: 'silent',
  });
}
