import { createHash } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';

/**
 * Records that an organization was purged. The id is a hash, so that nothing names the organization after the purge.
 */
interface PurgedOrganizationDocument {
  /** SHA-256 hash of the organization id in hexadecimal. */
  readonly _id: string;
  readonly purgedAt: Date;
}

/**
 * Purged organizations. They are stored permanently, because external systems may send their ids at any later time,
 * whereas events and requests end within days (ADR 0093).
 */
export interface PurgedOrganizations {
  add(organizationId: string): Promise<void>;
  has(organizationId: string): Promise<boolean>;
}

export function purgedOrganizations(db: Db, clock: Clock): PurgedOrganizations {
  const collection: Collection<PurgedOrganizationDocument> = db.collection('purged_organizations');
  return {
    async add(organizationId) {
      try {
        await collection.updateOne(
          { _id: hashOf(organizationId) },
          { $setOnInsert: { purgedAt: clock.now() } },
          { upsert: true },
        );
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    async has(organizationId) {
      return (await collection.findOne({ _id: hashOf(organizationId) }, { projection: { _id: 1 } })) !== null;
    },
  };
}

function hashOf(organizationId: string): string {
  return createHash('sha256').update(organizationId).digest('hex');
}
