import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopes } from '@invoicecontrol/api-key/rights';
import { ErpImportServiceDefinition, VendorStatus } from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { routes } from '@invoicecontrol/gateway/routes';
import { client } from '@invoicecontrol/runtime/grpc/client';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import type { Role } from './endpoints.js';
import { useSharedSystem } from './running-system.js';
import type { Answer, ErrorBody, RequestOptions, RunningSystem } from './running-system.js';
import { plainInvoice, plainRow, UNKNOWN_ID } from './shapes.js';
import type { AcceptedAnalysis, CreatedApiKey, LatestAnalysis, Page } from './shapes.js';

interface KeyExpectation {
  /** The lowest role that may call the operation. VIEWER stands for any role. */
  readonly role: Role;
  /** The scope that the operation needs. Absent if any key may call it. */
  readonly scope?: string;
  /**
   * A body that the schema of the operation accepts. If the path contains an id, the id names nothing; otherwise the
   * request changes nothing.
   */
  readonly body?: unknown;
  /**
   * Status that an allowed caller gets for the body of this request. It is always 404 if the path contains an id,
   * because no resource has this id.
   */
  readonly status: number;
}

interface PublicExpectation {
  readonly isPublic: true;
  readonly body: unknown;
  readonly status: number;
}

/** Expectations by operation, written from the specification and the architecture, not from the route table. */
const expectations: Readonly<Record<string, KeyExpectation | PublicExpectation>> = {
  analyzeInvoice: { role: 'VIEWER', scope: 'invoices:write', body: {}, status: 400 },
  listInvoices: { role: 'VIEWER', scope: 'invoices:read', status: 200 },
  getInvoice: { role: 'VIEWER', scope: 'invoices:read', status: 404 },
  getLatestAnalysis: { role: 'VIEWER', scope: 'invoices:read', status: 404 },
  listAnalyses: { role: 'VIEWER', scope: 'invoices:read', status: 404 },
  listInvoiceTimeline: { role: 'VIEWER', scope: 'invoices:read', status: 404 },
  reanalyzeInvoice: { role: 'ANALYST', scope: 'invoices:write', status: 404 },
  getInvoiceDocument: { role: 'ANALYST', scope: 'documents:read', status: 404 },
  getInvoiceDocumentFields: { role: 'ANALYST', scope: 'documents:read', status: 404 },
  getInvoiceDocumentPage: { role: 'ANALYST', scope: 'documents:read', status: 404 },
  getInvoiceDocumentPageWords: { role: 'ANALYST', scope: 'documents:read', status: 404 },
  viewInvoiceDocument: { role: 'ANALYST', scope: 'documents:read', status: 404 },
  reserveUpload: { role: 'VIEWER', scope: 'uploads:write', body: {}, status: 400 },
  receiveUpload: { role: 'VIEWER', scope: 'uploads:write', body: {}, status: 404 },
  analyzeUpload: { role: 'VIEWER', scope: 'invoices:write', body: {}, status: 400 },
  correctUpload: {
    role: 'ANALYST',
    scope: 'invoices:write',
    body: { fields: { invoice_number: 'RE-1' } },
    status: 404,
  },
  exportInvoice: { role: 'VIEWER', scope: 'invoices:read', status: 404 },
  listUploads: { role: 'VIEWER', scope: 'invoices:read', status: 200 },
  getUploadStatus: { role: 'VIEWER', scope: 'invoices:read', status: 404 },
  createScan: { role: 'VIEWER', scope: 'scans:write', body: { rows: [] }, status: 400 },
  listScans: { role: 'VIEWER', scope: 'scans:read', status: 200 },
  getScan: { role: 'VIEWER', scope: 'scans:read', status: 404 },
  getScanReport: { role: 'VIEWER', scope: 'scans:read', status: 404 },
  listFindings: { role: 'VIEWER', scope: 'findings:read', status: 200 },
  summarizeFindings: { role: 'VIEWER', scope: 'findings:read', status: 200 },
  getFinding: { role: 'VIEWER', scope: 'findings:read', status: 404 },
  listFindingHistory: { role: 'VIEWER', scope: 'findings:read', status: 404 },
  reviewFinding: { role: 'VIEWER', scope: 'findings:review', body: { disposition: 'CONFIRMED' }, status: 404 },
  assignFinding: { role: 'ANALYST', scope: 'findings:assign', body: { assignee_user_id: null }, status: 404 },
  reviewFindings: {
    role: 'VIEWER',
    scope: 'findings:review',
    body: { finding_ids: [UNKNOWN_ID], disposition: 'CONFIRMED' },
    status: 200,
  },
  assignFindings: {
    role: 'ANALYST',
    scope: 'findings:assign',
    body: { finding_ids: [UNKNOWN_ID], assignee_user_id: null },
    status: 200,
  },
  listSuppliers: { role: 'VIEWER', scope: 'invoices:read', status: 200 },
  getSupplier: { role: 'VIEWER', scope: 'invoices:read', status: 404 },
  verifyAccount: {
    role: 'ANALYST',
    scope: 'payments:write',
    body: { method: 'CALL_BACK', contact_source: 'CONTRACT', contact: '+49 40 1234567' },
    status: 404,
  },
  confirmVerification: { role: 'ANALYST', scope: 'payments:write', status: 404 },
  exportAccountChanges: { role: 'VIEWER', scope: 'payments:read', status: 200 },
  createPaymentRun: { role: 'ANALYST', scope: 'payments:write', body: { payments: [] }, status: 400 },
  listPaymentRuns: { role: 'VIEWER', scope: 'payments:read', status: 200 },
  getPaymentRun: { role: 'VIEWER', scope: 'payments:read', status: 404 },
  listPaymentLines: { role: 'VIEWER', scope: 'payments:read', status: 404 },
  recheckPaymentRun: { role: 'ANALYST', scope: 'payments:write', status: 404 },
  downloadPaymentFile: { role: 'ANALYST', scope: 'payments:write', status: 404 },
  releasePaymentLine: { role: 'ANALYST', scope: 'payments:write', body: { note: 'Paid.' }, status: 404 },
  // The operation accepts only XML.
  reportPaymentStatuses: { role: 'ANALYST', scope: 'payments:write', body: {}, status: 415 },
  listVendors: { role: 'ANALYST', scope: 'invoices:read', status: 200 },
  getVendor: { role: 'ANALYST', scope: 'invoices:read', status: 404 },
  listFindingTypes: { role: 'VIEWER', scope: 'findings:read', status: 200 },
  getCurrentPolicy: { role: 'VIEWER', scope: 'findings:read', status: 200 },
  listRoutingRules: { role: 'ANALYST', scope: 'findings:read', status: 200 },
  createRoutingRule: { role: 'ADMIN', scope: 'routing:write', body: {}, status: 400 },
  getRoutingRule: { role: 'ANALYST', scope: 'findings:read', status: 404 },
  updateRoutingRule: { role: 'ADMIN', scope: 'routing:write', body: { name: 'Taken over' }, status: 404 },
  deleteRoutingRule: { role: 'ADMIN', scope: 'routing:write', status: 404 },
  createErpConnection: { role: 'ADMIN', scope: 'erp:write', body: {}, status: 400 },
  startErpConsent: { role: 'ADMIN', scope: 'erp:write', body: {}, status: 400 },
  receiveErpConsent: { isPublic: true, body: undefined, status: 400 },
  receiveErpConsentOfProvider: { isPublic: true, body: undefined, status: 400 },
  // The operation accepts only an HTML form.
  decideErpConsent: { isPublic: true, body: {}, status: 415 },
  decideErpConsentOfProvider: { isPublic: true, body: {}, status: 415 },
  listErpConnections: { role: 'ADMIN', scope: 'erp:read', status: 200 },
  getErpConnection: { role: 'ADMIN', scope: 'erp:read', status: 404 },
  updateErpConnection: { role: 'ADMIN', scope: 'erp:write', body: { paused: true }, status: 404 },
  deleteErpConnection: { role: 'ADMIN', scope: 'erp:write', status: 404 },
  testErpConnection: { role: 'ADMIN', scope: 'erp:write', status: 404 },
  startErpRun: { role: 'ADMIN', scope: 'erp:write', status: 404 },
  listErpRuns: { role: 'ADMIN', scope: 'erp:read', status: 404 },
  saveKsefConnection: { role: 'ADMIN', scope: 'ksef:write', body: {}, status: 400 },
  listKsefConnections: { role: 'ADMIN', scope: 'ksef:read', status: 200 },
  getKsefConnection: { role: 'ADMIN', scope: 'ksef:read', status: 404 },
  updateKsefConnection: { role: 'ADMIN', scope: 'ksef:write', body: { inbox: { enabled: false } }, status: 404 },
  startKsefInboxRuns: { role: 'ADMIN', scope: 'ksef:write', status: 404 },
  dismissKsefRefusedInvoice: { role: 'ADMIN', scope: 'ksef:write', status: 404 },
  listKsefInboxRuns: { role: 'ADMIN', scope: 'ksef:read', status: 404 },
  testKsefConnection: { role: 'ADMIN', scope: 'ksef:write', status: 404 },
  createKsefSubmission: { role: 'ADMIN', scope: 'ksef:submit', body: { invoice_id: UNKNOWN_ID }, status: 404 },
  createKsefSubmissions: { role: 'ADMIN', scope: 'ksef:submit', body: { invoice_ids: [UNKNOWN_ID] }, status: 404 },
  listKsefSubmissions: { role: 'ADMIN', scope: 'ksef:read', status: 404 },
  listAllKsefSubmissions: { role: 'ADMIN', scope: 'ksef:read', status: 200 },
  getKsefSubmission: { role: 'ADMIN', scope: 'ksef:read', status: 404 },
  listKsefSubmissionAttempts: { role: 'ADMIN', scope: 'ksef:read', status: 404 },
  cancelKsefSubmission: { role: 'ADMIN', scope: 'ksef:submit', status: 404 },
  getKsefConfirmation: { role: 'ADMIN', scope: 'ksef:read', status: 404 },
  disableKsefConnection: { role: 'ADMIN', scope: 'ksef:write', status: 404 },
  createWebhook: { role: 'VIEWER', scope: 'webhooks:write', body: {}, status: 400 },
  listWebhooks: { role: 'VIEWER', scope: 'webhooks:read', status: 200 },
  getWebhook: { role: 'VIEWER', scope: 'webhooks:read', status: 404 },
  updateWebhook: { role: 'VIEWER', scope: 'webhooks:write', body: { status: 'DISABLED' }, status: 404 },
  deleteWebhook: { role: 'VIEWER', scope: 'webhooks:write', status: 404 },
  rotateWebhookSecret: { role: 'ADMIN', scope: 'webhooks:write', status: 404 },
  testWebhook: { role: 'VIEWER', scope: 'webhooks:write', body: { type: 'scan.completed' }, status: 404 },
  replayWebhook: {
    role: 'ADMIN',
    scope: 'webhooks:write',
    body: { since: '2026-01-01T00:00:00Z' },
    status: 404,
  },
  listDeliveries: { role: 'VIEWER', scope: 'webhooks:read', status: 200 },
  getDelivery: { role: 'VIEWER', scope: 'webhooks:read', status: 404 },
  replayDelivery: { role: 'ADMIN', scope: 'webhooks:write', status: 404 },
  getOrganization: { role: 'VIEWER', scope: 'organization:read', status: 200 },
  updateOrganization: { role: 'OWNER', scope: 'organization:write', body: {}, status: 400 },
  deleteOrganization: { role: 'OWNER', scope: 'organization:write', body: { confirm_name: 'wrong' }, status: 400 },
  restoreOrganization: { isPublic: true, body: { recovery_token: 'wrong' }, status: 401 },
  updateBaseCurrency: { role: 'OWNER', scope: 'organization:write', body: { base_currency: 'XXX' }, status: 400 },
  updateReferenceValidation: { role: 'OWNER', scope: 'organization:write', body: { mode: 'SOME' }, status: 400 },
  exportOrganization: { role: 'OWNER', scope: 'organization:read', status: 200 },
  getUsage: { role: 'VIEWER', scope: 'organization:read', status: 200 },
  listUsageHistory: { role: 'VIEWER', scope: 'organization:read', status: 200 },
  createCheckout: { role: 'ADMIN', scope: 'billing:write', body: { plan_code: 'FREE' }, status: 400 },
  getSubscription: { role: 'ADMIN', scope: 'organization:read', status: 200 },
  createCheckoutSession: { role: 'ADMIN', scope: 'billing:write', body: { plan_code: 'FREE' }, status: 400 },
  createPortalSession: { role: 'ADMIN', scope: 'billing:write', status: 409 },
  receivePaddleNotification: { isPublic: true, body: {}, status: 401 },
  getCaller: { role: 'VIEWER', status: 200 },
  createSession: { role: 'VIEWER', status: 201 },
  listSessions: { role: 'ADMIN', scope: 'organization:read', status: 200 },
  // A request with an API key has no session.
  endCurrentSession: { role: 'VIEWER', status: 404 },
  listViews: { role: 'VIEWER', scope: 'findings:read', status: 200 },
  createView: { role: 'VIEWER', scope: 'findings:read', body: {}, status: 400 },
  getView: { role: 'VIEWER', scope: 'findings:read', status: 404 },
  updateView: { role: 'VIEWER', scope: 'findings:read', body: { name: 'Taken over' }, status: 404 },
  deleteView: { role: 'VIEWER', scope: 'findings:read', status: 404 },
  listCompanies: { role: 'ADMIN', scope: 'organization:read', status: 200 },
  createCompany: { role: 'ADMIN', scope: 'organization:write', body: {}, status: 400 },
  getCompany: { role: 'ADMIN', scope: 'organization:read', status: 404 },
  updateCompany: { role: 'ADMIN', scope: 'organization:write', body: { name: 'Taken over' }, status: 404 },
  deleteCompany: { role: 'ADMIN', scope: 'organization:write', status: 404 },
  listMembers: { role: 'ADMIN', scope: 'organization:read', status: 200 },
  listAssignees: { role: 'ANALYST', scope: 'findings:assign', status: 200 },
  inviteMember: { role: 'ADMIN', scope: 'organization:write', body: {}, status: 400 },
  acceptInvitation: { isPublic: true, body: { token: 'wrong', name: 'Ann' }, status: 401 },
  getMember: { role: 'ADMIN', scope: 'organization:read', status: 404 },
  updateMember: { role: 'ADMIN', scope: 'organization:write', body: { role: 'VIEWER' }, status: 404 },
  removeMember: { role: 'ADMIN', scope: 'organization:write', status: 404 },
  listApiKeys: { role: 'ADMIN', scope: 'organization:read', status: 200 },
  createApiKey: { role: 'ADMIN', scope: 'organization:write', body: {}, status: 400 },
  getApiKey: { role: 'ADMIN', scope: 'organization:read', status: 404 },
  updateApiKey: { role: 'ADMIN', scope: 'organization:write', body: { name: 'Taken over' }, status: 404 },
  revokeApiKey: { role: 'ADMIN', scope: 'organization:write', status: 404 },
  listAuditEvents: { role: 'ADMIN', scope: 'organization:read', status: 200 },
  listNotifications: { role: 'ADMIN', scope: 'organization:read', status: 200 },
};

