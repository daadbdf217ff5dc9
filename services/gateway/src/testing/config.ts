import { addressVariable } from '@invoicecontrol/runtime/config';
import { testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { owners } from '../clients.js';
import { configSchema } from '../config.js';
import type { Config } from '../config.js';
import type { Fakes } from './fakes.js';

/** Returns the configuration of a gateway on a free port that calls the fake services at the given addresses. */
export function testConfig({ natsUrl }: { readonly natsUrl: string }, addresses: Fakes['addresses']): Config {
  return configSchema.parse({
    PORT: '0',
    TLS_DIR: testIdentityDirectory('gateway'),
    ...Object.fromEntries(owners.map((owner) => [addressVariable(owner), addresses[owner]])),
    NATS_URL: natsUrl,
    LOG_LEVEL: 'silent',
  });
}
