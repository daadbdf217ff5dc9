/** Roles in ascending order (specification section 5, rule 4; VIEWER is added for keys that only read). */
export const roles = ['VIEWER', 'ANALYST', 'ADMIN', 'OWNER'] as const;
export type Role = (typeof roles)[number];

/** The rights that a key can have (HTTP and security reference, section 8). */
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

/** Grants every scope, future ones included. */
export const ALL_SCOPES = '*';
export type GrantedScope = Scope | typeof ALL_SCOPES;

/** True when `role` is `minimum` or higher. An unknown role is never high enough. */
export function isRoleAtLeast(role: string, minimum: Role): boolean {
  return roles.indexOf(role as Role) >= roles.indexOf(minimum);
}

/** True when the granted scopes contain the needed one, by name or by `*`. */
export function hasScope(granted: readonly string[], needed: GrantedScope): boolean {
  return granted.includes(ALL_SCOPES) || granted.includes(needed);
}
