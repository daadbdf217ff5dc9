// Starts one product for the end-to-end tests, in which each test file has separate tenants. Vitest runs this module
// once before these tests.
import { randomBytes } from 'node:crypto';
import { newSecrets } from '@invoicecontrol/topology/start';
import { testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { dropDatabases } from './drop-databases.js';
import { identitiesForTests } from './identities-for-tests.js';
import { startSystem } from './system.js';
import type { SharedSystem } from './system.js';

/** Starts the product after `test-servers.ts`. @returns a function that ends the product and removes its databases */
export async function setup(): Promise<() => Promise<void>> {
  const { mongodbUrl, natsUrl } = testInfrastructure();
  const secrets = newSecrets();
  const identities = await identitiesForTests();
  const databasePrefix = `test_${randomBytes(8).toString('hex')}_`;
  const { baseUrl, addresses, stop } = await startSystem({
    mongodbUrl,
    natsUrl,
    secrets,
    identities,
    databasePrefix,
    env: {
      LOG_LEVEL: 'silent',
      // Each test file uses a different client address, so that refused API keys of one file do not count for another.
      TRUSTED_PROXY_HOPS: '1',
      // Rate limit of an API key in tests. Test files about scans send more requests in a minute than a client may.
      RATE_LIMIT_SCANS_PER_MINUTE: '1000',
      // IP addresses that the services may call. They are all loopback addresses, because tests call no other address.
      EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
    },
  });
  const shared: SharedSystem = { baseUrl, addresses, identities, databasePrefix };
  process.env.SHARED_SYSTEM = JSON.stringify(shared);
  return async () => {
    await stop();
    await dropDatabases(mongodbUrl, databasePrefix);
  };
}
