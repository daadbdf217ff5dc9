/** Roles from the least to the most (specification section 5, rule 4; VIEWER is ours, for keys that only read). */
export const roles = ['VIEWER', 'ANALYST', 'ADMIN', 'OWNER'] as const;
export type Role = (typeof roles)[number];

/** What a key may be allowed to do (HTTP and security reference, section 8). `*` is all of them. */
export const scopes = [
  'invoices:read',
  'invoices:write',
  'documents:read',
  'uploads:write',
  'scans:read',
  'scans:write',
  'findings:read',
  'findings:review',
  'findings:assign',
  'routing:write',
  'erp:read',
  'erp:write',
  'ksef:read',
  'ksef:write',
  'ksef:submit',
  'billing:write',
  'organization:read',
  'organization:write',
  'webhooks:read',
  'webhooks:write',
] as const;
export type Scope = (typeof scopes)[number];

/** What a key carries: scopes, or `*` for every scope there is and will be. */
export const ALL_SCOPES = '*';
export type GrantedScope = Scope | typeof ALL_SCOPES;

/** True when `role` is `minimum` or higher. A word that is no role has no right at all. */
export function isRoleAtLeast(role: string, minimum: Role): boolean {
  return roles.indexOf(role as Role) >= roles.indexOf(minimum);
}

/** True when the granted scopes contain the needed one, by name or by `*`. */
export function hasScope(granted: readonly string[], needed: GrantedScope): boolean {
  return granted.includes(ALL_SCOPES) || granted.includes(needed);
}