/** Operations about what a test organization does not have, which refuse test keys. */
const refusedToTestKeys: ReadonlySet<string> = new Set([
  'createErpConnection',
  'startErpConsent',
  'listErpConnections',
  'getErpConnection',
  'updateErpConnection',
  'deleteErpConnection',
  'testErpConnection',
  'startErpRun',
  'listErpRuns',
  'saveKsefConnection',
  'listKsefConnections',
  'getKsefConnection',
  'updateKsefConnection',
  'disableKsefConnection',
  'startKsefInboxRuns',
  'dismissKsefRefusedInvoice',
  'listKsefInboxRuns',
  'testKsefConnection',
  'createKsefSubmission',
  'createKsefSubmissions',
  'listKsefSubmissions',
  'listAllKsefSubmissions',
  'getKsefSubmission',
  'listKsefSubmissionAttempts',
  'cancelKsefSubmission',
  'getKsefConfirmation',
  'createPaymentRun',
  'listPaymentRuns',
  'getPaymentRun',
  'listPaymentLines',
  'recheckPaymentRun',
  'downloadPaymentFile',
  'releasePaymentLine',
  'reportPaymentStatuses',
  'createCheckout',
  'createCheckoutSession',
  'getSubscription',
  'createPortalSession',
  'listMembers',
  'inviteMember',
  'getMember',
  'updateMember',
  'removeMember',
  'deleteOrganization',
]);

