import { setTimeout as delay } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { claim, FREE } from '@invoicecontrol/runtime/mongo/claims';
import type { Claimable } from '@invoicecontrol/runtime/mongo/claims';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { DownloadTurns } from '../application/download-turns.js';

/**
 * Lock that an organization's payment run download holds while it is in progress. The id of the lock is the id of the
 * organization.
 */
export type DownloadTurnDocument = Claimable;

/** Time after which another process takes over from a payment run download whose process died. */
const LEASE_MS = 15_000;
/** Maximum time that a payment run download waits for another download of the organization. */
const WAIT_MS_MAX = 20_000;
const POLL_EACH_MS = 50;
const RETRY_SECONDS = 5;

export function downloadTurns(turns: Collection<DownloadTurnDocument>, clock: Clock): DownloadTurns {
  const create = async (organizationId: string): Promise<void> => {
    try {
      await turns.updateOne({ _id: organizationId }, { $setOnInsert: { leaseUntil: FREE } }, { upsert: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  };
  const take = async (organizationId: string) => {
    const deadline = performance.now() + WAIT_MS_MAX;
    for (;;) {
      const taken = await claim(turns, { _id: organizationId }, { clock, leaseMs: LEASE_MS });
      if (taken !== undefined) return taken;
      if (performance.now() >= deadline) throw inProgress();
      await delay(POLL_EACH_MS);
    }
  };
  return {
    async within(organizationId, work) {
      await create(organizationId);
      const turn = await take(organizationId);
      const keeping = turn.keepAlive(() => {});
      try {
        return await work(async () => {
          if (!(await turn.renew())) throw inProgress();
        });
      } finally {
        keeping.stop();
        await turns.updateOne({ _id: organizationId, claim: turn.claimId }, { $set: { leaseUntil: FREE } });
      }
    },
  };
}

function inProgress(): DomainError {
  return new DomainError(
    'in_progress',
    'Another download of this organization is in progress, and only one runs at a time. Retry the request in a moment.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
