// Creates a tenant for the demonstration, the end-to-end tests and the benchmarks in the way in which an operator
// creates one.
import { join } from 'node:path';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/organization/v1/operator_service';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import { openIdentity } from '@invoicecontrol/runtime/identity/identity';
import { TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { createLogger } from '@invoicecontrol/runtime/logger';

const roles = ['ADMIN', 'ANALYST', 'VIEWER'] as const;
/**
 * Time limit in milliseconds of a call that creates a tenant. Every service has just been started, so a busy machine
 * responds late.
 */
const TIMEOUT_MS = 60_000;

export interface Tenant {
  readonly organizationId: string;
  readonly companyId: string;
  readonly keys: { readonly owner: string; readonly admin: string; readonly analyst: string; readonly viewer: string };
  readonly users: { readonly owner: string; readonly admin: string; readonly analyst: string; readonly viewer: string };
}

/**
 * Creates an organization with a member of every role, each with an API key. The plan is ENTERPRISE and the base
 * currency EUR.
 * @param identities directory in which `operator` contains the identity files of the operator
 */
export async function createTenant(
  organizationAddress: string,
  identities: string,
  name: string,
  plan = 'ENTERPRISE',
): Promise<Tenant> {
  const logger = createLogger({ service: 'operator', level: 'silent' });
  const directory = join(identities, 'operator');
  const identity = openIdentity({ directory, trustDomain: TRUST_DOMAIN_DEFAULT, logger });
  const channel = openChannel(organizationAddress, { service: 'organization', identity });
  try {
    const operator = client(OperatorServiceDefinition, channel);
    const call = {
      context: { requestId: 'create-tenant', actor: { type: 'OPERATOR', id: 'operator' } } as const,
      timeoutMs: TIMEOUT_MS,
    };
    const mailbox = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    const created = await operator.createOrganization(
      { name, ownerEmail: `owner@${mailbox}.example`, plan, baseCurrency: 'EUR' },
      call,
    );
    const { organizationId, companyId } = created;
    const [admin, analyst, viewer] = await Promise.all(
      roles.map(async (role) => {
        const title = role.toLowerCase();
        const email = `${title}@${mailbox}.example`;
        const { userId } = await operator.createMember({ organizationId, email, name: title, role }, call);
        const { key } = await operator.createKey(
          { organizationId, name: `${title} key`, role, scopes: [], userId },
          call,
        );
        return { key, userId };
      }),
    );
    if (admin === undefined || analyst === undefined || viewer === undefined) throw new Error('a role is missing');
    return {
      organizationId,
      companyId,
      keys: { owner: created.ownerKey, admin: admin.key, analyst: analyst.key, viewer: viewer.key },
      users: { owner: created.ownerUserId, admin: admin.userId, analyst: analyst.userId, viewer: viewer.userId },
    };
  } finally {
    channel.close();
    identity.close();
  }
}
