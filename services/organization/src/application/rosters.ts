import type { Roster } from '../domain/roster.js';
import type { Change } from './change.js';

/** Where the people of organizations are kept, one roster per organization. */
export interface Rosters {
  find(organizationId: string): Promise<Roster | undefined>;
  /** The one lookup without a tenant: the token tells the tenant. */
  findByInvitation(tokenHash: string): Promise<Roster | undefined>;
  /** The audit trail is written with the organization that the roster belongs to. */
  insert(roster: Roster): Promise<void>;
  /**
   * Stores the changed state if nobody changed it since `version` was read.
   * @throws VersionConflict
   */
  save(changed: Roster, change: Change): Promise<void>;
}
