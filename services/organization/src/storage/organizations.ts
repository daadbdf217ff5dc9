import type { Collection } from 'mongodb';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { findPageOfAll, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import { setOrUnset } from '@invoicecontrol/runtime/mongo/stored';
import type { Stored } from '@invoicecontrol/runtime/mongo/stored';
import type { OrganizationSummary } from '../application/authenticate-key.js';
import type { Organizations } from '../application/organizations.js';
import type { DeletedBy, Deletion, FourEyesRequest, Organization, SubscriptionSource } from '../domain/organization.js';
import type { Contract } from '../domain/plans.js';
import { createAuditedIndexes } from './audit-relay.js';
import type { Audited } from './audit-relay.js';
import type { AuditedStore, Bookkeeping } from './audited-store.js';

/**
 * A tenant with its companies, at most {@link COMPANIES_MAX}. All companies are in one database document, because some
 * rules concern all of them: there is one default company, VAT ids are unique, and the plan limits the number of
 * companies. The document enforces these rules even for concurrent requests, and one write stores a change with its
 * event and its audit entry.
 */
export interface OrganizationDocument extends Audited {
  /** Id of the organization, equal to `_id`, because an organization is its own tenant. */
  readonly organizationId: string;
  readonly name: string;
  readonly billingEmail?: string;
  readonly baseCurrency: string;
  readonly referenceValidationMode: Organization['referenceValidationMode'];
  /** True if payment releases need a second person. Absent if an earlier release stored the organization. */
  readonly fourEyes?: boolean;
  readonly fourEyesRequest?: FourEyesRequest;
  readonly plan: Organization['plan'];
  readonly subscriptionStatus: Organization['subscriptionStatus'];
  readonly additionalLegalEntities: number;
  readonly isSubscriptionActive?: boolean;
  readonly subscriptionSource?: SubscriptionSource;
  readonly granted?: Contract;
  readonly companies: readonly CompanyDocument[];
  readonly defaultCompanyId: string;
  readonly keySeriesId: string;
  readonly createdAt: Date;
  /**
   * Id of the organization that this test organization belongs to. The `_id` of the test organization is derived from
   * it.
   */
  readonly testOf?: string;
  readonly deletedAt?: Date;
  readonly deletedBy?: DeletedBy;
  readonly recoveryTokenHash?: string;
  readonly recoveryExpiresAt?: Date;
  /**
   * State of the purge of a deleted organization. It is set by the database write that begins the purge. The same write
   * removes all other fields of the organization except ids and dates.
   */
  readonly purge?: PurgeFields;
}

interface PurgeFields {
  readonly begunAt: Date;
  /** Number of times that the purge of the organization was announced. */
  readonly rounds: number;
  /**
   * Time of the next announcement of the purge of the organization, with a sparse index. Absent after the last
   * announcement.
   */
  readonly nextAt?: Date;
}

interface CompanyDocument {
  readonly id: string;
  readonly name: string;
  readonly taxId?: string;
  readonly country?: string;
  readonly createdAt: Date;
}

export async function createOrganizationIndexes(collection: Collection<OrganizationDocument>): Promise<void> {
  await createAuditedIndexes(collection);
  await ensureIndexes(collection, [
    { key: { recoveryTokenHash: 1 }, unique: true, sparse: true, name: 'recovery_token' },
    { key: NEWEST_FIRST, name: 'newest' },
    { key: { recoveryExpiresAt: 1 }, sparse: true, name: 'retention' },
    { key: { 'purge.nextAt': 1 }, sparse: true, name: 'purge_rounds' },
    { key: { 'purge.begunAt': 1 }, sparse: true, name: 'purged' },
  ]);
}

/** Reads and writes organizations. Every authentication reads `findSummary`. */
export function organizationStore(
  collection: Collection<OrganizationDocument>,
  store: AuditedStore<OrganizationDocument>,
): Organizations & { findSummary(organizationId: string): Promise<OrganizationSummary | undefined> } {
  return {
    async find(organizationId) {
      const document = await collection.findOne({ _id: organizationId, ...notPurged });
      return document === null ? undefined : fromDocument(document);
    },
    async findByRecoveryToken(recoveryTokenHash) {
      const document = await collection.findOne({ recoveryTokenHash });
      return document === null ? undefined : fromDocument(document);
    },
    async listAll(page) {
      const { items, nextPageToken } = await findPageOfAll(collection, notPurged, page, withoutEvents);
      return { items: items.map(fromDocument), nextPageToken };
    },
    async findSummary(organizationId) {
      const document = await collection.findOne({ _id: organizationId, ...notPurged }, { projection: summaryFields });
      return document === null ? undefined : toSummary(document);
    },
    insert: (organization, change) =>
      store.insert({ _id: organization.id, organizationId: organization.id, ...toState(organization) }, change),
    async save(changed, change) {
      const guard = { id: changed.id, organizationId: changed.id, version: changed.version };
      return fromDocument(await store.save(guard, setOrUnset<OrganizationDocument>(toState(changed)), change));
    },
  };
}

/** A purged organization no longer counts as an organization. */
const notPurged = { purge: { $exists: false } } as const;
const withoutEvents = { outbox: 0, recentEvents: 0 } as const;

type State = Omit<OrganizationDocument, Bookkeeping | '_id' | 'organizationId'>;

/** Returns every field of an organization's state. Undefined fields are absent in the database document. */
function toState(organization: Organization): Stored<State> {
  const { id: _id, version: _version, deletion, ...own } = organization;
  return {
    ...own,
    isSubscriptionActive: own.isSubscriptionActive,
    subscriptionSource: own.subscriptionSource,
    granted: own.granted,
    fourEyesRequest: own.fourEyesRequest,
    testOf: own.testOf,
    deletedAt: deletion?.at,
    deletedBy: deletion?.by,
    recoveryTokenHash: deletion?.recoveryTokenHash,
    recoveryExpiresAt: deletion?.recoveryExpiresAt,
  } as Stored<State>;
}

function fromDocument(document: OrganizationDocument): Organization {
  return {
    ...toSummary(document),
    version: document.version,
    name: document.name,
    billingEmail: document.billingEmail,
    baseCurrency: document.baseCurrency,
    referenceValidationMode: document.referenceValidationMode,
    fourEyes: document.fourEyes ?? false,
    fourEyesRequest: document.fourEyesRequest,
    companies: document.companies.map(({ id, name, taxId, country, createdAt }) => ({
      id,
      name,
      taxId,
      country,
      createdAt,
    })),
    defaultCompanyId: document.defaultCompanyId,
    createdAt: document.createdAt,
    subscriptionSource: document.subscriptionSource,
    granted: document.granted,
  };
}

const summaryFields = {
  plan: 1,
  subscriptionStatus: 1,
  additionalLegalEntities: 1,
  isSubscriptionActive: 1,
  keySeriesId: 1,
  testOf: 1,
  deletedAt: 1,
  deletedBy: 1,
  recoveryTokenHash: 1,
  recoveryExpiresAt: 1,
} as const;

function toSummary(document: Pick<OrganizationDocument, '_id' | keyof typeof summaryFields>): OrganizationSummary {
  return {
    id: document._id,
    plan: document.plan,
    subscriptionStatus: document.subscriptionStatus,
    additionalLegalEntities: document.additionalLegalEntities,
    isSubscriptionActive: document.isSubscriptionActive,
    keySeriesId: document.keySeriesId,
    testOf: document.testOf,
    deletion: readDeletion(document),
  };
}

function readDeletion({
  deletedAt,
  deletedBy,
  recoveryTokenHash,
  recoveryExpiresAt,
}: Pick<OrganizationDocument, 'deletedAt' | 'deletedBy' | 'recoveryTokenHash' | 'recoveryExpiresAt'>):
  Deletion | undefined {
  if (deletedAt === undefined || recoveryTokenHash === undefined || recoveryExpiresAt === undefined) return undefined;
  return { at: deletedAt, by: deletedBy, recoveryTokenHash, recoveryExpiresAt };
}
