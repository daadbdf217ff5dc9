import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { progress, say, seconds } from './progress.js';
import { seedHistory } from './seed-history.js';
import type { System } from './servers.js';

/**
 * Creates an organization with the given number of stored invoices. Its plan has no limits unless another plan is
 * given.
 */
export type NewTenant = (storedCount: number, plan?: string) => Promise<Tenant>;

/** Invoice histories that take longer to store than this time are named in the progress output. */
const LONG_MS = 3_000;

/**
 * Returns a function that creates benchmark organizations and stores their invoice history.
 * @param db the database of the analysis service, into which the history is written
 */
export function tenantMaker(system: System, identities: string, db: MongoConnection['db']): NewTenant {
  let tenants = 0;
  return async (storedCount, plan) => {
    const name = `Bench ${(tenants += 1)}`;
    const tenant = await createTenant(system.organization.address, identities, name, plan);
    const { organizationId, companyId } = tenant;
    const beganMs = performance.now();
    await seedHistory({
      db,
      organizationId,
      company: { companyId, name },
      count: storedCount,
      onProgress: (done) => progress(`storing ${storedCount} invoices: ${done}`),
    });
    const tookMs = performance.now() - beganMs;
    if (tookMs > LONG_MS) say(`${storedCount} invoices stored in ${seconds(tookMs)}`);
    return tenant;
  };
}
