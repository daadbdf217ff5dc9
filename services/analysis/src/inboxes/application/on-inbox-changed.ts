import type { InboxChanged } from '@invoicecontrol/contracts/ksef/v1/events';
import type { InboxStore } from './inbox-store.js';
import type { KnownInboxes } from './known-inboxes.js';

interface Deps {
  readonly inboxes: InboxStore;
  readonly known: KnownInboxes;
  readonly wasPurged: (organizationId: string) => Promise<boolean>;
}

/** Stores how far an inbox has received. One that has received nothing yet says nothing about any invoice. */
export const onInboxChanged =
  ({ inboxes, known, wasPurged }: Deps) =>
  async (event: InboxChanged): Promise<void> => {
    const { organizationId, companyId, connectionId, enabled, fromDate, receivedThroughTime, eventTime } = event;
    if (fromDate === undefined || receivedThroughTime === undefined || eventTime === undefined) return;
    if (await wasPurged(organizationId)) return;
    await inboxes.save({
      connectionId,
      organizationId,
      companyId,
      enabled,
      from: fromDate,
      receivedThrough: receivedThroughTime,
      changedAt: eventTime,
    });
    known.add({ organizationId, companyId });
  };
