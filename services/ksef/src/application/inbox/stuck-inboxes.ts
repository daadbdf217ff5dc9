import type { StuckItem } from '@invoicecontrol/runtime/stuck-work';
import type { InboxQueue } from './stores.js';

const STUCK_MAX = 100;

/** Notifies the operator of KSeF inboxes that no worker has claimed for too long. */
export const stuckInboxes =
  ({ queue }: { readonly queue: Pick<InboxQueue, 'dueBefore'> }) =>
  async (before: Date): Promise<readonly StuckItem[]> =>
    (await queue.dueBefore(before, STUCK_MAX)).map(({ id, organizationId, dueSince }) => ({
      kind: 'ksef_inbox',
      what: `KSeF inbox of connection ${id} of organization ${organizationId}`,
      since: dueSince,
      why: 'the inbox is due, and no worker has claimed it',
      resolution: 'docs/runbooks/ksef-inbox.md',
    }));
