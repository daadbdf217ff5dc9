import { events } from '@invoicecontrol/contracts/events';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { v7 as uuidv7 } from 'uuid';
import { restoreOrganization } from '../domain/organization.js';
import type { Organization } from '../domain/organization.js';
import { deletionOfTestOrganization, newTestOrganization, testOrganizationId } from '../domain/test-organization.js';
import type { Organizations } from './organizations.js';
import type { Rosters } from './rosters.js';
import { generateRecoveryToken } from './secrets.js';

interface Deps {
  readonly organizations: Organizations;
  readonly rosters: Pick<Rosters, 'insert'>;
  readonly clock: Clock;
}

/**
 * Finds the organization that the test keys of an organization belong to: its test organization, or the organization
 * itself if it is a test organization.
 * @returns undefined if no test key was created yet
 */
export async function findTestOrganization(
  organizations: Pick<Organizations, 'find'>,
  organization: Organization,
): Promise<Organization | undefined> {
  if (organization.testOf !== undefined) return organization;
  const found = await organizations.find(testOrganizationId(organization.id));
  return found?.deletion === undefined ? found : undefined;
}

/**
 * Returns the test organization of an organization and creates it if there is none. Concurrent calls create only one
 * test organization, because its id is derived from the id of the organization. The empty list of members is stored
 * before the test organization, so that no test organization exists without such a list.
 * @throws DomainError wrong_state if the organization was deleted by another request, or its test organization is being
 *   purged
 */
export async function ensureTestOrganization(
  deps: Deps,
  parent: Organization,
  { requestId }: RequestContext,
): Promise<Organization> {
  const existing = await findTestOrganization(deps.organizations, parent);
  if (existing !== undefined) return existing;
  const now = deps.clock.now();
  const created = newTestOrganization(parent, { companyId: uuidv7(), keySeriesId: uuidv7(), now });
  const target = `organization:${created.id}`;
  await unlessStored(() => deps.rosters.insert({ organizationId: created.id, version: 1, members: [] }));
  await unlessStored(() =>
    deps.organizations.insert(created, {
      context: systemContext(requestId),
      audit: [
        { action: 'organization.created', target },
        { action: 'company.created', target: `company:${created.defaultCompanyId}` },
      ],
    }),
  );
  // The organization may have been deleted since it was read, or restored while its test organization was still
  // deleted.
  await followOrganization(deps)(parent.id, requestId);
  const current = await findTestOrganization(deps.organizations, parent);
  if (current !== undefined) return current;
  throw new DomainError(
    'wrong_state',
    'The test organization is being deleted, because the organization that it belongs to was deleted. Restore that organization before you create test keys.',
  );
}

async function unlessStored(insert: () => Promise<void>): Promise<void> {
  try {
    await insert();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

/**
 * Maximum number of times that a test organization is compared with the organization that it belongs to, which may be
 * deleted or restored while the test organization is being changed.
 */
const FOLLOW_ATTEMPTS_MAX = 5;

/**
 * Deletes or restores the test organization after its organization was deleted or restored. The stored state of the
 * organization decides, because events may arrive in another order. This state is read again after the test
 * organization was written, because it may have changed in between.
 * @param organizationId the organization or its test organization
 * @param cause id of the event or request, for the audit trail
 */
export const followOrganization =
  ({ organizations, clock }: Pick<Deps, 'organizations' | 'clock'>) =>
  async (organizationId: string, cause: string): Promise<void> => {
    const named = await organizations.find(organizationId);
    const parentId = named?.testOf ?? organizationId;
    for (let attempt = 0; attempt < FOLLOW_ATTEMPTS_MAX; attempt++) {
      const hasChanged = await retryOnConflict(async () => {
        const test = await organizations.find(testOrganizationId(parentId));
        const parent = await organizations.find(parentId);
        const isEnded = parent === undefined || parent.deletion !== undefined;
        if (test === undefined || (test.deletion !== undefined) === isEnded) return false;
        const context = systemContext(cause);
        const target = `organization:${test.id}`;
        const version = test.version + 1;
        if (isEnded) {
          const recoveryTokenHash = generateRecoveryToken().hash;
          const deletion = deletionOfTestOrganization(parent?.deletion, { recoveryTokenHash, now: clock.now() });
          const audit = [{ action: 'organization.deleted', target }] as const;
          const announced = [announce(events.organizationDeleted, { version })];
          await organizations.save({ ...test, deletion }, { context, audit, events: announced });
        } else {
          const audit = [{ action: 'organization.restored', target }] as const;
          const announced = [announce(events.organizationRestored, { version })];
          await organizations.save(restoreOrganization(test, uuidv7()), { context, audit, events: announced });
        }
        return true;
      });
      if (!hasChanged) return;
    }
    throw new DomainError(
      'unavailable',
      'Other requests are changing the organization right now. Retry the request in a moment.',
    );
  };
