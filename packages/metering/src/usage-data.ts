import { ownedDocuments, prefixedDocuments } from '@invoicecontrol/retention/tenant-data';
import type { TenantData } from '@invoicecontrol/retention/tenant-data';
import type { Db } from 'mongodb';
import { usageNoticeCollection } from './usage-notices.js';
import { usageCollection } from './usage-counter.js';

/** The data that a service stores about organizations for their monthly quotas. */
export function usageData(db: Db): readonly TenantData[] {
  return [
    prefixedDocuments(usageCollection(db), (organizationId) => `${organizationId}:`),
    ownedDocuments(usageNoticeCollection(db)),
  ];
}
