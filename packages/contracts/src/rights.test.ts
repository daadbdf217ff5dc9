import { roles } from '@invoicecontrol/api-key/rights';
import { expect, test } from 'vitest';
import { callersByService } from './callers.js';
import { lackedFor, rightsByService } from './rights.js';

const VIEW_FINDING = '/invoicecontrol.analysis.v1.FindingService/GetFinding';
const CHANGE_KEY = '/invoicecontrol.organization.v1.ApiKeyService/UpdateApiKey';
const NAME_DOCUMENT = '/invoicecontrol.analysis.v1.InvoiceService/GetInvoice';

test('the table says for every rpc that the gateway may call which rights it needs, and names no other rpc', () => {
  const called = Object.entries(callersByService).flatMap(([service, rpcs]) =>
    Object.entries(rpcs).flatMap(([rpc, callers]) => (callers.includes('gateway') ? [`${service}/${rpc}`] : [])),
  );
  const listed = Object.entries(rightsByService).flatMap(([service, rpcs]) =>
    Object.entries(rpcs).map(([rpc, rights]) => {
      expect({ rpc, rights: rights.length }).not.toMatchObject({ rights: 0 });
      return `${service}/${rpc}`;
    }),
  );
  expect(called.length).toBeGreaterThan(100);
  expect(new Set(listed)).toEqual(new Set(called));
});

test.each([
  [VIEW_FINDING, 'VIEWER', ['findings:read'], undefined],
  [VIEW_FINDING, 'OWNER', ['invoices:read'], 'scope'],
  [CHANGE_KEY, 'ADMIN', ['*'], undefined],
  [CHANGE_KEY, 'ANALYST', ['*'], 'role'],
  [CHANGE_KEY, 'ADMIN', ['organization:read'], 'scope'],
  [CHANGE_KEY, 'SUPREME', ['*'], 'role'],
  [NAME_DOCUMENT, 'VIEWER', ['invoices:read'], undefined],
  [NAME_DOCUMENT, 'ANALYST', ['documents:read'], undefined],
  [NAME_DOCUMENT, 'VIEWER', ['documents:read'], 'scope'],
] as const)('for %s, the role %s with the scopes %j lacks %s', (path, role, scopes, lacked) => {
  expect(lackedFor(path, { role, scopes })).toBe(lacked);
});

test('an rpc that is not listed is for nobody', () => {
  for (const role of roles)
    expect(lackedFor('/invoicecontrol.scan.v1.ScanService/StealScan', { role, scopes: ['*'] })).toBe('role');
});
