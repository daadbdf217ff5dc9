import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSmtpSimulator } from '@invoicecontrol/simulators/smtp';
import type { SmtpSimulator } from '@invoicecontrol/simulators/smtp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startRunningSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import { ubl, uploadXml } from './uploading.js';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example?: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json'?: { readonly example: object } } };
  readonly responses: Readonly<Record<string, unknown>>;
}

let smtp: SmtpSimulator;
let running: RunningSystem;
beforeAll(async () => {
  smtp = await startSmtpSimulator();
  running = await startRunningSystem({
    SMTP_URL: smtp.url,
    MAIL_FROM: 'control@example.com',
    EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
    // No server listens at this address of the login, so the examples cannot connect an ERP.
    BUSINESS_CENTRAL_LOGIN_URL: 'http://127.0.0.1:1024',
    WEBHOOK_RETRY_WAITS_MS: '10,10,10,10',
  });
});
afterAll(async () => {
  await running.stop();
  await smtp.stop();
});

/** The path parameter that the response of an operation provides, and the name of its field. */
const created: Readonly<Record<string, readonly [parameter: string, field: string]>> = {
  analyzeInvoice: ['invoiceId', 'id'],
  createScan: ['scanId', 'id'],
  createPaymentRun: ['runId', 'id'],
  createRoutingRule: ['ruleId', 'id'],
  createView: ['viewId', 'id'],
  createCompany: ['companyId', 'id'],
  inviteMember: ['userId', 'userId'],
  createApiKey: ['apiKeyId', 'id'],
  createErpConnection: ['connectionId', 'id'],
  saveKsefConnection: ['ksefConnectionId', 'id'],
  createWebhook: ['webhookId', 'id'],
  testWebhook: ['deliveryId', 'id'],
};

/**
 * A file has no example that would be readable here; uploads.e2e.test.ts sends and reads some. A notification needs a
 * signature, and the portal a customer; billing.e2e.test.ts has both. Tests and runs of connections, and vendors, need an ERP;
 * erp-connections.e2e.test.ts has some, and erp-oauth.e2e.test.ts persons who consent. Submissions and inbox runs need KSeF;
 * ksef.e2e.test.ts and ksef-inbox.e2e.test.ts have it. A verification of an account needs two people;
 * account-verifications.e2e.test.ts has them. Batches of findings name findings that exist; events.e2e.test.ts changes
 * some. Files of payment runs and reports of banks are XML; payment-runs.e2e.test.ts sends some.
 */
const testedElsewhere: ReadonlySet<string> = new Set([
  'receiveUpload',
  'exportOrganization',
  'getInvoiceDocument',
  'getInvoiceDocumentFields',
  'reviewFindings',
  'assignFindings',
  'getInvoiceDocumentPage',
  'getInvoiceDocumentPageWords',
  'viewInvoiceDocument',
  'receivePaddleNotification',
  'createCheckoutSession',
  'createPortalSession',
  'startErpConsent',
  'receiveErpConsent',
  'receiveErpConsentOfProvider',
  'decideErpConsent',
  'decideErpConsentOfProvider',
  'testErpConnection',
  'testKsefConnection',
  'startKsefInboxRuns',
  'dismissKsefRefusedInvoice',
  'createKsefSubmission',
  'createKsefSubmissions',
  'getKsefSubmission',
  'listKsefSubmissionAttempts',
  'cancelKsefSubmission',
  'getKsefConfirmation',
  'startErpRun',
  'endCurrentSession',
  'getVendor',
  'getSupplier',
  'verifyAccount',
  'confirmVerification',
  'downloadPaymentFile',
  'releasePaymentLine',
  'reportPaymentStatuses',
]);

test('every example of the description works unchanged', async () => {
  const tenant = await running.newTenant();
  const { paths } = (await running.request<{ paths: Record<string, Record<string, Operation>> }>('GET //openapi.json'))
    .body;
  const published = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
  // Checks whether an operation ends the organization or one of its resources. Such operations are called last.
  const isEnd = ({ operationId }: Operation) => /^(delete|restore)Organization$/.test(operationId);
  const described = published.filter(({ operationId }) => !testedElsewhere.has(operationId));
  const operations = [...described.filter((one) => !isEnd(one)), ...described.filter(isEnd)];

  const uploadId = await uploadXml(running, tenant.keys.owner, ubl('EXAMPLE-1'));
  const ids = new Map<string, string>([['uploadId', uploadId]]);
  /** Values that the API description cannot contain: ids of a member and of a file, and secrets that are shown once. */
  const unknowable = new Map<string, object>([
    ['createRoutingRule', { assign_to: tenant.users.admin }],
    ['assignFinding', { assignee_user_id: tenant.users.admin }],
    ['analyzeUpload', { upload_id: uploadId }],
    // Tests send requests only to loopback. No server listens at this address.
    ['createWebhook', { url: 'https://127.0.0.1:1024/' }],
  ]);
  for (const { operationId, method, path, parameters = [], requestBody, responses } of operations) {
    if (operationId === 'acceptInvitation') unknowable.set(operationId, { token: await invitationToken(smtp) });
    const example = requestBody?.content['application/json']?.example;
    const body = example === undefined ? {} : { body: { ...example, ...unknowable.get(operationId) } };
    const send = (fill: (name: string) => string) =>
      running.request<Record<string, unknown>>(
        `${method} ${path.replace(/\{(\w+)\}/g, (_, name: string) => fill(name))}`,
        {
          ...body,
          key: tenant.keys.owner,
        },
      );
    if (path.includes('{')) {
      const { status } = await send((name) => parameters.find((one) => one.name === name)?.example ?? '');
      expect({ operationId, status }).toEqual({ operationId, status: 404 });
    }
    // The ids of ERP connections and of KSeF connections have the same path parameter, so the path decides which one is
    // filled in.
    const isOfKsef = path.startsWith('/v1/ksef-connections') || path.startsWith('/ksef-connections');
    const answer = await send((name) => ids.get(isOfKsef && name === 'connectionId' ? 'ksefConnectionId' : name) ?? '');
    // The first request that saves a KSeF connection has a different status from later ones.
    const [success] = ['saveKsefConnection', 'createPaymentRun'].includes(operationId)
      ? ['201']
      : Object.keys(responses);
    expect({ operationId, status: answer.status, text: answer.status < 400 ? '' : answer.text }).toEqual({
      operationId,
      status: Number(success),
      text: '',
    });
    const [parameter, field] = created[operationId] ?? [];
    if (parameter !== undefined && field !== undefined) ids.set(parameter, String(answer.body[field]));
    if (operationId === 'listFindings') {
      const [finding] = answer.body['items'] as { id: string }[];
      ids.set('findingId', finding?.id ?? '');
    }
    if (operationId === 'getDelivery') {
      // Waits until the webhook delivery can be sent again.
      await eventually(async () => {
        const { body: delivery } = await send((name) => ids.get(name) ?? '');
        expect(delivery['status']).toBe('FAILED');
      });
    }
    if (operationId === 'deleteOrganization') {
      unknowable.set('restoreOrganization', { recovery_token: answer.body['recoveryToken'] });
    }
  }
});

async function invitationToken({ httpUrl }: SmtpSimulator): Promise<string> {
  return eventually(async () => {
    const mails = (await (await fetch(`${httpUrl}/messages`)).json()) as { text: string }[];
    const token = mails.map(({ text }) => /inv_[0-9a-f]{64}/.exec(text)?.[0]).find((found) => found !== undefined);
    if (token === undefined) throw new Error('no invitation was mailed');
    return token;
  });
}