/** A loopback address on which no server listens. */
const unreachableWebhook = { url: 'https://127.0.0.1:1024/', events: ['invoice.analysis.failed'] };
const ksefConnection = { environment: 'TEST', context_nip: '5265877635', ksef_token: 'a-token-of-nobody-at-all' };
const rolesUp: readonly Role[] = ['VIEWER', 'ANALYST', 'ADMIN', 'OWNER'];
/** Valid ids that belong to no resource, by the name of the path parameter. */
const unknownIds: Readonly<Record<string, string>> = {
  invoiceId: UNKNOWN_ID,
  scanId: UNKNOWN_ID,
  viewId: UNKNOWN_ID,
  uploadId: UNKNOWN_ID,
  findingId: UNKNOWN_ID,
  ruleId: UNKNOWN_ID,
  companyId: UNKNOWN_ID,
  userId: UNKNOWN_ID,
  apiKeyId: 'A'.repeat(16),
  connectionId: UNKNOWN_ID,
  ksefConnectionId: UNKNOWN_ID,
  webhookId: UNKNOWN_ID,
  vendorId: UNKNOWN_ID,
  deliveryId: `dlv_${'a'.repeat(26)}`,
};
/** Path parameters that name a part of a resource. */
const parts: Readonly<Record<string, string>> = {
  page: '1',
  provider: 'PROVIDER_C',
  submissionId: UNKNOWN_ID,
  // payment-runs.e2e.test.ts has those of another organization.
  runId: UNKNOWN_ID,
  lineId: '1.1',
  // account-verifications.e2e.test.ts has those of another organization.
  supplierId: UNKNOWN_ID,
  accountId: UNKNOWN_ID,
  verificationId: UNKNOWN_ID,
  ksefNumber: '5265877635-20260314-0A1B2C3D4E5F-7C',
};
/** Paths at which resources are read, by the name of the path parameter. */
const collections: Readonly<Record<string, string>> = {
  invoiceId: '/invoices',
  scanId: '/scans',
  viewId: '/views',
  uploadId: '/uploads',
  findingId: '/findings',
  ruleId: '/finding-routing-rules',
  companyId: '/companies',
  userId: '/members',
  apiKeyId: '/api-keys',
  connectionId: '/erp-connections',
  ksefConnectionId: '/ksef-connections',
  vendorId: '/vendors',
  webhookId: '/webhooks',
  deliveryId: '/webhooks/deliveries',
};

