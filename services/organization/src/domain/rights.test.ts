import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { roles, scopes } from '@invoicecontrol/api-key/rights';
import { ALL_RIGHTS, lowerRights, readRights, requireGrantable, scopesByRole, scopesOfEarlierKey } from './rights.js';
import type { Rights } from './rights.js';

const writing = scopes.filter((scope) => !scope.endsWith(':read'));
const anyRights = fc
  .record({ role: fc.constantFrom(...roles), named: fc.subarray([...scopes, '*'] as const) })
  .filter(({ role, named }) => role !== 'VIEWER' || named.every((scope) => scope.endsWith(':read')))
  .map(({ role, named }) => readRights(role, named));

const covers = (strong: Rights, weak: Rights): boolean =>
  roles.indexOf(weak.role) <= roles.indexOf(strong.role) &&
  (strong.scopes.includes('*') || weak.scopes.every((scope) => strong.scopes.includes(scope)));

describe('the scopes of a role', () => {
  test('let a VIEWER read everything and change nothing', () => {
    expect(scopesByRole.VIEWER).toEqual(scopes.filter((scope) => scope.endsWith(':read')));
  });

  test('give an ANALYST what the specification leaves without a minimum role, assignment and payment runs', () => {
    const added = scopesByRole.ANALYST.filter((scope) => !scopesByRole.VIEWER.includes(scope));
    expect([...added].sort()).toEqual([
      'findings:assign',
      'findings:review',
      'invoices:write',
      'payments:write',
      'scans:write',
      'uploads:write',
      'webhooks:write',
    ]);
  });

  test('give an ADMIN every scope by name and an OWNER `*`', () => {
    expect(scopesByRole.ADMIN).toEqual(scopes);
    expect(scopesByRole.OWNER).toEqual(['*']);
  });
});

describe('the scopes of a key from before scopes for payment runs existed', () => {
  const earlier = (role: (typeof roles)[number]) =>
    scopesByRole[role].filter((scope) => !scope.startsWith('payments:'));

  test.each(roles)('are those of its role today if it had all scopes of the role %s', (role) => {
    expect(scopesOfEarlierKey({ role, scopes: earlier(role) })).toEqual(scopesByRole[role]);
  });

  test('stay as they are if it was restricted to fewer', () => {
    for (const restricted of [earlier('ANALYST').slice(1), ['invoices:read' as const]])
      expect(scopesOfEarlierKey({ role: 'ANALYST', scopes: restricted })).toEqual(restricted);
    // All scopes of a lower role are a restriction of a higher one.
    expect(scopesOfEarlierKey({ role: 'ADMIN', scopes: earlier('ANALYST') })).toEqual(earlier('ANALYST'));
  });
});

describe('named rights', () => {
  test('are those of the role when no scope is named', () => {
    for (const role of roles) expect(readRights(role, [])).toEqual({ role, scopes: scopesByRole[role] });
  });

  test('hold each scope once, in the order of the list; `*` replaces all others', () => {
    expect(readRights('ADMIN', ['webhooks:read', 'invoices:read', 'webhooks:read']).scopes).toEqual([
      'invoices:read',
      'webhooks:read',
    ]);
    expect(readRights('ADMIN', ['invoices:read', '*']).scopes).toEqual(['*']);
  });

  test.each([
    ['an unknown role', 'ROOT', []],
    ['a role in lower case', 'owner', []],
    ['no role', '', []],
    ['an unknown scope', 'ADMIN', ['invoices:delete']],
    ['a pattern other than `*`', 'ADMIN', ['invoices:*']],
    ['a VIEWER that writes', 'VIEWER', ['invoices:write']],
    ['a VIEWER with `*`', 'VIEWER', ['*']],
  ])('refuse %s', (_, role, named) => {
    expect(() => readRights(role, named)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});

describe('granting', () => {
  test('is allowed exactly for what the grantor has', () => {
    fc.assert(
      fc.property(anyRights, anyRights, (asked, grantor) => {
        const grant = (): void => requireGrantable(asked, grantor);
        if (covers(grantor, asked)) expect(grant).not.toThrow();
        else expect(grant).toThrow(expect.objectContaining({ kind: 'forbidden' }));
      }),
    );
  });

  test('`*` needs `*`: every scope by name is not enough', () => {
    const admin = readRights('ADMIN', []);
    expect(() => requireGrantable(readRights('ADMIN', ['*']), admin)).toThrow(
      expect.objectContaining({ kind: 'forbidden' }),
    );
    expect(() => requireGrantable(readRights('OWNER', []), ALL_RIGHTS)).not.toThrow();
  });
});

describe('a change of rights', () => {
  test('never adds one, whatever is requested', () => {
    fc.assert(
      fc.property(
        anyRights,
        fc.option(fc.constantFrom(...roles), { nil: undefined }),
        anyRights,
        (key, role, asked) => {
          let changed: Rights;
          try {
            changed = lowerRights(key, { role, scopes: asked.scopes });
          } catch {
            return;
          }
          expect(covers(key, changed)).toBe(true);
        },
      ),
    );
  });

  test('that names nothing changes nothing', () => {
    const key = readRights('ANALYST', ['invoices:read', 'webhooks:write']);
    expect(lowerRights(key, { scopes: [] })).toEqual(key);
  });

  test('to a lower role keeps the scopes that are defaults of that role', () => {
    const key = readRights('ADMIN', ['invoices:read', 'invoices:write', 'erp:write']);
    expect(lowerRights(key, { role: 'ANALYST', scopes: [] }).scopes).toEqual(['invoices:read', 'invoices:write']);
    expect(lowerRights(ALL_RIGHTS, { role: 'VIEWER', scopes: [] }).scopes).toEqual(scopesByRole.VIEWER);
  });

  test('that raises role or scopes is a conflict with the state of the key', () => {
    const key = readRights('ANALYST', ['invoices:read']);
    for (const change of [{ role: 'ADMIN', scopes: [] }, { scopes: [...writing] }, { scopes: ['*'] }]) {
      expect(() => lowerRights(key, change)).toThrow(expect.objectContaining({ kind: 'wrong_state' }));
    }
  });
});
