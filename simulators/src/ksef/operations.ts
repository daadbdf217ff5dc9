/** Names of KSeF calls as used in sections 3, 5, 18 and 19 of the KSeF reference. R4 is the same as S10. */
export const operationNames = [
  'A1',
  'A2',
  'A3',
  'A4',
  'A5',
  'A6',
  'A7',
  'X1',
  'S1',
  'S2',
  'S3',
  'S4',
  'S5',
  'S6',
  'S7',
  'S8',
  'S9',
  'S10',
  'R1',
  'R2',
  'R3',
  'R5',
] as const;
export type OperationName = (typeof operationNames)[number];

export interface Operation {
  readonly name: OperationName;
  /** Values of the path parameters of the KSeF operation, in the order of the path. */
  readonly params: readonly string[];
}

const routes: readonly (readonly [OperationName, string, string])[] = [
  ['A1', 'GET', '/security/public-key-certificates'],
  ['A2', 'POST', '/auth/challenge'],
  ['A3', 'POST', '/auth/ksef-token'],
  ['X1', 'POST', '/auth/xades-signature'],
  ['A5', 'POST', '/auth/token/redeem'],
  ['A6', 'POST', '/auth/token/refresh'],
  ['A7', 'DELETE', '/auth/sessions/current'],
  ['A4', 'GET', '/auth/:'],
  ['S1', 'POST', '/sessions/online'],
  ['S2', 'POST', '/sessions/online/:/invoices'],
  ['S5', 'POST', '/sessions/online/:/close'],
  ['S9', 'GET', '/sessions'],
  ['S4', 'GET', '/sessions/:/invoices'],
  ['S8', 'GET', '/sessions/:/invoices/ksef/:/upo'],
  ['S8', 'GET', '/sessions/:/invoices/:/upo'],
  ['S3', 'GET', '/sessions/:/invoices/:'],
  ['S7', 'GET', '/sessions/:/upo/:'],
  ['S6', 'GET', '/sessions/:'],
  ['S10', 'POST', '/invoices/query/metadata'],
  ['R1', 'POST', '/invoices/exports'],
  ['R2', 'GET', '/invoices/exports/:'],
  ['R5', 'GET', '/invoices/ksef/:'],
  ['R3', 'GET', '/storage/:/invoice-package/:'],
];
const patterns = routes.map(([name, method, path]) => ({
  name,
  method,
  // KSeF files have pre-signed addresses next to the API, as in the production environment.
  pattern: new RegExp(`^${path.startsWith('/storage/') ? '' : '/v2'}${path.replaceAll(':', '([^/]+)')}$`),
}));

/**
 * Finds the KSeF operation that a request calls.
 * @returns undefined if KSeF has no such operation
 */
export function findOperation(method: string, path: string): Operation | undefined {
  for (const route of patterns) {
    const match = route.method === method ? route.pattern.exec(path) : null;
    if (match !== null) return { name: route.name, params: match.slice(1) };
  }
  return undefined;
}
