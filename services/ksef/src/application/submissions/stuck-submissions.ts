import type { StuckItem } from '@invoicecontrol/runtime/stuck-work';
import type { SubmissionQueue } from './stores.js';

const STUCK_MAX = 100;

/** Notifies the operator of KSeF submissions that no worker has claimed for too long. */
export const stuckSubmissions =
  ({ queue }: { readonly queue: Pick<SubmissionQueue, 'dueBefore'> }) =>
  async (before: Date): Promise<readonly StuckItem[]> =>
    (await queue.dueBefore(before, STUCK_MAX)).map(({ id, organizationId, status, dueSince }) => ({
      kind: 'ksef_submission',
      what: `KSeF submission ${id} of organization ${organizationId}`,
      since: dueSince,
      why: `the submission is ${status}, and no worker has claimed it`,
      resolution: 'docs/runbooks/ksef.md',
    }));
