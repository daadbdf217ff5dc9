import type { InboxChanged } from '@invoicecontrol/contracts/ksef/v1/events';
import type { InboxStore } from './inbox-store.js';
import type { KnownInboxes } from './known-inboxes.js';

interface Deps {
  readonly inboxes: InboxStore;
  readonly known: KnownInboxes;
  readonly wasPurged: (organizationId: string) => Promise<boolean>;
}

/** State of a KSeF inbox that has received no invoices, or that starts again for another taxpayer. */
const NOTHING_RECEIVED = new Date(0);

/** Stores the time up to which a KSeF inbox has received invoices. */
export const onInboxChanged =
  ({ inboxes, known, wasPurged }: Deps) =>
  async (event: InboxChanged): Promise<void> => {
    const { organizationId, companyId, connectionId, enabled, fromDate, receivedThroughTime, eventTime } = event;
    if (fromDate === undefined || eventTime === undefined) return;
    if (await wasPurged(organizationId)) return;
    await inboxes.save({
      connectionId,
      organizationId,
      companyId,
      enabled,
      from: fromDate,
      receivedThrough: receivedThroughTime ?? NOTHING_RECEIVED,
      changedAt: eventTime,
    });
    known.add({ organizationId, companyId });
  };
