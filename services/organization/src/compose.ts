import { events } from '@invoicecontrol/contracts/events';
import { archiveService } from '@invoicecontrol/retention/archive-service';
import { usageService } from '@invoicecontrol/metering/usage-service';
import { documentOfOrganization, ownedDocuments, prefixedDocuments } from '@invoicecontrol/retention/tenant-data';
import type { TenantData } from '@invoicecontrol/retention/tenant-data';
import { startTenantService } from '@invoicecontrol/retention/tenant-service';
import type { TenantConnections, TenantParts } from '@invoicecontrol/retention/tenant-service';
import { openChannel } from '@invoicecontrol/runtime/grpc/client';
import type { Job } from '@invoicecontrol/runtime/job';
import { dueWork } from '@invoicecontrol/runtime/due-work';
import type { DueWork } from '@invoicecontrol/runtime/due-work';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { populationOf } from '@invoicecontrol/runtime/mongo/population';
import { handler } from '@invoicecontrol/runtime/service-shell';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import type { Db } from 'mongodb';
import { countCompanies, countMembers } from './application/plan-usage.js';
import { dailyPurge, repeatPurges } from './application/purge-organizations.js';
import { registerOrganizations } from './application/register-organizations.js';
import { sendDueNotifications } from './application/send-notifications.js';
import type { SendingDeps } from './application/send-notifications.js';
import { stuckMails } from './application/stuck-mails.js';
import { registerOfBilling, subscriptionsFromBilling } from './clients/billing.js';
import { smtpMailer } from './clients/mail-server.js';
import { configSchema } from './config.js';
import type { Config } from './config.js';
import { apiKeyStore, createApiKeyIndexes } from './storage/api-keys.js';
import type { ApiKeyDocument } from './storage/api-keys.js';
import { auditTrail, createAuditEventIndexes } from './storage/audit-events.js';
import type { AuditEventDocument } from './storage/audit-events.js';
import { auditedStore } from './storage/audited-store.js';
import { startAuditRelay } from './storage/audit-relay.js';
import { startKeyUsage } from './storage/key-usage.js';
import { createNotificationIndexes, notificationStore } from './storage/notifications.js';
import type { NotificationDocument } from './storage/notifications.js';
import { createOrganizationIndexes, organizationStore } from './storage/organizations.js';
import type { OrganizationDocument } from './storage/organizations.js';
import { dailyTurn, purgeStore, unpurgedOrganization } from './storage/purges.js';
import type { ScheduleDocument } from './storage/purges.js';
import { createRateWindowIndexes, RATE_WINDOW_CONCERNS, rateWindowStore } from './storage/rate-windows.js';
import type { RateWindowDocument } from './storage/rate-windows.js';
import { createRosterIndexes, rosterStore } from './storage/rosters.js';
import type { RosterDocument } from './storage/rosters.js';
import { createSessionIndexes, sessionStore } from './storage/sessions.js';
import type { SessionDocument } from './storage/sessions.js';
import { archivedViews, createViewIndexes, viewStore } from './storage/views.js';
import type { ViewListDocument } from './storage/views.js';
import { reportOrganizations } from './telemetry.js';
import { accessService } from './transport/grpc/access.js';
import { apiKeyService } from './transport/grpc/api-key.js';
import { auditService } from './transport/grpc/audit.js';
import { companyService } from './transport/grpc/company.js';
import { memberService } from './transport/grpc/member.js';
import { notificationService } from './transport/grpc/notification.js';
import { operatorService } from './transport/grpc/operator.js';
import { organizationService } from './transport/grpc/organization.js';
import { sessionService } from './transport/grpc/session.js';
import { viewService } from './transport/grpc/view.js';
import { onAuditRecorded } from './transport/subscribers/audit-recorded.js';
import { onOrganizationEnded } from './transport/subscribers/organization-ended.js';
import { onPaymentFailed, onTrialEnding, onUsageReached } from './transport/subscribers/billing-notices.js';
import {
  onKsefConnectionFailed,
  onKsefCredentialEnding,
  onKsefInboxPaused,
  onKsefInvoicesRefused,
  onKsefSubmissionChanged,
} from './transport/subscribers/ksef-changed.js';
import { onErpConnectionChanged } from './transport/subscribers/erp-connection-changed.js';
import { onEndpointTrouble } from './transport/subscribers/endpoint-trouble.js';
import { onFindingAssigned } from './transport/subscribers/finding-assigned.js';
import { onRefusedCall } from './transport/refused-call.js';
import { onSubscriptionChanged } from './transport/subscribers/subscription-changed.js';

