import type { Grantor } from '@invoicecontrol/contracts/organization/v1/api_key_service';
import { DomainError } from '@invoicecontrol/errors';
import { readRole, readScopes } from '../../domain/rights.js';
import type { Rights } from '../../domain/rights.js';

/**
 * Reads from a request the rights of the caller that grants other rights.
 * @throws DomainError invalid if the request names no grantor
 */
export function readGrantor(grantor: Grantor | undefined): Rights {
  if (grantor === undefined)
    throw new DomainError('invalid', '`grantor` is required: it states the rights of the caller.');
  return { role: readRole(grantor.role), scopes: readScopes(grantor.scopes) };
}
