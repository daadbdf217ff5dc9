import { setMaxListeners } from 'node:events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { createScheduler, schedulerLimits } from './scheduler.js';
import type { Slot, WorkResult } from './scheduler.js';
import type { ClaimedDelivery, DeliveryQueue, DueDelivery } from './stores.js';

/** Passes webhook deliveries to the sender when they are due. */
export interface DeliveryWorker {
  /** Reserves a slot for a webhook delivery that this process stores with its own claim and then sends. */
  take(endpointId: string): Slot | undefined;
  /** Sends a webhook delivery that was stored with a claim of this process. */
  start(slot: Slot, claimed: ClaimedDelivery): void;
  /** Adds a webhook delivery that is due now or soon. A later poll finds a delivery that is not accepted now. */
  add(delivery: DueDelivery): void;
  /** Searches the database for due webhook deliveries. A job calls this function every {@link POLL_EACH_MS}. */
  poll(): Promise<void>;
  /** Number of webhook requests in progress, from their preparation until their results are stored. */
  readonly inFlight: number;
  /** Waits a limited time for webhook requests in progress, and then abandons them. */
  stop(): Promise<void>;
}

export const POLL_EACH_MS = 10_000;
/**
 * Time by which a poll looks ahead. It also finds webhook deliveries that become due within this time, so that they
 * start on time.
 */
const LOOK_AHEAD_MS = 12_000;
/** Maximum number of due webhook deliveries that one search returns. */
const LISTED_MAX = 2_000;
/**
 * Maximum number of searches in a poll. Each search continues where the previous one ended, so that the backlog of some
 * webhooks does not hide the due deliveries of the others.
 */
const SEARCHES_MAX = 20;
const EPOCH = new Date(0);
/**
 * Minimum interval between additional searches of the database, which are made when the delivery queue of a webhook has
 * become empty. Together these searches take at most a fifth of the time.
 */
const NUDGE_EACH_MS = 100;
const NUDGE_SHARE = 4;
/**
 * Maximum time that a stopping service waits for responses of webhook receivers. The attempts then count as
 * interrupted.
 */
const STOP_MS_MAX = 5_000;

interface Deps {
  readonly queue: Pick<DeliveryQueue, 'listDue' | 'claim'>;
  readonly send: (claimed: ClaimedDelivery, signal: AbortSignal, onRequest: () => void) => Promise<WorkResult>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function deliveryWorker({ queue, send, clock, logger }: Deps): DeliveryWorker {
  const stopping = new AbortController();
  // The warning of Node.js about many listeners of the stop signal is switched off, because each webhook request in
  // progress adds a listener.
  setMaxListeners(0, stopping.signal);
  const timers = new Map<string, NodeJS.Timeout>();
  /** Ids of webhook deliveries that are queued or in progress in this process. */
  const known = new Set<string>();
  let polling: Promise<void> | undefined;
  let nudged: NodeJS.Timeout | undefined;
  let nudgeFromMs = 0;
  let isStopped = false;

  const scheduler = createScheduler(schedulerLimits, () => nudge());

  const sendLogged = async (claimed: ClaimedDelivery, onRequest: () => void): Promise<WorkResult> => {
    try {
      return await send(claimed, stopping.signal, onRequest);
    } catch (error) {
      // The lease on the webhook delivery will expire, and the attempt will be repeated.
      logger.warn({ error, deliveryId: claimed.delivery.id }, 'an attempt could not be made');
      return 'NEUTRAL';
    }
  };
  const claimAndSend = async (delivery: DueDelivery, onRequest: () => void): Promise<WorkResult> => {
    const { id } = delivery;
    try {
      const claimed = await queue.claim(delivery);
      return claimed === undefined ? 'NEUTRAL' : await sendLogged(claimed, onRequest);
    } catch (error) {
      logger.warn({ error, deliveryId: id }, 'a delivery could not be claimed');
      return 'NEUTRAL';
    } finally {
      known.delete(id);
    }
  };
  /**
   * Adds a due webhook delivery to the queue.
   * @returns false if its webhook or the process has reached its limit
   */
  const enqueue = (delivery: DueDelivery): boolean => {
    const { id, endpointId } = delivery;
    if (known.has(id)) return true;
    known.add(id);
    const drop = (): void => void known.delete(id);
    const isQueued = scheduler.add({ endpointId, run: (onRequest) => claimAndSend(delivery, onRequest), drop });
    if (!isQueued) drop();
    return isQueued;
  };
  const add = (delivery: DueDelivery): boolean => {
    if (isStopped) return true;
    const waitMs = delivery.nextAttemptAt.getTime() - clock.now().getTime();
    if (waitMs <= 0) return enqueue(delivery);
    if (waitMs > LOOK_AHEAD_MS || known.has(delivery.id) || timers.has(delivery.id)) return true;
    timers.set(
      delivery.id,
      setTimeout(() => {
        timers.delete(delivery.id);
        enqueue(delivery);
      }, waitMs + 1),
    );
    return true;
  };
  const poll = async (): Promise<void> => {
    const before = new Date(clock.now().getTime() + LOOK_AHEAD_MS);
    const full = new Set(scheduler.full());
    let from = EPOCH;
    let limit = LISTED_MAX;
    for (let searches = 0; searches < SEARCHES_MAX; searches++) {
      const hasRoom = scheduler.size + timers.size < schedulerLimits.queuedMax;
      if (!hasRoom || isStopped) return;
      const found = await queue.listDue({ from, before, limit, exceptEndpointIds: [...full] });
      for (const delivery of found) if (!add(delivery)) full.add(delivery.endpointId);
      const last = found.at(-1);
      if (last === undefined || found.length < limit) return;
      // More webhook deliveries may be due at exactly the same time than one search returns.
      if (last.nextAttemptAt.getTime() === from.getTime()) limit *= 2;
      from = last.nextAttemptAt;
    }
  };
  const pollOnce = (): Promise<void> => {
    const beganAtMs = performance.now();
    polling ??= poll().finally(() => {
      polling = undefined;
      const endedAtMs = performance.now();
      nudgeFromMs = endedAtMs + Math.max(NUDGE_EACH_MS, NUDGE_SHARE * (endedAtMs - beganAtMs));
    });
    return polling;
  };
  /**
   * Searches the database soon, because the delivery queue of a webhook has become empty. During a backlog this happens
   * very often, so one search serves several queues.
   */
  function nudge(): void {
    if (isStopped) return;
    nudged ??= setTimeout(
      () => {
        nudged = undefined;
        pollOnce().catch((error: unknown) => logger.warn({ error }, 'due deliveries could not be read'));
      },
      Math.max(0, nudgeFromMs - performance.now()),
    );
  }

  return {
    take: scheduler.take,
    start(slot, claimed) {
      const { id } = claimed.delivery;
      known.add(id);
      slot.run((onRequest) => sendLogged(claimed, onRequest).finally(() => known.delete(id)));
    },
    add,
    poll: pollOnce,
    get inFlight() {
      return scheduler.inFlight;
    },
    async stop() {
      isStopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      clearTimeout(nudged);
      const giveUp = setTimeout(() => stopping.abort(), STOP_MS_MAX);
      await scheduler.stop();
      clearTimeout(giveUp);
      stopping.abort();
    },
  };
}
