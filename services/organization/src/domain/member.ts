import type { Role } from '@invoicecontrol/api-key/rights';

/** A person of an organization. */
export interface Member {
  readonly userId: string;
  readonly organizationId: string;
  readonly email: string;
  readonly name: string | undefined;
  readonly role: Role;
  readonly status: 'ACTIVE';
  readonly createdAt: Date;
}