/** Starts the organization service and resolves when the service accepts calls. */
export function startService(config: Config, overrides?: StartOverrides): Promise<RunningService> {
  return startTenantService(
    {
      name: 'organization',
      schema: configSchema,
      config,
      callsEndMsMax: 10_000,
      compose: (connections) => compose(config, connections),
    },
    overrides,
  );
}

async function compose(
  config: Config,
  { db, identity, clock, logger, openOutbox, onStop }: TenantConnections,
): Promise<TenantParts> {
  const billingChannel = openChannel(config.BILLING_ADDRESS, { service: 'billing', identity });
  onStop('billing', () => billingChannel.close());
  const collections = await openCollections(db);
  const outbox = await openOutbox(['organizations', 'api_keys']);
  const dueMails = dueWork(clock);
  const dueRounds = dueWork(clock);
  const auditRelay = startAuditRelay({
    db,
    collectionNames: ['organizations', 'api_keys', 'members', 'sessions', 'views'],
    auditEvents: collections.auditEvents,
    notifications: collections.notifications,
    onNotification: dueMails.note,
    clock,
    logger,
  });
  onStop('audit relay', () => auditRelay.stop());
  const countOrganizations = populationOf(collections.organizations, {
    filter: { purge: { $exists: false } },
    fields: {
      plan: '$plan',
      status: { $cond: [{ $gt: ['$deletedAt', null] }, 'deleted', '$subscriptionStatus'] },
    },
    clock,
  });
  onStop('metrics of organizations', reportOrganizations(countOrganizations));
  const keyUsage = startKeyUsage(collections.apiKeys, logger);
  onStop('key usage', () => keyUsage.stop());

  const storeDeps = { outbox, auditRelay, clock };
  const auditedOrganizations = auditedStore(collections.organizations, storeDeps);
  const purges = purgeStore(collections.organizations, auditedOrganizations, {
    outbox,
    clock,
    onDue: dueRounds.note,
  });
  const trail = auditTrail(collections.auditEvents);
  const peppers = config.API_KEY_PEPPERS;
  const notifications = notificationStore(collections.notifications, clock, dueMails.note);
  const deps = {
    organizations: organizationStore(collections.organizations, auditedOrganizations),
    keys: apiKeyStore(collections.apiKeys, auditedStore(collections.apiKeys, storeDeps)),
    rosters: rosterStore(collections.rosters, auditedStore(collections.rosters, storeDeps)),
    sessions: sessionStore(collections.sessions, auditedStore(collections.sessions, storeDeps)),
    views: viewStore(collections.views, auditedStore(collections.views, storeDeps), storeDeps),
    notifications,
    auditTrail: trail,
    purges,
    subscriptions: subscriptionsFromBilling(billingChannel),
    retentionMs: config.ORGANIZATION_RETENTION_MS,
    windows: rateWindowStore(collections.rateWindows),
    keyUsage,
    peppers,
    pepper: peppers[0],
    clock,
  };
  return {
    rpcGroups: [
      accessService({ ...deps, identity }),
      organizationService(deps),
      companyService(deps),
      apiKeyService(deps),
      sessionService(deps),
      viewService(deps),
      archiveService({ views: archivedViews(collections.views) }),
      memberService(deps),
      notificationService(deps),
      auditService(deps),
      operatorService(deps),
      usageService({ present: { companies: countCompanies(deps), members: countMembers(deps) } }, clock),
    ],
    eventHandlers: [
      handler(events.organizationDeleted, onOrganizationEnded(deps)),
      handler(events.organizationRestored, onOrganizationEnded(deps)),
      handler(events.findingAssigned, onFindingAssigned(deps)),
      handler(events.analysisAuditRecorded, onAuditRecorded(deps)),
      handler(events.scanAuditRecorded, onAuditRecorded(deps)),
      handler(events.webhooksAuditRecorded, onAuditRecorded(deps)),
      handler(events.documentsAuditRecorded, onAuditRecorded(deps)),
      handler(events.billingAuditRecorded, onAuditRecorded(deps)),
      handler(events.erpSyncAuditRecorded, onAuditRecorded(deps)),
      handler(events.ksefAuditRecorded, onAuditRecorded(deps)),
      handler(events.connectionChanged, onErpConnectionChanged(deps)),
      handler(events.ksefConnectionFailed, onKsefConnectionFailed(deps)),
      handler(events.ksefCredentialEnding, onKsefCredentialEnding(deps)),
      handler(events.ksefInboxPaused, onKsefInboxPaused(deps)),
      handler(events.ksefInboxInvoicesRefused, onKsefInvoicesRefused(deps)),
      handler(events.submissionChanged, onKsefSubmissionChanged(deps)),
      handler(events.subscriptionChanged, onSubscriptionChanged({ ...deps, logger })),
      handler(events.paymentFailed, onPaymentFailed(deps)),
      handler(events.trialEnding, onTrialEnding(deps)),
      handler(events.analysisUsageReached, onUsageReached(deps)),
      handler(events.scanUsageReached, onUsageReached(deps)),
      handler(events.documentsUsageReached, onUsageReached(deps)),
      handler(events.endpointFailing, onEndpointTrouble(deps, 'WEBHOOK_FAILING')),
      handler(events.endpointDisabled, onEndpointTrouble(deps, 'WEBHOOK_DISABLED')),
    ],
    tenantData: tenantDataOf(collections),
    isPurged: (organizationId) => purges.isPurged(organizationId),
    stuckWork: [stuckMails(deps)],
    recordRefusedCall: onRefusedCall(deps),
    jobs: [
      ...mailJobs(config, dueMails, { ...deps, queue: notifications, logger }),
      { name: 'rounds of purges', ...dueRounds.schedule, run: repeatPurges(deps) },
      {
        name: 'daily purge',
        pauseMs: DAILY_PURGE_POLL_EACH_MS,
        run: dailyPurge({
          ...deps,
          trail,
          turn: dailyTurn(collections.schedules, 'purge', { first: 'AFTER_A_DAY' }),
          auditRetentionMs: config.AUDIT_RETENTION_MS,
          logger,
        }),
      },
      {
        name: 'register organizations with billing',
        pauseMs: REGISTER_POLL_EACH_MS,
        run: registerOrganizations({
          ...deps,
          register: registerOfBilling(billingChannel),
          turn: dailyTurn(collections.schedules, 'register', { first: 'AT_ONCE' }),
          logger,
        }),
      },
    ],
  };
}

