import { describe, expect, test } from '@jest/globals';
import { rpcServices } from '../clients.js';
import { routes } from './table.js';

const rpcs = Object.values(rpcServices).flatMap(({ definition: { fullName, methods } }) =>
  Object.values(methods).map(({ name }) => `${fullName}/${name}`),
);

describe('the route table', () => {
  test('states who may call what (architecture, section 4)', () => {
    const rights = routes.map(({ method, path, access }) => {
      const needed = access === 'public' ? 'public' : `${access.minimumRole ?? '-'} ${access.scope}`;
      return `${method.toUpperCase()} ${path} ${needed}`;
    });
    expect(rights).toEqual([
      'POST /invoices - invoices:write',
      'GET /invoices - invoices:read',
      'GET /invoices/:invoiceId - invoices:read',
      'GET /invoices/:invoiceId/analysis/latest - invoices:read',
      'GET /invoices/:invoiceId/analyses - invoices:read',
      'POST /invoices/:invoiceId/reanalyze ANALYST invoices:write',
      'GET /findings - findings:read',
      'GET /findings/:findingId - findings:read',
      'GET /findings/:findingId/history - findings:read',
      'POST /findings/:findingId/review - findings:review',
      'PATCH /findings/:findingId/assignment ANALYST findings:assign',
      'GET /finding-routing-rules ANALYST findings:read',
      'POST /finding-routing-rules ADMIN routing:write',
      'GET /finding-routing-rules/:ruleId ANALYST findings:read',
      'PATCH /finding-routing-rules/:ruleId ADMIN routing:write',
      'DELETE /finding-routing-rules/:ruleId ADMIN routing:write',
      'GET /policies/current - findings:read',
      'GET /finding-types - findings:read',
      'POST /scans - scans:write',
      'GET /scans - scans:read',
      'GET /scans/:scanId - scans:read',
      'GET /organizations/current - organization:read',
      'PATCH /organizations/current OWNER organization:write',
      'DELETE /organizations/current OWNER organization:write',
      'POST /organizations/current/restore public',
      'PATCH /organizations/current/base-currency OWNER organization:write',
      'PATCH /organizations/current/reference-validation OWNER organization:write',
      'GET /organizations/current/usage - organization:read',
      'GET /companies ADMIN organization:read',
      'POST /companies ADMIN organization:write',
      'GET /companies/:companyId ADMIN organization:read',
      'PATCH /companies/:companyId ADMIN organization:write',
      'DELETE /companies/:companyId ADMIN organization:write',
      'GET /members ADMIN organization:read',
      'POST /members ADMIN organization:write',
      'POST /members/accept public',
      'GET /members/:userId ADMIN organization:read',
      'PATCH /members/:userId ADMIN organization:write',
      'DELETE /members/:userId ADMIN organization:write',
      'GET /api-keys ADMIN organization:read',
      'POST /api-keys ADMIN organization:write',
      'GET /api-keys/:apiKeyId ADMIN organization:read',
      'PATCH /api-keys/:apiKeyId ADMIN organization:write',
      'DELETE /api-keys/:apiKeyId ADMIN organization:write',
      'GET /audit-events ADMIN organization:read',
      'GET /notifications ADMIN organization:read',
    ]);
  });

  test('names every operation and every path with method once', () => {
    expect(new Set(routes.map(({ operation }) => operation)).size).toBe(routes.length);
    expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
  });

  test('names an rpc that exists for every route', () => {
    expect(routes.map(({ rpc }) => rpc).filter((rpc) => !rpcs.includes(rpc))).toEqual([]);
  });

  test('says for every path with an id what the id names', () => {
    const nameless = routes.filter(({ path, thing, params }) => path.includes(':') && !(thing && params));
    expect(nameless).toEqual([]);
  });
});
