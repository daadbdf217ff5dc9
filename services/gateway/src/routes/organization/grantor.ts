import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import type { Grantor } from '@invoicecontrol/contracts/organization/v1/api_key_service';

/**
 * Returns the rights of the caller who creates a key or member. The organization service refuses to grant more rights
 * than these.
 */
export function grantorOf({ role, scopes }: Principal): Grantor {
  return { role, scopes };
}
