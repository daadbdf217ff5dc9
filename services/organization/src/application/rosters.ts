import type { Member, Roster } from '../domain/roster.js';
import type { Change } from './change.js';

/** Stores the list of members (roster) of each organization. */
export interface Rosters {
  find(organizationId: string): Promise<Roster | undefined>;
  /** Finds a member of an organization who has accepted the invitation, without reading the other members. */
  findActiveMember(organizationId: string, userId: string): Promise<Member | undefined>;
  /** Counts the members of each organization who have accepted their invitation. */
  countMembers(organizationIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Finds the list of members (roster) that contains an invitation token, without knowing the organization, because the
   * caller has only the token.
   */
  findByInvitation(tokenHash: string): Promise<Roster | undefined>;
  /** Stores the list of members (roster) of a new organization. The audit entry is stored with the organization. */
  insert(roster: Roster): Promise<void>;
  /**
   * Stores the changed list of members (roster) of an organization if no other write has changed it since its version
   * was read.
   * @throws VersionConflict
   */
  save(changed: Roster, change: Change): Promise<void>;
}
