import type { RequestContext } from '@invoicecontrol/runtime/request-context';

/** Knows who works in an organization; the organization service owns them. */
export interface Members {
  /** False for strangers, for people who left and for those who have not accepted their invitation yet. */
  isActive(organizationId: string, userId: string, context: RequestContext): Promise<boolean>;
}
