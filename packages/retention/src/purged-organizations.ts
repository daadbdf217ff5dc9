import { createHash } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';

/** A record that an organization was purged. Its id is a hash, so that a purge leaves nothing that names the organization. */
interface PurgedOrganizationDocument {
  /** SHA-256 of the organization's id, hexadecimal. */
  readonly _id: string;
  readonly purgedAt: Date;
}

/**
 * The organizations that were purged, kept permanently: outside systems may name one at any later time, whereas events and
 * requests end within days (ADR 0093).
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
