import { isDeepStrictEqual } from 'node:util';
import { events } from '@invoicecontrol/contracts/events';
import { notFound } from '@invoicecontrol/errors';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Organization } from '../domain/organization.js';
import type { AuditLine, Change } from './change.js';

/** Store of organizations with their companies. */
export interface Organizations {
  /** Returns an organization by its id, even if it is deleted, but not if it is purged. */
  find(organizationId: string): Promise<Organization | undefined>;
  findByRecoveryToken(recoveryTokenHash: string): Promise<Organization | undefined>;
  /**
   * Lists all organizations of the installation for the operator, newest first. Deleted organizations are included, and
   * purged organizations are not.
   */
  listAll(page: PageRequest): Promise<Page<Organization>>;
  insert(organization: Organization, change: Change): Promise<void>;
  /**
   * Stores the changed organization if no other writer has changed it since its version was read.
   * @throws VersionConflict
   */
  save(changed: Organization, change: Change): Promise<Organization>;
}

/**
 * Returns an organization that is not deleted.
 * @throws DomainError not_found for an unknown or deleted organization
 */
export async function requireOrganization(
  organizations: Pick<Organizations, 'find'>,
  organizationId: string,
): Promise<Organization> {
  const organization = await organizations.find(organizationId);
  if (organization === undefined || organization.deletion !== undefined) throw notFound('organization');
  return organization;
}

/** A change of an organization that is not deleted. The change is published as the event `organization_changed`. */
export interface OrganizationChange {
  readonly organizationId: string;
  readonly context: RequestContext;
  /** Audit entry about the change of an organization, or a function that derives the entries from what has changed. */
  readonly audit: AuditLine | ((before: Organization, after: Organization) => readonly AuditLine[]);
  /**
   * Returns the names of the parts of an organization that changed, as the event about the change lists them, for
   * example `companies`.
   */
  readonly changed: (before: Organization, after: Organization) => readonly string[];
  /**
   * Pure function that applies the change to the organization. After a conflict with another write, the function runs
   * again on the newer version of the organization.
   */
  readonly apply: (organization: Organization) => Organization | Promise<Organization>;
}

/**
 * Reads, changes and stores an organization with the audit entry and the event in one database write. If nothing
 * changes, nothing is written.
 */
export function changeOrganization(
  organizations: Organizations,
  { organizationId, context, audit, changed, apply }: OrganizationChange,
): Promise<Organization> {
  return retryOnConflict(async () => {
    const before = await requireOrganization(organizations, organizationId);
    const after = await apply(before);
    if (isDeepStrictEqual(after, before)) return before;
    const body = { version: before.version + 1, changed: [...changed(before, after)] };
    return organizations.save(after, {
      context,
      audit: typeof audit === 'function' ? audit(before, after) : [audit],
      events: [announce(events.organizationChanged, body)],
    });
  });
}
