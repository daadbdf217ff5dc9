import { events } from '@invoicecontrol/contracts/events';
import type { FailurePeriod } from '@invoicecontrol/engine/facts/inbox-facts';
import type { TenantParts } from '@invoicecontrol/retention/tenant-service';
import { handler } from '@invoicecontrol/runtime/service-shell';
import type { Collection } from 'mongodb';
import type { Foundation } from '../foundation.js';
import type { Records } from '../records/compose.js';
import { knownInboxes } from './application/known-inboxes.js';
import type { KnownInboxes } from './application/known-inboxes.js';
import { onInboxChanged } from './application/on-inbox-changed.js';
import { createInboxIndexes, inboxStore } from './storage/inboxes.js';
import type { InboxDocument } from './storage/inboxes.js';

/**
 * Interval in milliseconds at which a replica reads again which companies have a KSeF inbox, because each event about
 * an inbox is handled by only one replica.
 */
const REFRESH_EACH_MS = 10_000;

/** Provides the KSeF inboxes of companies. */
export interface Inboxes extends Required<Pick<TenantParts, 'eventHandlers' | 'jobs'>> {
  readonly collection: Collection<InboxDocument>;
  readonly inboxOf: KnownInboxes['factsOf'];
}

export async function composeInboxes(
  { db, logger }: Foundation,
  {
    records,
    failurePeriods,
    wasPurged,
  }: {
    records: Records;
    failurePeriods: readonly FailurePeriod[];
    wasPurged: (organizationId: string) => Promise<boolean>;
  },
): Promise<Inboxes> {
  const collection = db.collection<InboxDocument>('ksef_inboxes');
  await createInboxIndexes(collection);
  const inboxes = inboxStore(collection);
  const known = knownInboxes({ inboxes, hasUndecided: records.uploads.hasUndecided, failurePeriods, logger });
  await known.refresh();
  return {
    collection,
    inboxOf: known.factsOf,
    eventHandlers: [handler(events.ksefInboxChanged, onInboxChanged({ inboxes, known, wasPurged }))],
    jobs: [{ name: 'refresh of inboxes', pauseMs: REFRESH_EACH_MS, run: () => known.refresh() }],
  };
}
