import type { CallScopeStore, StoredScope } from '../application/call-limits.js';

/** Keeps the counts of KSeF calls in memory, for clients that are tested without a database. */
export function callScopesInMemory(): CallScopeStore {
  const scopes = new Map<string, StoredScope>();
  return {
    find: (id) => Promise.resolve(scopes.get(id)),
    replace(id, { version, scope }) {
      if ((scopes.get(id)?.version ?? 0) !== version) return Promise.resolve(false);
      scopes.set(id, { version: version + 1, scope });
      return Promise.resolve(true);
    },
  };
}
