import type { Member, Roster } from '../domain/roster.js';
import type { Change } from './change.js';

/** Stores the rosters of members, one for each organization. */
export interface Rosters {
  find(organizationId: string): Promise<Roster | undefined>;
  /** Finds a member of an organization who has accepted the invitation, without reading the other members. */
  findActiveMember(organizationId: string, userId: string): Promise<Member | undefined>;
  /** Counts the members of each organization who have accepted. */
  countMembers(organizationIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Finds the roster with an invitation token without a tenant, because the token determines the tenant. */
  findByInvitation(tokenHash: string): Promise<Roster | undefined>;
  /** Stores the roster of a new organization. The audit entry is stored with the organization. */
  insert(roster: Roster): Promise<void>;
  /**
   * Stores the changed roster of an organization if it has not changed since its version was read.
   * @throws VersionConflict
   */
  save(changed: Roster, change: Change): Promise<void>;
}