let running: RunningSystem;
/** API keys by role, with every scope that a key of the role can have. */
let keys: Readonly<Record<Role, string>>;
/** A test key with the role OWNER and every scope. */
let testKey: string;
/** Resources of the other organization, by the name of the path parameter. */
let foreignIds: Readonly<Record<string, string>>;
/** State of the resources of the other organization before any test. */
let foreignResources: readonly unknown[];

beforeAll(async () => {
  running = await useSharedSystem();
  const { tenant, other } = running;
  const [analyst, admin] = await Promise.all([newKey('ANALYST', ['*']), newKey('ADMIN', ['*'])]);
  keys = { VIEWER: tenant.keys.viewer, ANALYST: analyst.key, ADMIN: admin.key, OWNER: tenant.keys.owner };
  const { body: created } = await running.request<CreatedApiKey>('POST /api-keys', {
    key: tenant.keys.owner,
    body: { name: 'Trial', role: 'OWNER', test: true },
  });
  testKey = created.key;
  const create = async (path: string, body: unknown): Promise<string> => {
    const created = await running.request<{ id: string }>(`POST ${path}`, { key: other.keys.owner, body });
    return created.body.id;
  };
  const [, invoiceId] = [await create('/invoices', plainInvoice(1)), await create('/invoices', plainInvoice(1))];
  const { body: latest } = await running.request<LatestAnalysis>(`GET /invoices/${invoiceId}/analysis/latest`, {
    key: other.keys.owner,
  });
  /** Creates a delivery of a deleted webhook, so that nothing changes the delivery afterwards. */
  const canceledDelivery = async (): Promise<string> => {
    const deleted = await create('/webhooks', unreachableWebhook);
    const deliveryId = await create(`/webhooks/${deleted}/test`, { type: 'scan.completed' });
    await running.request(`DELETE /webhooks/${deleted}`, { key: other.keys.owner });
    return deliveryId;
  };
  /** The ERP connection is deleted as well, so that no synchronisation changes it. */
  const disabledConnection = async (): Promise<string> => {
    const config = { baseUrl: 'https://127.0.0.1:1024' };
    const connectionId = await create('/erp-connections', { provider: 'ODOO', config, api_key: 'key' });
    await running.request(`DELETE /erp-connections/${connectionId}`, { key: other.keys.owner });
    return connectionId;
  };
  const reserveUpload = async (): Promise<string> => {
    const { body } = await running.request<{ upload_id: string }>('POST /uploads', {
      key: other.keys.owner,
      body: { mediaType: 'application/pdf', byteSize: 9 },
    });
    return body.upload_id;
  };
  /** Imports a vendor as a synchronisation does. */
  const importVendor = async (): Promise<string> => {
    const channel = openTestChannel('analysis', running.system.addresses.analysis);
    const { organizationId, companyId } = other;
    const connectionId = randomUUID();
    const source = {
      organizationId,
      companyId,
      connectionId,
      remoteCompanyId: 'remote',
      runId: '',
      provider: 'PROVIDER_B',
    };
    const vendor = { externalId: '1', name: 'Theirs', isTaxIdMasked: false, hasAccounts: true, accounts: [] };
    await client(ErpImportServiceDefinition, channel).importVendors(
      { source, vendors: [{ ...vendor, status: VendorStatus.ACTIVE, modifiedTime: undefined }] },
      { context: { requestId: 'test', actor: { type: 'SYSTEM', id: 'test' } }, timeoutMs: 5_000 },
    );
    channel.close();
    const { body } = await running.request<Page<{ id: string }>>('GET /vendors', { key: other.keys.owner });
    return body.items[0]?.id ?? '';
  };
  const rule = { name: 'Theirs', position: 1, match: {}, assign_to: other.users.analyst };
  foreignIds = {
    invoiceId,
    scanId: await create('/scans', { rows: [plainRow(1)] }),
    viewId: await create('/views', { name: 'Theirs', query: '', is_shared: true }),
    uploadId: await reserveUpload(),
    findingId: latest.findings[0]?.id ?? '',
    ruleId: await create('/finding-routing-rules', rule),
    companyId: await create('/companies', { name: 'Theirs' }),
    userId: other.users.viewer,
    apiKeyId: await create('/api-keys', { name: 'Theirs', role: 'VIEWER' }),
    connectionId: await disabledConnection(),
    ksefConnectionId: await create('/ksef-connections', ksefConnection),
    vendorId: await importVendor(),
    webhookId: await create('/webhooks', unreachableWebhook),
    deliveryId: await canceledDelivery(),
  };
  foreignResources = await readForeignResources();
});
afterAll(() => running.stop());

