import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import type { Grantor } from '@invoicecontrol/contracts/organization/v1/api_key_service';

/** The rights on which a request hands out others; their owner sees that nobody hands out more than they have. */
export function grantorOf({ role, scopes }: Principal): Grantor {
  return { role, scopes };
}
