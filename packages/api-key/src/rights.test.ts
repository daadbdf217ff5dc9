import { describe, expect, test } from '@jest/globals';
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

  test('that do not exist give no right, not even the lowest', () => {
    expect(isRoleAtLeast('ROOT', 'VIEWER')).toBe(false);
    expect(isRoleAtLeast('owner', 'VIEWER')).toBe(false);
    expect(isRoleAtLeast('', 'VIEWER')).toBe(false);
  });
});

describe('scopes', () => {
  test('are granted by their name alone: read is not write and write is not read', () => {
    expect(hasScope(['invoices:read'], 'invoices:read')).toBe(true);
    expect(hasScope(['invoices:read'], 'invoices:write')).toBe(false);
    expect(hasScope(['invoices:write'], 'invoices:read')).toBe(false);
    expect(hasScope([], 'invoices:read')).toBe(false);
  });

  test('are all granted by the star, and only by the star is the star granted', () => {
    for (const scope of scopes) expect(hasScope(['*'], scope)).toBe(true);
    expect(hasScope([...scopes], '*')).toBe(false);
  });
});
