import { describe, expect, test } from 'vitest';
import { hasScope, isRoleAtLeast, roles, scopes } from './rights.js';

describe('roles', () => {
  test('include every lower one', () => {
    const granted = roles.map((role) => roles.filter((minimum) => isRoleAtLeast(role, minimum)));
    expect(granted).toEqual([
      ['VIEWER'],
      ['VIEWER', 'ANALYST'],
      ['VIEWER', 'ANALYST', 'ADMIN'],
      ['VIEWER', 'ANALYST', 'ADMIN', 'OWNER'],
    ]);
  });

  test('that are unknown have no rights', () => {
    expect(isRoleAtLeast('ROOT', 'VIEWER')).toBe(false);
    expect(isRoleAtLeast('owner', 'VIEWER')).toBe(false);
    expect(isRoleAtLeast('', 'VIEWER')).toBe(false);
  });
});

describe('scopes', () => {
  test('are granted by name only: read does not include write, nor write read', () => {
    expect(hasScope(['invoices:read'], 'invoices:read')).toBe(true);
    expect(hasScope(['invoices:read'], 'invoices:write')).toBe(false);
    expect(hasScope(['invoices:write'], 'invoices:read')).toBe(false);
    expect(hasScope([], 'invoices:read')).toBe(false);
  });

  test('are all granted by `*`, and only `*` grants `*`', () => {
    for (const scope of scopes) expect(hasScope(['*'], scope)).toBe(true);
    expect(hasScope([...scopes], '*')).toBe(false);
  });
});
