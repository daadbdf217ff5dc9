// vitest runs this module before the first test file of each project. The test workers get the certificates of the
// services through the environment.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { startOrder } from '@invoicecontrol/topology/services';
import { createAuthority, issueIdentity, prepareIdentities } from './identities/identities.js';

const HOUR_MS = 3_600_000;
const GATEWAY = `spiffe://${TRUST_DOMAIN_DEFAULT}/service/gateway`;

/**
 * Creates a certificate authority for a test run, with a certificate for each service and for the operator, and
 * certificates that a service must refuse. The first test project creates them, and later projects find them in the
 * environment.
 * @returns a function that removes the certificates
 */
export async function setup(): Promise<() => Promise<void>> {
  if (process.env.TEST_IDENTITIES !== undefined) return async () => {};
  const directory = await mkdtemp(join(tmpdir(), 'invoice-control-identities-'));
  // The tests of the service shell start services with the name `test`.
  await prepareIdentities(directory, [...startOrder, 'operator', 'nats', 'test']);
  const authority = await createAuthority(directory);
  const issue = (name: string, options: { uris?: string[]; notBefore?: Date; notAfter?: Date } = {}): Promise<void> =>
    issueIdentity(authority, { directory: join(directory, name), service: 'gateway', ...options });
  const now = Date.now();
  await issue('expired', { notBefore: new Date(now - 2 * HOUR_MS), notAfter: new Date(now - HOUR_MS) });
  await issue('future', { notBefore: new Date(now + HOUR_MS), notAfter: new Date(now + 2 * HOUR_MS) });
  await issue('stranger', { uris: ['spiffe://elsewhere.example/service/gateway'] });
  await issue('noUri', { uris: [] });
  await issue('twoUris', { uris: [GATEWAY, `spiffe://${TRUST_DOMAIN_DEFAULT}/service/organization`] });
  const other = await createAuthority(join(directory, 'other-authority'));
  // This caller has a certificate of another authority but trusts the authority of the services. Otherwise the caller
  // itself would end the connection before the services can refuse it.
  const otherIssuer = { ...other, bundle: authority.bundle };
  await issueIdentity(otherIssuer, { directory: join(directory, 'otherAuthority'), service: 'gateway' });
  process.env.TEST_IDENTITIES = directory;
  return async () => {
    delete process.env.TEST_IDENTITIES;
    await rm(directory, { recursive: true, force: true });
  };
}
