import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Completion, DeliveryQueue, DueDelivery, EndpointResult, Endpoints } from './stores.js';

/** Stores the results of webhook delivery attempts, many in one write. */
export interface CompletionBatch {
  /**
   * Adds the result of a webhook delivery attempt to the batch. Resolves when the result is stored, or when the lease
   * has expired and the result can no longer be stored.
   */
  add(completion: Completion): Promise<void>;
  /** Stores the results of webhook deliveries that wait in the batch. */
  flush(): Promise<void>;
}

interface Deps {
  readonly queue: Pick<DeliveryQueue, 'complete'>;
  readonly endpoints: Pick<Endpoints, 'countResults'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Function that is called for each webhook delivery that will have another attempt. */
  readonly onRetry: (delivery: DueDelivery) => void;
}

const EACH_MS = 20;
const BATCH_MAX = 64;
const RETRY_MS = 500;
/**
 * Maximum time for storing the results of delivery attempts. After that the leases of the deliveries have expired, and
 * other workers repeat the requests.
 */
const TRIES_MS_MAX = 30_000;
/**
 * HTTP status with which a receiver asks to stop the webhook requests. The owners of the webhook are notified and
 * decide whether to disable it.
 */
const GONE = 410;

export function completionBatch({ queue, endpoints, clock, logger, onRetry }: Deps): CompletionBatch {
  let waiting: { completion: Completion; done: () => void }[] = [];
  let timer: NodeJS.Timeout | undefined;
  const running = new Set<Promise<void>>();

  const persist = async (completions: readonly Completion[]): Promise<void> => {
    const giveUpAt = clock.now().getTime() + TRIES_MS_MAX;
    for (;;) {
      try {
        const lost = await queue.complete(completions);
        if (lost > 0)
          logger.info(
            { lost },
            'results of attempts came too late: the deliveries were claimed again or completed in the meantime',
          );
        break;
      } catch (error) {
        logger.warn({ error, attempts: completions.length }, 'results of attempts could not be stored');
        if (clock.now().getTime() + RETRY_MS > giveUpAt) return;
        await delay(RETRY_MS);
      }
    }
    // Results of deliveries are counted only if they change the failure count of a webhook.
    await endpoints.countResults(tellingResults(completions)).catch((error: unknown) => {
      logger.warn({ error }, 'failures of endpoints could not be counted');
    });
  };
  const flushNow = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    const run = persist(batch.map(({ completion }) => completion)).finally(() => {
      running.delete(run);
      for (const { completion, done } of batch) {
        const { nextAttemptAt, failures } = completion.settlement;
        if (nextAttemptAt !== undefined) onRetry({ ...completion.claimed.delivery, failures, tries: 0, nextAttemptAt });
        done();
      }
    });
    running.add(run);
  };
  return {
    add(completion) {
      return new Promise((done) => {
        waiting.push({ completion, done });
        if (waiting.length >= BATCH_MAX) flushNow();
        else timer ??= setTimeout(flushNow, EACH_MS);
      });
    },
    async flush() {
      flushNow();
      await Promise.all(running);
    },
  };
}

/**
 * Returns the results that change the failure counts of webhooks. A success of a webhook without failures, which is the
 * usual case, changes nothing. If another replica counted a failure during the attempt, that failure stays until the
 * next success.
 */
function tellingResults(completions: readonly Completion[]): EndpointResult[] {
  const results = completions
    .filter(({ claimed }) => !claimed.delivery.isTest)
    .map(({ claimed: { delivery }, settlement: { attempt }, hadFailures }) => {
      const isSuccess = attempt.outcome === 'SUCCESS';
      const isGone = attempt.statusCode === GONE;
      return {
        endpointId: delivery.endpointId,
        isSuccess,
        isGone,
        at: attempt.at,
        isTelling: !isSuccess || hadFailures,
      };
    });
  const telling = new Set(results.filter(({ isTelling }) => isTelling).map(({ endpointId }) => endpointId));
  return results.filter(({ endpointId }) => telling.has(endpointId));
}
