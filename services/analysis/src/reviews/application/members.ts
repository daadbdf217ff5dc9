import type { RequestContext } from '@invoicecontrol/runtime/request-context';

/** Checks members of an organization, which the organization service owns. */
export interface Members {
  /** Returns false for other people, former members, and people who have not accepted their invitation yet. */
  isActive(organizationId: string, userId: string, context: RequestContext): Promise<boolean>;
}
