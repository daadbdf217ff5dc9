import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { v7 as uuidv7 } from 'uuid';
import type { Organization } from '../domain/organization.js';
import type { AuditTrail } from './audit-trail.js';
import { requireOrganization } from './organizations.js';
import type { Organizations } from './organizations.js';

interface Deps {
  readonly organizations: Pick<Organizations, 'find'>;
  readonly auditTrail: AuditTrail;
  readonly clock: Clock;
}

/**
 * Records in the audit trail that all data of the organization is exported, before any of it is read.
 * @throws DomainError not_found
 */
export const beginExport =
  ({ organizations, auditTrail, clock }: Deps) =>
  async (
    { organizationId, includesOriginals }: { organizationId: string; includesOriginals: boolean },
    { actor, requestId, ip }: RequestContext,
  ): Promise<{ organization: Organization; begunAt: Date }> => {
    const organization = await requireOrganization(organizations, organizationId);
    const begunAt = clock.now();
    await auditTrail.add(organizationId, {
      id: uuidv7(),
      createdAt: begunAt,
      actor,
      action: includesOriginals ? 'organization.exported_with_originals' : 'organization.exported',
      target: `organization:${organizationId}`,
      outcome: 'SUCCEEDED',
      requestId,
      ip,
    });
    return { organization, begunAt };
  };
