import { events } from '@invoicecontrol/contracts/events';
import { DomainError, notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Actor, RequestContext } from '@invoicecontrol/runtime/request-context';
import { v7 as uuidv7 } from 'uuid';
import type { Pepper } from '../domain/api-key.js';
import {
  deleteOrganization as markDeleted,
  isRecoverable,
  requireConfirmedName,
  restoreOrganization,
} from '../domain/organization.js';
import type { Organization } from '../domain/organization.js';
import { insertOwnerKey } from './api-keys.js';
import type { ApiKeys } from './api-keys.js';
import type { Organizations } from './organizations.js';
import { hashToken, isRecoveryToken, generateRecoveryToken } from './secrets.js';

/** Reads subscriptions from the billing service. */
export interface Subscriptions {
  /**
   * Checks whether an organization has a subscription that prevents its deletion.
   * @returns whether a subscription exists that is not canceled; undefined if there never was one
   * @throws DomainError unavailable, deadline; in these cases nothing may be deleted
   */
  preventsDeletion(organizationId: string, context: RequestContext): Promise<boolean | undefined>;
}

export interface OrganizationLifecycleDeps {
  readonly organizations: Organizations;
  readonly keys: ApiKeys;
  readonly pepper: Pepper;
  readonly subscriptions: Subscriptions;
  /** Period in milliseconds during which a deleted organization can be restored. */
  readonly retentionMs: number;
  readonly clock: Clock;
}

/**
 * Soft-deletes an organization (endpoint 18) in one write. Each call asks the billing service whether a subscription
 * prevents the deletion, because its events may arrive too late, whereas the service itself has the latest
 * notifications of the payment provider. Authentication reads the organization, so every API key is refused from then
 * on. Records and audit trail are kept.
 * @throws DomainError wrong_state if the organization is already deleted
 */
export const deleteOrganization =
  ({ organizations, subscriptions, retentionMs, clock }: OrganizationLifecycleDeps) =>
  async (
    { organizationId, confirmName }: { organizationId: string; confirmName: string },
    context: RequestContext,
  ): Promise<{ deletedAt: Date; recoveryToken: string; recoveryExpiresAt: Date }> => {
    const { token, hash } = generateRecoveryToken();
    return retryOnConflict(async () => {
      const organization = await requireUndeleted(organizations, organizationId);
      requireConfirmedName(organization, confirmName);
      const hasSubscription = await subscriptions.preventsDeletion(organizationId, context);
      const deleted = markDeleted(organization, hasSubscription, {
        recoveryTokenHash: hash,
        by: context.actor,
        now: clock.now(),
        retentionMs,
      });
      await organizations.save(deleted, {
        context,
        audit: [{ action: 'organization.deleted', target: `organization:${organizationId}` }],
        events: [announce(events.organizationDeleted, { version: organization.version + 1 })],
      });
      const { at, recoveryExpiresAt } = deleted.deletion;
      return { deletedAt: at, recoveryToken: token, recoveryExpiresAt };
    });
  };

/**
 * Refuses a caller whose key was valid at the beginning of the call if another request has deleted the organization
 * since.
 */
async function requireUndeleted(organizations: Organizations, organizationId: string): Promise<Organization> {
  const organization = await organizations.find(organizationId);
  if (organization === undefined) throw notFound('organization');
  if (organization.deletion === undefined) return organization;
  throw new DomainError(
    'wrong_state',
    'The organization was deleted by another request. Restore the organization with the recovery token in the response to that request.',
  );
}

export interface Restored {
  readonly organization: Organization;
  /** A new API key for the owner of a restored organization. Keys from before the deletion stay revoked. */
  readonly ownerKey: string;
}

/**
 * Actor in the audit trail for restoring an organization that an earlier release deleted. That release did not store
 * the actor of a deletion.
 */
const HOLDER_OF_TOKEN: Actor = { type: 'SYSTEM', id: 'recovery-token' };

/**
 * Restores an organization with the recovery token that its deletion returned. The token works once. Only the actor who
 * deleted the organization received the token, so restoring it is attributed to that actor.
 * @throws DomainError unauthenticated for a token that is unknown, used or expired
 */
export const restoreByToken =
  (deps: OrganizationLifecycleDeps) =>
  (recoveryToken: string, context: RequestContext): Promise<Restored> => {
    return retryOnConflict(async () => {
      const organization = isRecoveryToken(recoveryToken)
        ? await deps.organizations.findByRecoveryToken(hashToken(recoveryToken))
        : undefined;
      const deletion = organization?.deletion;
      if (organization === undefined || deletion === undefined || !isRecoverable(deletion, deps.clock.now())) {
        throw new DomainError(
          'unauthenticated',
          'The recovery token of the organization is unknown, already used or expired. Send the token from the response to the last deletion of the organization.',
        );
      }
      return restore(deps, organization, { ...context, actor: deletion.by ?? HOLDER_OF_TOKEN });
    });
  };

/**
 * Restores an organization for the operator before its retention period ends.
 * @returns undefined if the organization is not deleted
 * @throws DomainError not_found, also for a purged organization; wrong_state if it can only be purged
 */
export const undelete =
  (deps: OrganizationLifecycleDeps) =>
  (organizationId: string, context: RequestContext): Promise<Restored | undefined> => {
    return retryOnConflict(async () => {
      const organization = await deps.organizations.find(organizationId);
      if (organization === undefined) throw notFound('organization');
      const { deletion, testOf } = organization;
      if (deletion === undefined) return undefined;
      if (testOf !== undefined) {
        throw new DomainError(
          'wrong_state',
          'A test organization cannot be restored on its own. Restore the organization that it belongs to.',
        );
      }
      if (!isRecoverable(deletion, deps.clock.now())) {
        const end = deletion.recoveryExpiresAt.toISOString();
        throw new DomainError(
          'wrong_state',
          `The deleted organization could be restored until ${end}. It can now only be purged.`,
        );
      }
      return restore(deps, organization, context);
    });
  };

/**
 * Restores an organization. The organization is saved last: until then, the new API key belongs to a key series that no
 * organization names, and is refused.
 */
async function restore(
  deps: OrganizationLifecycleDeps,
  deleted: Organization,
  context: RequestContext,
): Promise<Restored> {
  const restored = restoreOrganization(deleted, uuidv7());
  const { apiKeyId, key } = await insertOwnerKey(deps, restored, { now: deps.clock.now(), context });
  const organization = await deps.organizations.save(restored, {
    context,
    audit: [
      { action: 'organization.restored', target: `organization:${deleted.id}` },
      { action: 'api_key.created', target: `api_key:${apiKeyId}` },
    ],
    events: [announce(events.organizationRestored, { version: deleted.version + 1 })],
  });
  return { organization, ownerKey: key };
}