async function newKey(role: Role, scopes: readonly string[], expiresAt?: string): Promise<CreatedApiKey> {
  const { body } = await running.request<CreatedApiKey>('POST /api-keys', {
    key: running.tenant.keys.owner,
    body: { name: `${role} of a test`, role, scopes, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) },
  });
  return body;
}

/** Returns `METHOD /path` with these ids. Throws for a parameter without an id, so that no route is missed. */
function targetOf(route: (typeof routes)[number], ids: Readonly<Record<string, string>>): string {
  // ERP connections and KSeF connections have the same path parameter.
  const isOfKsef = route.path.startsWith('/ksef-connections');
  const path = route.path.replaceAll(/:([A-Za-z]+)/g, (_, name: string) => {
    const id = parts[name] ?? ids[isOfKsef && name === 'connectionId' ? 'ksefConnectionId' : name];
    if (id === undefined) throw new TypeError(`There is no id for the path parameter ${name}.`);
    return id;
  });
  return `${route.method.toUpperCase()} ${path}`;
}

/** Calls a route as its expectation describes, with ids that belong to no resource. */
function call(route: (typeof routes)[number], options: RequestOptions = {}): Promise<Answer<ErrorBody>> {
  const body = expectations[route.operation]?.body;
  return running.request<ErrorBody>(targetOf(route, unknownIds), {
    ...(body === undefined ? {} : { body }),
    ...options,
  });
}

