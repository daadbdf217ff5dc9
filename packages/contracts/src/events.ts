import {
  AnalysisFailed,
  FindingAssigned,
  FindingCreated,
  FindingReviewed,
  InvoiceAnalyzed,
  PaymentRunChecked,
} from './gen/invoicecontrol/analysis/v1/events.js';
import { AuditRecorded } from './gen/invoicecontrol/audit/v1/events.js';
import { PaymentFailed, SubscriptionChanged, TrialEnding } from './gen/invoicecontrol/billing/v1/events.js';
import { ConnectionChanged, SyncCompleted } from './gen/invoicecontrol/erp_sync/v1/events.js';
import {
  ConnectionFailed,
  CredentialEnding,
  InboxChanged,
  InboxInvoicesRefused,
  InboxPaused,
  SubmissionChanged,
} from './gen/invoicecontrol/ksef/v1/events.js';
import {
  ApiKeysRevoked,
  OrganizationChanged,
  OrganizationCreated,
  OrganizationDeleted,
  OrganizationPurged,
  OrganizationRestored,
} from './gen/invoicecontrol/organization/v1/events.js';
import { ScanCompleted, ScanFailed } from './gen/invoicecontrol/scan/v1/events.js';
import { UsageReached } from './gen/invoicecontrol/usage/v1/events.js';
import { EndpointDisabled, EndpointFailing } from './gen/invoicecontrol/webhooks/v1/events.js';

/** Fields that all events have: the derived id, the time of the change and the organization. */
export interface EventHeader {
  eventId: string;
  eventTime: Date | undefined;
  organizationId: string;
}

interface JsonCodec<T> {
  toJSON(message: T): unknown;
  fromJSON(json: unknown): T;
}

/** An event that services can publish and subscribe to. Its subject, stream and codec follow from its proto message. */
export interface EventType<T extends EventHeader = EventHeader> {
  /** Name of the service that publishes the event. */
  readonly service: string;
  /** Name of the event type, such as `finding_created`. */
  readonly name: string;
  /** Broker subject of the event type, such as `invoicecontrol.analysis.v1.finding_created`. */
  readonly subject: string;
  /** Broker stream that keeps events of this type, such as `INVOICECONTROL_ANALYSIS`. */
  readonly stream: string;
  readonly codec: JsonCodec<T>;
}

/**
 * Fields that the publisher sets. The id, the time and the organization of the event are added when the change is
 * stored.
 */
export type EventBody<T extends EventHeader> = Omit<T, keyof EventHeader>;

function event<T extends EventHeader>(service: string, name: string, codec: JsonCodec<T>): EventType<T> {
  return {
    service,
    name,
    subject: `invoicecontrol.${service}.v1.${name}`,
    stream: `INVOICECONTROL_${service.toUpperCase().replaceAll('-', '_')}`,
    codec,
  };
}

/** Catalogue of all event types that services publish. */
export const events = {
  invoiceAnalyzed: event<InvoiceAnalyzed>('analysis', 'invoice_analyzed', InvoiceAnalyzed),
  analysisFailed: event<AnalysisFailed>('analysis', 'analysis_failed', AnalysisFailed),
  findingCreated: event<FindingCreated>('analysis', 'finding_created', FindingCreated),
  findingReviewed: event<FindingReviewed>('analysis', 'finding_reviewed', FindingReviewed),
  findingAssigned: event<FindingAssigned>('analysis', 'finding_assigned', FindingAssigned),
  paymentRunChecked: event<PaymentRunChecked>('analysis', 'payment_run_checked', PaymentRunChecked),
  analysisAuditRecorded: event<AuditRecorded>('analysis', 'audit_recorded', AuditRecorded),
  analysisUsageReached: event<UsageReached>('analysis', 'usage_reached', UsageReached),
  scanCompleted: event<ScanCompleted>('scan', 'scan_completed', ScanCompleted),
  scanFailed: event<ScanFailed>('scan', 'scan_failed', ScanFailed),
  scanAuditRecorded: event<AuditRecorded>('scan', 'audit_recorded', AuditRecorded),
  scanUsageReached: event<UsageReached>('scan', 'usage_reached', UsageReached),
  documentsAuditRecorded: event<AuditRecorded>('documents', 'audit_recorded', AuditRecorded),
  documentsUsageReached: event<UsageReached>('documents', 'usage_reached', UsageReached),
  organizationCreated: event<OrganizationCreated>('organization', 'organization_created', OrganizationCreated),
  organizationChanged: event<OrganizationChanged>('organization', 'organization_changed', OrganizationChanged),
  organizationDeleted: event<OrganizationDeleted>('organization', 'organization_deleted', OrganizationDeleted),
  organizationRestored: event<OrganizationRestored>('organization', 'organization_restored', OrganizationRestored),
  organizationPurged: event<OrganizationPurged>('organization', 'organization_purged', OrganizationPurged),
  apiKeysRevoked: event<ApiKeysRevoked>('organization', 'api_keys_revoked', ApiKeysRevoked),
  endpointFailing: event<EndpointFailing>('webhooks', 'endpoint_failing', EndpointFailing),
  endpointDisabled: event<EndpointDisabled>('webhooks', 'endpoint_disabled', EndpointDisabled),
  webhooksAuditRecorded: event<AuditRecorded>('webhooks', 'audit_recorded', AuditRecorded),
  subscriptionChanged: event<SubscriptionChanged>('billing', 'subscription_changed', SubscriptionChanged),
  paymentFailed: event<PaymentFailed>('billing', 'payment_failed', PaymentFailed),
  trialEnding: event<TrialEnding>('billing', 'trial_ending', TrialEnding),
  connectionChanged: event<ConnectionChanged>('erp-sync', 'connection_changed', ConnectionChanged),
  syncCompleted: event<SyncCompleted>('erp-sync', 'sync_completed', SyncCompleted),
  erpSyncAuditRecorded: event<AuditRecorded>('erp-sync', 'audit_recorded', AuditRecorded),
  submissionChanged: event<SubmissionChanged>('ksef', 'submission_changed', SubmissionChanged),
  ksefConnectionFailed: event<ConnectionFailed>('ksef', 'connection_failed', ConnectionFailed),
  ksefCredentialEnding: event<CredentialEnding>('ksef', 'credential_ending', CredentialEnding),
  ksefInboxChanged: event<InboxChanged>('ksef', 'inbox_changed', InboxChanged),
  ksefInboxPaused: event<InboxPaused>('ksef', 'inbox_paused', InboxPaused),
  ksefInboxInvoicesRefused: event<InboxInvoicesRefused>('ksef', 'inbox_invoices_refused', InboxInvoicesRefused),
  ksefAuditRecorded: event<AuditRecorded>('ksef', 'audit_recorded', AuditRecorded),
  billingAuditRecorded: event<AuditRecorded>('billing', 'audit_recorded', AuditRecorded),
} as const;
