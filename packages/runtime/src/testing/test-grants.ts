// Grants for tests, signed with the test identity of the organization service.
import { Grant } from '@invoicecontrol/contracts/organization/v1/grant';
import { issueGrant } from '../grpc/grants.js';
import { testIdentity } from './test-identities.js';

/** Returns a grant of a test caller. Unless the facts say otherwise, it has all rights and no limits. */
export function testGrant(organizationId: string, facts: Partial<Grant> = {}): Buffer {
  const anyone = { actorType: 'API_KEY', actorId: 'test-key', role: 'OWNER', scopes: ['*'], limits: {} };
  return issueGrant(testIdentity('organization'), Grant.fromPartial({ organizationId, ...anyone, ...facts }));
}

/** Suffix of the request fields that state a limit. The rest of the name is that of the limit in the grant. */
const LIMIT = 'Limit';

/** Returns a grant of the organization in a request, with the limits that the request states. */
export function testGrantFor(request: object, facts: Partial<Grant>): Buffer | undefined {
  const { organizationId, ...fields } = request as Readonly<Record<string, unknown>>;
  if (typeof organizationId !== 'string') return undefined;
  const limits = Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      name.endsWith(LIMIT) && typeof value === 'number' ? [[name.slice(0, -LIMIT.length), value]] : [],
    ),
  );
  const plan = typeof fields['plan'] === 'string' ? { plan: fields['plan'] } : {};
  return testGrant(organizationId, { limits, ...plan, ...facts });
}