/** Opens the database collections of the organization service and creates their indexes. */
async function openCollections(db: Db) {
  const organizations = db.collection<OrganizationDocument>('organizations');
  const apiKeys = db.collection<ApiKeyDocument>('api_keys');
  const rosters = db.collection<RosterDocument>('members');
  const sessions = db.collection<SessionDocument>('sessions');
  const views = db.collection<ViewListDocument>('views');
  const notifications = db.collection<NotificationDocument>('notifications');
  const auditEvents = db.collection<AuditEventDocument>('audit_events');
  const rateWindows = db.collection<RateWindowDocument>('rate_windows', RATE_WINDOW_CONCERNS);
  await Promise.all([
    createOrganizationIndexes(organizations),
    createApiKeyIndexes(apiKeys),
    createRosterIndexes(rosters),
    createSessionIndexes(sessions),
    createViewIndexes(views),
    createNotificationIndexes(notifications),
    createAuditEventIndexes(auditEvents),
    createRateWindowIndexes(rateWindows),
  ]);
  const schedules = db.collection<ScheduleDocument>('schedules');
  return { organizations, apiKeys, rosters, sessions, views, notifications, auditEvents, rateWindows, schedules };
}

/** Lists the kinds of data that are kept for an organization until it is purged. The audit trail is kept for longer. */
function tenantDataOf({
  organizations,
  apiKeys,
  rosters,
  sessions,
  views,
  notifications,
  rateWindows,
}: Awaited<ReturnType<typeof openCollections>>): readonly TenantData[] {
  return [
    unpurgedOrganization(organizations),
    // A database document is kept while it contains audit entries that were not moved to the audit trail yet.
    ownedDocuments(apiKeys, ['auditPending']),
    documentOfOrganization(rosters, ['auditPending']),
    ownedDocuments(sessions, ['auditPending']),
    ownedDocuments(views, ['auditPending']),
    ownedDocuments(notifications),
    prefixedDocuments(rateWindows, (organizationId) => `organization:${organizationId}:`),
  ];
}

/** Interval at which a replica checks whether the daily purge of organizations is due. */
const DAILY_PURGE_POLL_EACH_MS = 5 * 60_000;
/** Interval at which a replica checks whether organizations must be registered in billing. */
const REGISTER_POLL_EACH_MS = 60_000;

function mailJobs({ SMTP_URL, MAIL_FROM }: Config, due: DueWork, deps: Omit<SendingDeps, 'mailer'>): Job[] {
  if (SMTP_URL === undefined || MAIL_FROM === undefined) {
    deps.logger.warn({}, 'SMTP_URL is not set: notifications stay QUEUED');
    return [];
  }
  const sending = { ...deps, mailer: smtpMailer(SMTP_URL, MAIL_FROM) };
  return [{ name: 'mail', ...due.schedule, run: (signal) => sendDueNotifications(sending)(signal) }];
}