function keyExpectation(operation: string): KeyExpectation {
  const expectation = expectations[operation];
  if (expectation === undefined || 'isPublic' in expectation) throw new TypeError(`${operation} has no such entry.`);
  return expectation;
}

const isPublic = ({ operation }: { operation: string }) => 'isPublic' in (expectations[operation] ?? {});
const named = (list: readonly (typeof routes)[number][]) => list.map((route) => [route.operation, route] as const);
const withKey = routes.filter((route) => !isPublic(route));
const withIds = withKey.filter(({ path }) => path.includes(':'));

const unauthorized = { status: 401, body: { error: { code: 'UNAUTHORIZED' } } };
const forbidden = { status: 403, body: { error: { code: 'FORBIDDEN' } } };

describe('the matrix', () => {
  test('has an entry for every route and no others', () => {
    const byName = (left: string, right: string) => left.localeCompare(right);
    expect(Object.keys(expectations).toSorted(byName)).toEqual(
      routes.map(({ operation }) => operation).toSorted(byName),
    );
  });
});

describe.each(named(withKey))('%s', (operation, route) => {
  test('refuses a call without a key', async () => {
    expect(await call(route)).toMatchObject(unauthorized);
  });

  test.each(rolesUp)('lets %s in exactly when role and scope suffice', async (role) => {
    const { role: least, scope, status } = keyExpectation(operation);
    const isEnough = rolesUp.indexOf(role) >= rolesUp.indexOf(least);
    const hasScope = role !== 'VIEWER' || (scope?.endsWith(':read') ?? true);
    const answer = await call(route, { key: keys[role] });
    if (isEnough && hasScope) expect(answer.status).toBe(status);
    else expect(answer).toMatchObject(forbidden);
  });

  const { scope, status } = keyExpectation(operation);
  if (scope === undefined) return;
  test('refuses an owner’s key without its scope, and accepts one with that scope alone', async () => {
    const [without, alone] = await Promise.all([
      newKey(
        'OWNER',
        scopes.filter((other) => other !== scope),
      ),
      newKey('OWNER', [scope]),
    ]);
    const refused = await call(route, { key: without.key });
    expect(refused).toMatchObject(forbidden);
    expect(refused.body.error.message).toContain(scope);
    expect((await call(route, { key: alone.key })).status).toBe(status);
  });
});

