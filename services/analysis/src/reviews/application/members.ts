import type { RequestContext } from '@invoicecontrol/runtime/request-context';

/** Asks the organization service about the members of an organization. */
export interface Members {
  /**
   * Checks whether a user is an active member. Returns false for other people, former members, and people who have not
   * yet accepted their invitation.
   */
  isActive(organizationId: string, userId: string, context: RequestContext): Promise<boolean>;
}
