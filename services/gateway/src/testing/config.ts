import { addressVariable } from '@invoicecontrol/runtime/config';
import { owners } from '../clients.js';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';

/** Returns the configuration of a gateway on a free port, with one server that replaces all services. */
export function testConfig({ natsUrl }: { readonly natsUrl: string }, servicesAddress: string): Config {
  return configSchema.parse({
    PORT: '0',
    ...Object.fromEntries(owners.map((owner) => [addressVariable(owner), servicesAddress])),
    NATS_URL: natsUrl,
    LOG_LEVEL: 'silent',
  });
}