test.each(named(withKey))(
  '%s is refused to test keys exactly when it is about what they do not have',
  async (operation, route) => {
    const answer = await call(route, { key: testKey });
    if (!refusedToTestKeys.has(operation)) return expect(answer.status).toBe(keyExpectation(operation).status);
    expect(answer).toMatchObject(forbidden);
    expect(answer.body.error.message).toContain('ick_live_');
  },
);

// Operations without a JSON body are refused by the type of the body before the id is read.
const takingJson = withIds.filter(({ operation }) => keyExpectation(operation).status !== 415);

describe.each(named(takingJson))('%s', (operation, route) => {
  test('answers for a resource of another organization exactly as for an unknown or malformed id', async () => {
    const { body } = keyExpectation(operation);
    const options = { key: keys.OWNER, requestId: 'whose-resource', ...(body === undefined ? {} : { body }) };
    const malformed = Object.fromEntries(Object.keys(unknownIds).map((name) => [name, 'not-an-id']));
    const answers = await Promise.all(
      [foreignIds, unknownIds, malformed].map((ids) => running.request(targetOf(route, ids), options)),
    );
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});

describe.each(named(routes.filter(isPublic)))('%s', (operation, route) => {
  test('needs no key, and a key does not help', async () => {
    const { status } = expectations[operation] ?? { status: 0 };
    expect((await call(route)).status).toBe(status);
    expect((await call(route, { key: keys.OWNER })).status).toBe(status);
  });
});

describe('an id of another organization inside a body', () => {
  test.each<[string, string, number, (tenant: Tenant | undefined) => unknown]>([
    ['company', 'POST /invoices', 400, (owner) => ({ ...plainInvoice(2), company_id: owner?.companyId ?? UNKNOWN_ID })],
    [
      'company',
      'POST /ksef-connections',
      400,
      (owner) => ({ ...ksefConnection, company_id: owner?.companyId ?? UNKNOWN_ID }),
    ],
    ['company', 'POST /scans', 400, (owner) => ({ companyId: owner?.companyId ?? UNKNOWN_ID, rows: [plainRow(2)] })],
    [
      'member',
      'POST /finding-routing-rules',
      400,
      (owner) => ({ name: 'A', position: 1, match: {}, assign_to: owner?.users.analyst ?? UNKNOWN_ID }),
    ],
    [
      'member',
      'PATCH /findings/{findingId}/assignment',
      404,
      (owner) => ({ assignee_user_id: owner?.users.analyst ?? UNKNOWN_ID }),
    ],
  ])('is refused like that of a %s that does not exist by %s', async (_, target, status, bodyWith) => {
    const { tenant, other } = running;
    const ownFindingId = target.includes('{findingId}') ? await newFinding(tenant) : '';
    const answers = await Promise.all(
      [other, undefined].map((owner) =>
        running.request(target.replace('{findingId}', ownFindingId), {
          key: keys.OWNER,
          body: bodyWith(owner),
          requestId: 'whose-id',
        }),
      ),
    );
    for (const answer of answers) expect(answer.status).toBe(status);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});

/** Creates a finding of the tenant, about an invoice that repeats an earlier one. */
async function newFinding({ keys: { owner: key } }: Tenant): Promise<string> {
  const post = () => running.request<AcceptedAnalysis>('POST /invoices', { key, body: plainInvoice(3) });
  const [, copy] = [await post(), await post()];
  const latest = await running.request<LatestAnalysis>(`GET /invoices/${copy.body.id}/analysis/latest`, { key });
  return latest.body.findings[0]?.id ?? '';
}

test('the resources of another organization stay unchanged', async () => {
  expect(await readForeignResources()).toEqual(foreignResources);
});

function readForeignResources(): Promise<readonly unknown[]> {
  const { owner: key } = running.other.keys;
  return Promise.all(
    Object.entries(foreignIds).map(async ([name, id]) => {
      const { status, body, text } = await running.request(
        `GET ${collections[name]}/${id}${name === 'uploadId' ? '/status' : ''}`,
        { key },
      );
      if (status !== 200) throw new Error(`The ${name} of the other organization cannot be read: ${text}`);
      return body;
    }),
  );
}

describe('an Authorization header', () => {
  const read = (authorization: string) =>
    running.request('GET /organizations/current', { headers: { authorization }, requestId: 'one-refusal' });

  test.each(['Bearer', 'bearer', 'BEARER'])('is accepted with the scheme spelled %s', async (scheme) => {
    expect((await read(`${scheme} ${keys.OWNER}`)).status).toBe(200);
    expect((await read(`${scheme}   ${keys.OWNER}`)).status).toBe(200);
  });

  test('is refused with the same message, whatever its fault', async () => {
    const key = keys.OWNER;
    const last = key.at(-1) === 'a' ? 'b' : 'a';
    const wrong = [
      '',
      'Bearer',
      'Bearer ',
      key,
      `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
      `Bearer  ${key} x`,
      `Bearer ${key},`,
      `Bearer "${key}"`,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key}x`,
      `Bearer ${key.slice(0, -1)}${last}`,
      `Bearer ${key.toLowerCase()}`,
      `Bearer ${key.replace(/^ick_live_|^ick_test_/, (kind) => (kind === 'ick_live_' ? 'ick_test_' : 'ick_live_'))}`,
      `Bearer ${'x'.repeat(10_000)}`,
      `Bearer ${key}, Bearer ${key}`,
      'Bearer null',
      'Bearer \u00e4',
    ];
    const answers = await Promise.all(wrong.map(read));
    for (const [index, answer] of answers.entries())
      expect([wrong[index], answer]).toMatchObject([wrong[index], unauthorized]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('is refused when it is sent twice, even if both are valid', async () => {
    const line = `Authorization: Bearer ${keys.OWNER}\r\n`;
    const bytes = `GET /v1/organizations/current HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${line}${line}\r\n`;
    expect(await running.raw('GET /organizations/current', bytes)).toMatchObject(unauthorized);
  });

  test.each(['api_key', 'access_token', 'key', 'authorization'])('cannot be replaced by ?%s=', async (name) => {
    const target = `GET /organizations/current?${name}=${keys.OWNER}`;
    expect(await running.request(target)).toMatchObject(unauthorized);
  });

  test('is refused with an expired key', async () => {
    // The step is repeated if the machine was so slow that the time was over before the key was created.
    const { key, expiresAt } = await eventually(async () => {
      const soon = Date.now() + 3_000;
      const created = await newKey('OWNER', ['*'], new Date(soon).toISOString());
      expect(created.key).toBeDefined();
      return { key: created.key, expiresAt: soon };
    });
    await eventually(() => expect(Date.now()).toBeGreaterThan(expiresAt + 100));
    expect(await running.request('GET /organizations/current', { key })).toMatchObject(unauthorized);
  });
});
