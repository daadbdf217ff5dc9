import type { EventHeader } from '@invoicecontrol/contracts/events';
import { registerOrganization } from '../../application/register-organization.js';
import type { RegisteringDeps } from '../../application/register-organization.js';

/** Handles `organization_created` and `organization_changed`, which show that an organization exists. */
export function onOrganizationKnown(deps: RegisteringDeps): (event: EventHeader) => Promise<void> {
  const register = registerOrganization(deps);
  return ({ organizationId }) => register(organizationId);
}
