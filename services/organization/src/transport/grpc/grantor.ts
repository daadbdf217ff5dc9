import type { Grantor } from '@invoicecontrol/contracts/organization/v1/api_key_service';
import { DomainError } from '@invoicecontrol/errors';
import { readRole, readScopes } from '../../domain/rights.js';
import type { Rights } from '../../domain/rights.js';

/** @throws DomainError invalid when the request does not say on whose rights it stands */
export function readGrantor(grantor: Grantor | undefined): Rights {
  if (grantor === undefined) throw new DomainError('invalid', 'The request does not say whose rights it hands out.');
  return { role: readRole(grantor.role), scopes: readScopes(grantor.scopes) };
}
