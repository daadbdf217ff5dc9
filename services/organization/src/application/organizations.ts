import { isDeepStrictEqual } from 'node:util';
import { events } from '@invoicecontrol/contracts/events';
import { notFound } from '@invoicecontrol/errors';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Organization } from '../domain/organization.js';
import type { AuditLine, Change } from './change.js';

/** Where organizations are kept. */
export interface Organizations {
  /** Deleted ones included. */
  find(organizationId: string): Promise<Organization | undefined>;
  findByRecoveryToken(recoveryTokenHash: string): Promise<Organization | undefined>;
  insert(organization: Organization, change: Change): Promise<void>;
  /**
   * Stores the changed state if nobody changed it since `version` was read.
   * @throws VersionConflict
   */
  save(changed: Organization, change: Change): Promise<Organization>;
}

/** @throws DomainError not_found for an unknown or deleted organization */
export async function requireOrganization(
  organizations: Pick<Organizations, 'find'>,
  organizationId: string,
): Promise<Organization> {
  const organization = await organizations.find(organizationId);
  if (organization === undefined || organization.deletion !== undefined) throw notFound('organization');
  return organization;
}

/** A change of a living organization that others learn of by organization_changed. */
export interface OrganizationChange {
  readonly organizationId: string;
  readonly context: RequestContext;
  readonly audit: AuditLine;
  /** What changed, in the words of the event; for example `companies`. */
  readonly changed: (before: Organization, after: Organization) => readonly string[];
  /** Pure: runs again on a newer version when somebody else was faster. */
  readonly decide: (organization: Organization) => Organization;
}

/** Reads, decides and stores with audit and event in one write. What changes nothing writes nothing. */
export function changeOrganization(
  organizations: Organizations,
  { organizationId, context, audit, changed, decide }: OrganizationChange,
): Promise<Organization> {
  return retryOnConflict(async () => {
    const before = await requireOrganization(organizations, organizationId);
    const after = decide(before);
    if (isDeepStrictEqual(after, before)) return before;
    const body = { version: before.version + 1, changed: [...changed(before, after)] };
    return organizations.save(after, {
      context,
      audit: [audit],
      events: [announce(events.organizationChanged, body)],
    });
  });
}
