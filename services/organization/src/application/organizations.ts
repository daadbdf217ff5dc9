import { isDeepStrictEqual } from 'node:util';
import { events } from '@invoicecontrol/contracts/events';
import { notFound } from '@invoicecontrol/errors';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Organization } from '../domain/organization.js';
import type { AuditLine, Change } from './change.js';

/** The store of organizations. */
export interface Organizations {
  /** Deleted ones included, purged ones not. */
  find(organizationId: string): Promise<Organization | undefined>;
  findByRecoveryToken(recoveryTokenHash: string): Promise<Organization | undefined>;
  /** Lists all organizations of the installation, deleted ones included and purged ones not, newest first; only for the operator. */
  listAll(page: PageRequest): Promise<Page<Organization>>;
  insert(organization: Organization, change: Change): Promise<void>;
  /**
   * Stores the changed state if it has not changed since `version` was read.
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

/** A change of an organization that is not deleted; published as `organization_changed`. */
export interface OrganizationChange {
  readonly organizationId: string;
  readonly context: RequestContext;
  readonly audit: AuditLine;
  /** The changed parts as the event names them, for example `companies`. */
  readonly changed: (before: Organization, after: Organization) => readonly string[];
  /** Pure: runs again on the newer version after a conflict. */
  readonly apply: (organization: Organization) => Organization;
}

/** Reads, changes and stores with audit entry and event in one write. Writes nothing when nothing changes. */
export function changeOrganization(
  organizations: Organizations,
  { organizationId, context, audit, changed, apply }: OrganizationChange,
): Promise<Organization> {
  return retryOnConflict(async () => {
    const before = await requireOrganization(organizations, organizationId);
    const after = apply(before);
    if (isDeepStrictEqual(after, before)) return before;
    const body = { version: before.version + 1, changed: [...changed(before, after)] };
    return organizations.save(after, {
      context,
      audit: [audit],
      events: [announce(events.organizationChanged, body)],
    });
  });
}
