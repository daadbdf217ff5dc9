import { DomainError, invalidField } from '@invoicecontrol/errors';
import { ALL_SCOPES, hasScope, isRoleAtLeast, roles, scopes } from '@invoicecontrol/api-key/rights';
import type { GrantedScope, Role } from '@invoicecontrol/api-key/rights';

/** Rights of an API key. A call is allowed if the role is high enough and the scope is included. */
export interface Rights {
  readonly role: Role;
  readonly scopes: readonly GrantedScope[];
}

/** Rights of the operator, who may grant any rights. */
export const ALL_RIGHTS: Rights = { role: 'OWNER', scopes: [ALL_SCOPES] };

const readingScopes = scopes.filter((scope) => scope.endsWith(':read'));

/**
 * Default scopes of an API key that is created without scopes. An ANALYST has the scopes of every operation for which
 * the specification states no minimum role, and the scopes of payment runs, because analysts release them. Only an
 * OWNER has `*`, which also covers future scopes.
 */
export const scopesByRole: Readonly<Record<Role, readonly GrantedScope[]>> = {
  VIEWER: readingScopes,
  ANALYST: scopes.filter(
    (scope) =>
      readingScopes.includes(scope) ||
      ['invoices:write', 'uploads:write', 'scans:write', 'webhooks:write'].includes(scope) ||
      ['findings:review', 'findings:assign', 'payments:write'].includes(scope),
  ),
  ADMIN: scopes,
  OWNER: [ALL_SCOPES],
};

/**
 * Scopes of API keys that did not exist in the first release. That release stored each scope of an API key by its name,
 * so earlier keys do not name these scopes.
 */
const addedScopes: readonly GrantedScope[] = ['payments:read', 'payments:write'];

/**
 * Returns the scopes of an API key that was created before `addedScopes` existed. A key that had all scopes of its role
 * at that time has all scopes of its role now. A key with fewer scopes was restricted on purpose and keeps only these
 * scopes.
 */
export function scopesOfEarlierKey({ role, scopes: stored }: Rights): readonly GrantedScope[] {
  const before = scopesByRole[role].filter((scope) => !addedScopes.includes(scope));
  const hadAll = stored.length === before.length && before.every((scope) => stored.includes(scope));
  return hadAll ? scopesByRole[role] : stored;
}

/**
 * Reads the role of a member or API key from a request.
 * @throws DomainError invalid for an unknown role
 */
export function readRole(role: string): Role {
  const found = roles.find((known) => known === role);
  if (found === undefined) throw invalidField('role', `must be one of ${roles.join(', ')}.`);
  return found;
}

/**
 * Reads the rights of an API key from a request.
 * @param named named scopes; empty for the default scopes of the role
 * @throws DomainError invalid for an unknown role or scope, or for a VIEWER with a scope that allows more than reading
 */
export function readRights(role: string, named: readonly string[]): Rights {
  const known = readRole(role);
  return requireViewerReadsOnly({ role: known, scopes: named.length === 0 ? scopesByRole[known] : readScopes(named) });
}

/**
 * Checks that callers do not grant API keys rights that the callers themselves do not have (HTTP and security
 * reference, section 8).
 * @throws DomainError forbidden
 */
export function requireGrantable(rights: Rights, grantor: Rights): void {
  if (!isRoleAtLeast(grantor.role, rights.role)) {
    throw new DomainError(
      'forbidden',
      `An API key with the role ${grantor.role} cannot grant the role ${rights.role}. Use a key with the role ${rights.role} or higher.`,
    );
  }
  const missing = rights.scopes.filter((scope) => !hasScope(grantor.scopes, scope));
  if (missing.length > 0) {
    throw new DomainError(
      'forbidden',
      `An API key cannot grant scopes that it does not have: ${missing.join(', ')}. Omit these scopes, or use a key that has them.`,
    );
  }
}

/**
 * Checks the role of a caller where its mistake or abuse would cost an organization the most, in addition to the gateway,
 * which checks the role of each route.
 * @throws DomainError forbidden
 */
export function requireRole({ role }: Rights, minimum: Role): void {
  if (isRoleAtLeast(role, minimum)) return;
  throw new DomainError('forbidden', `The API key has the role ${role}. Use a key with the role ${minimum} or higher.`);
}

/**
 * Checks that an API key does not have a higher role than the member that it is created for.
 * @throws DomainError invalid
 */
export function requireRoleOfMember({ role }: Rights, memberRole: Role): void {
  if (!isRoleAtLeast(memberRole, role)) {
    throw invalidField('role', `must not be higher than the role of the member, which is ${memberRole}.`);
  }
}

/**
 * Returns the rights of an API key that belongs to a member. The role of the member may have been lowered since the key
 * was created.
 */
export function rightsOfMemberKey(rights: Rights, memberRole: Role): Rights {
  return isRoleAtLeast(memberRole, rights.role) ? rights : lowerRights(rights, { role: memberRole, scopes: [] });
}

/**
 * Returns the rights of an API key after a change that may only remove rights. If the change states a lower role but no
 * scopes, the key keeps those of its scopes that are default scopes of the new role.
 * @throws DomainError wrong_state if the change would add a right
 */
export function lowerRights(current: Rights, change: { role?: string | undefined; scopes: readonly string[] }): Rights {
  const role = change.role === undefined ? current.role : readRole(change.role);
  const named = change.scopes.length > 0 ? readScopes(change.scopes) : undefined;
  const isRaised = !isRoleAtLeast(current.role, role) || named?.some((scope) => !hasScope(current.scopes, scope));
  if (isRaised === true) {
    throw new DomainError(
      'wrong_state',
      'The rights of an API key cannot be extended. Create a new API key with more rights and revoke this key.',
    );
  }
  if (named !== undefined) return requireViewerReadsOnly({ role, scopes: named });
  return role === current.role ? current : { role, scopes: commonScopes(current.scopes, scopesByRole[role]) };
}

function requireViewerReadsOnly(rights: Rights): Rights {
  const beyond = rights.role === 'VIEWER' ? rights.scopes.filter((scope) => !scope.endsWith(':read')) : [];
  if (beyond.length > 0) {
    throw invalidField(
      'scopes',
      `must contain only read scopes for the role VIEWER. Omit ${beyond.join(', ')}, or choose a higher role.`,
    );
  }
  return rights;
}

/**
 * Returns the requested API key scopes without repetitions, in the order of the list of all scopes.
 * @throws DomainError invalid for an unknown scope
 */
export function readScopes(named: readonly string[]): readonly GrantedScope[] {
  const known: readonly string[] = [...scopes, ALL_SCOPES];
  const unknown = named.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw invalidField(
      'scopes',
      `must contain only ${known.join(', ')}; ${unknown.length === 1 ? '1 scope is' : `${unknown.length} scopes are`} unknown.`,
    );
  }
  return named.includes(ALL_SCOPES) ? [ALL_SCOPES] : scopes.filter((scope) => named.includes(scope));
}

function commonScopes(left: readonly GrantedScope[], right: readonly GrantedScope[]): readonly GrantedScope[] {
  if (left.includes(ALL_SCOPES)) return right;
  return left.filter((scope) => hasScope(right, scope));
}
