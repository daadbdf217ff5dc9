import { v5 as uuidv5 } from 'uuid';
import type { Deletion, Organization } from './organization.js';
import { TEST_PLAN } from './plans.js';

const TEST_ORGANIZATION_NAMESPACE = 'f2f0d0a6-0c0e-4a43-9d5b-7a5f6f3a8d51';

/**
 * Returns the id of the test organization of an organization. The id is derived from the id of the organization, so
 * that concurrent requests create only one test organization.
 */
export function testOrganizationId(organizationId: string): string {
  return uuidv5(organizationId, TEST_ORGANIZATION_NAMESPACE);
}

/**
 * Returns a new test organization for the given organization. Only the base currency and the mode of the reference
 * validation are taken from the organization, so that tests lead to the same decisions. The name and the companies of
 * the organization are not copied.
 */
export function newTestOrganization(
  { id: testOf, baseCurrency, referenceValidationMode }: Organization,
  { companyId, keySeriesId, now }: { companyId: string; keySeriesId: string; now: Date },
): Organization {
  return {
    id: testOrganizationId(testOf),
    testOf,
    version: 1,
    name: 'Test organization',
    billingEmail: undefined,
    baseCurrency,
    // A test organization has no subscription, so the validation mode ALL would have no effect and is not copied.
    referenceValidationMode: referenceValidationMode === 'OFF' ? 'OFF' : 'DECLARED_PROFILES',
    fourEyes: false,
    plan: TEST_PLAN,
    subscriptionStatus: 'none',
    additionalLegalEntities: 0,
    companies: [{ id: companyId, name: 'Test company', taxId: undefined, country: undefined, createdAt: now }],
    defaultCompanyId: companyId,
    keySeriesId,
    createdAt: now,
    deletion: undefined,
  };
}

/**
 * Returns the deletion record of a test organization. The test organization is purged when the organization that it
 * belongs to is purged. Nobody has the recovery token whose hash is stored, because a test organization is restored
 * only together with that organization.
 * @param parent the deletion record of that organization; undefined if it is already purged
 */
export function deletionOfTestOrganization(
  parent: Deletion | undefined,
  { recoveryTokenHash, now }: { recoveryTokenHash: string; now: Date },
): Deletion {
  return {
    at: now,
    by: { type: 'SYSTEM', id: 'organization' },
    recoveryTokenHash,
    recoveryExpiresAt: parent?.recoveryExpiresAt ?? now,
  };
}
