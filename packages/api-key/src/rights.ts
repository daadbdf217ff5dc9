/**
 * Roles of API keys and members in ascending order (specification section 5, rule 4). The role VIEWER is an addition to
 * the specification, for API keys that may only read.
 */
export const roles = ['VIEWER', 'ANALYST', 'ADMIN', 'OWNER'] as const;
export type Role = (typeof roles)[number];

/** The rights that an API key can have (HTTP and security reference, section 8). */
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
  'payments:read',
  'payments:write',
] as const;
export type Scope = (typeof scopes)[number];

/** Scope of an API key that grants all scopes, including scopes that are added later. */
export const ALL_SCOPES = '*';
export type GrantedScope = Scope | typeof ALL_SCOPES;

/** Checks whether the role `role` of an API key is `minimum` or higher. An unknown role is never high enough. */
export function isRoleAtLeast(role: string, minimum: Role): boolean {
  return roles.indexOf(role as Role) >= roles.indexOf(minimum);
}

/** Checks whether the granted scopes of an API key contain the needed scope, by name or by `*`. */
export function hasScope(granted: readonly string[], needed: GrantedScope): boolean {
  return granted.includes(ALL_SCOPES) || granted.includes(needed);
}
