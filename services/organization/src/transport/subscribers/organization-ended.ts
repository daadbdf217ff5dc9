import type { EventHeader } from '@invoicecontrol/contracts/events';
import { followOrganization } from '../../application/test-organizations.js';

/**
 * Handles the events `organization_deleted` and `organization_restored`, so that the test organization is deleted and
 * restored together with its organization.
 */
export function onOrganizationEnded(
  deps: Parameters<typeof followOrganization>[0],
): (event: EventHeader) => Promise<void> {
  const follow = followOrganization(deps);
  return ({ organizationId, eventId }) => follow(organizationId, eventId);
}
