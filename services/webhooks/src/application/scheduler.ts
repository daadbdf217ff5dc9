import { createRequestRate } from './request-rate.js';

/** Result of a webhook delivery attempt. `NEUTRAL` does not change the webhook's failure count. */
export type WorkResult = 'SUCCESS' | 'FAILURE' | 'NEUTRAL';

/**
 * Function that sends a request to a webhook. It calls `onRequest` when the request is sent, because the time before
 * that does not count as response time of the receiver.
 */
export type SlotWork = (onRequest: () => void) => Promise<WorkResult>;

/** A webhook delivery that can be sent now. */
export interface Work {
  readonly endpointId: string;
  readonly run: SlotWork;
  /**
   * Callback that is called when the webhook delivery leaves the queue without having been sent. A poll then reads it
   * from the database again.
   */
  drop(): void;
}

/** Permission to send one request to a webhook. It is used once, by `run` or `release`. */
export interface Slot {
  run(work: SlotWork): void;
  release(): void;
}

export interface Scheduler {
  /**
   * Returns a slot for sending a request to a webhook if no other delivery of the webhook waits, or undefined if no
   * slot is free.
   */
  take(endpointId: string): Slot | undefined;
  /**
   * Queues a webhook delivery. Returns false if its webhook or the process has reached its limit; a poll then reads the
   * delivery from the database again.
   */
  add(work: Work): boolean;
  /** Ids of the webhooks whose delivery queues are full. */
  full(): readonly string[];
  /** Number of queued webhook deliveries and of webhook requests in progress. */
  readonly size: number;
  readonly inFlight: number;
  /**
   * Stops the scheduler of webhook deliveries: starts no more work, and resolves when no request is in progress. Queued
   * deliveries stay in the database.
   */
  stop(): Promise<void>;
}

export interface SchedulerLimits {
  /** Maximum number of concurrent webhook requests that are younger than `agedMs`. */
  readonly fastMax: number;
  /** Maximum number of concurrent webhook requests that are older than `agedMs`. */
  readonly slowMax: number;
  readonly agedMs: number;
  readonly perEndpointMax: number;
  /** Maximum number of requests to one webhook in any second. */
  readonly perEndpointPerSecondMax: number;
  /** Maximum number of concurrent requests, out of `fastMax`, to all suspect webhooks together. */
  readonly suspectMax: number;
  /** While healthy webhooks are waiting, one out of this number of webhook requests goes to a suspect webhook. */
  readonly suspectTurnEach: number;
  readonly queuedMax: number;
  readonly queuedPerEndpointMax: number;
  /** Maximum length of the delivery queue of a webhook that responds slowly. */
  readonly queuedPerSlowMax: number;
  /** Maximum number of queued deliveries, out of `queuedMax`, for all suspect webhooks together. */
  readonly queuedSuspectMax: number;
  /**
   * Maximum number of idle webhooks that stay suspect. If there are more, the webhook that has been idle for the
   * longest time is no longer suspect.
   */
  readonly idleSuspectsMax: number;
}

/** Limits for sending webhook deliveries, as section 3.2 of the webhooks-and-events reference states them. */
export const schedulerLimits: SchedulerLimits = {
  fastMax: 64,
  slowMax: 512,
  agedMs: 250,
  perEndpointMax: 2,
  perEndpointPerSecondMax: 50,
  suspectMax: 8,
  suspectTurnEach: 8,
  queuedMax: 10_000,
  queuedPerEndpointMax: 200,
  queuedPerSlowMax: 10,
  queuedSuspectMax: 5_000,
  idleSuspectsMax: 10_000,
};

interface Lane {
  readonly endpointId: string;
  readonly queue: Work[];
  inFlight: number;
  /** Number of requests to the webhook that have begun but were not sent yet. */
  begun: number;
  /** Timer that runs until the next request to the webhook may be sent. */
  paused?: NodeJS.Timeout | undefined;
  /** True if the webhook has been slow or failing since its last success. */
  isSuspect: boolean;
  /**
   * True if the last completed request to the webhook got its response late, or a request in progress has waited long
   * for its response.
   */
  isSlow: boolean;
}

/**
 * Divides the available requests between webhooks, so that a receiver that does not respond delays no other receiver.
 * Each webhook has at most two concurrent requests, or one while it is suspect, and webhooks with queued deliveries are
 * served one after another. Requests without a prompt response are counted separately, so that they never use up the
 * requests that healthy webhooks may start. The response time of a webhook is measured from the moment at which its
 * request is sent, so that a slow database of the product does not count against it. A webhook that has reached its
 * rate limit waits for the next second, and delays only its own queue.
 * @param onIdleLane called for a webhook whose full queue has become empty, because more of its deliveries may wait in
 * the database
 * @param nowMs a clock that never goes back
 */
export function createScheduler(
  limits: SchedulerLimits,
  onIdleLane: (endpointId: string) => void,
  nowMs = (): number => performance.now(),
): Scheduler {
  const rate = createRequestRate(limits.perEndpointPerSecondMax, nowMs);
  const lanes = new Map<string, Lane>();
  /** Healthy webhooks with queued deliveries that may be sent, in the order in which their next requests start. */
  const healthy = new Map<string, Lane>();
  const suspect = new Map<string, Lane>();
  const overflowed = new Set<string>();
  const idleSuspects = new Set<string>();
  let queued = 0;
  let queuedSuspect = 0;
  let fast = 0;
  let slow = 0;
  let suspectFast = 0;
  let isStopped = false;
  let onDrained: (() => void) | undefined;

  /** Returns the queue state of a webhook, which exists while the webhook has deliveries to send. */
  const laneOf = (endpointId: string): Lane =>
    lanes.get(endpointId) ?? { endpointId, queue: [], inFlight: 0, begun: 0, isSuspect: false, isSlow: false };
  const hasRoom = ({ inFlight, isSuspect }: Lane): boolean => inFlight < (isSuspect ? 1 : limits.perEndpointMax);
  const pauseMsOf = ({ endpointId, begun }: Lane): number => rate.waitMs(endpointId, begun);
  const mayStart = (lane: Lane): boolean =>
    !isStopped &&
    hasRoom(lane) &&
    fast < limits.fastMax &&
    (!lane.isSuspect || suspectFast < limits.suspectMax) &&
    pauseMsOf(lane) === 0;
  const queuedMaxOf = ({ isSlow }: Lane): number => (isSlow ? limits.queuedPerSlowMax : limits.queuedPerEndpointMax);
  const hasQueueRoom = (lane: Lane): boolean =>
    lane.queue.length < queuedMaxOf(lane) && (!lane.isSuspect || queuedSuspect < limits.queuedSuspectMax);
  const countQueued = (lane: Lane, change: number): void => {
    queued += change;
    if (lane.isSuspect) queuedSuspect += change;
  };
  const suspectNoMore = (lane: Lane): void => {
    if (lane.isSuspect) queuedSuspect -= lane.queue.length;
    lane.isSuspect = false;
    lane.isSlow = false;
  };
  /**
   * Webhook deliveries beyond the queue limit of a suspect webhook go back to the database, so that the queue keeps
   * space for healthy webhooks.
   */
  const makeSuspect = (lane: Lane): void => {
    if (!lane.isSuspect) queuedSuspect += lane.queue.length;
    lane.isSuspect = true;
    const excess = Math.max(lane.queue.length - queuedMaxOf(lane), queuedSuspect - limits.queuedSuspectMax);
    if (excess <= 0) return;
    const dropped = lane.queue.splice(Math.max(0, lane.queue.length - excess));
    countQueued(lane, -dropped.length);
    overflowed.add(lane.endpointId);
    for (const work of dropped) work.drop();
  };
  /** Adds the webhook to the list of webhooks that are waiting to send, if one of its deliveries may be sent. */
  const place = (lane: Lane): void => {
    const { endpointId } = lane;
    healthy.delete(endpointId);
    suspect.delete(endpointId);
    idleSuspects.delete(endpointId);
    clearTimeout(lane.paused);
    if (lane.queue.length > 0 && hasRoom(lane)) {
      const pauseMs = pauseMsOf(lane);
      if (pauseMs === 0) (lane.isSuspect ? suspect : healthy).set(endpointId, lane);
      else lane.paused = setTimeout(resume, Math.ceil(pauseMs), lane);
    }
    if (lane.queue.length === 0) {
      if (overflowed.delete(endpointId)) onIdleLane(endpointId);
      if (lane.inFlight === 0) rest(lane);
    }
  };
  const rest = ({ endpointId, isSuspect }: Lane): void => {
    if (!isSuspect) {
      lanes.delete(endpointId);
      return;
    }
    idleSuspects.add(endpointId);
    const [longest] = idleSuspects;
    if (idleSuspects.size <= limits.idleSuspectsMax || longest === undefined) return;
    idleSuspects.delete(longest);
    lanes.delete(longest);
  };

  function resume(lane: Lane): void {
    place(lane);
    pump();
  }

  const begin = (lane: Lane): Slot => {
    lanes.set(lane.endpointId, lane);
    idleSuspects.delete(lane.endpointId);
    lane.inFlight++;
    lane.begun++;
    fast++;
    const startedSuspect = lane.isSuspect;
    if (startedSuspect) suspectFast++;
    let isFast = true;
    let hasLeft = false;
    let hasAged = false;
    const leaveFast = (): void => {
      isFast = false;
      fast--;
      if (startedSuspect) suspectFast--;
    };
    const end = (result: WorkResult): void => {
      if (isFast) leaveFast();
      else slow--;
      lane.inFlight--;
      if (!hasLeft) lane.begun--;
      if (result === 'SUCCESS') suspectNoMore(lane);
      if (result === 'FAILURE') {
        lane.isSlow = hasAged;
        makeSuspect(lane);
      }
      place(lane);
      pump();
      if (isStopped && fast + slow === 0) onDrained?.();
    };
    return {
      release: () => end('NEUTRAL'),
      run(work) {
        let age: NodeJS.Timeout | undefined;
        let judging: NodeJS.Immediate | undefined;
        const onAged = (): void => {
          // A request that was not sent yet is still waiting for the database of the webhooks service, not for the
          // webhook receiver.
          if (hasLeft) {
            hasAged = true;
            lane.isSlow = true;
            makeSuspect(lane);
          }
          // A slow webhook request gives up its slot among the fast requests, unless there are already too many slow
          // requests.
          if (isFast && slow < limits.slowMax) {
            leaveFast();
            slow++;
          }
          resume(lane);
        };
        const watchAge = (): void => {
          clearTimeout(age);
          clearImmediate(judging);
          // Responses that arrived while this process was busy are read before the age of the webhook requests is
          // checked.
          age = setTimeout(() => (judging = setImmediate(onAged)), limits.agedMs);
          age.unref();
        };
        const onRequest = (): void => {
          hasLeft = true;
          lane.begun--;
          rate.note(lane.endpointId);
          watchAge();
        };
        watchAge();
        void work(onRequest)
          .catch((): WorkResult => 'NEUTRAL')
          .then((result) => {
            clearTimeout(age);
            clearImmediate(judging);
            end(result);
          });
      },
    };
  };

  let turns = 0;
  const next = (): Lane | undefined => {
    turns = (turns + 1) % limits.suspectTurnEach;
    const isSuspectTurn = turns === 0;
    const [firstHealthy] = healthy.values();
    const [firstSuspect] = suspectFast < limits.suspectMax ? suspect.values() : [];
    return isSuspectTurn ? (firstSuspect ?? firstHealthy) : (firstHealthy ?? firstSuspect);
  };
  const pump = (): void => {
    while (!isStopped && fast < limits.fastMax) {
      const lane = next();
      const work = lane?.queue.shift();
      if (lane === undefined || work === undefined) return;
      countQueued(lane, -1);
      const slot = begin(lane);
      place(lane);
      slot.run(work.run);
    }
  };

  return {
    take(endpointId) {
      const lane = laneOf(endpointId);
      return lane.queue.length === 0 && mayStart(lane) ? begin(lane) : undefined;
    },
    add(work) {
      const lane = laneOf(work.endpointId);
      if (isStopped || queued >= limits.queuedMax || !hasQueueRoom(lane)) {
        if (lane.queue.length > 0) overflowed.add(work.endpointId);
        return false;
      }
      lanes.set(work.endpointId, lane);
      lane.queue.push(work);
      countQueued(lane, 1);
      if (!healthy.has(work.endpointId) && !suspect.has(work.endpointId)) place(lane);
      pump();
      return true;
    },
    full: () => [...lanes.values()].filter((lane) => !hasQueueRoom(lane)).map(({ endpointId }) => endpointId),
    get size() {
      return queued + fast + slow;
    },
    get inFlight() {
      return fast + slow;
    },
    stop() {
      isStopped = true;
      for (const { queue, paused } of lanes.values()) {
        clearTimeout(paused);
        queue.length = 0;
      }
      queued = 0;
      queuedSuspect = 0;
      return fast + slow === 0 ? Promise.resolve() : new Promise((resolve) => (onDrained = resolve));
    },
  };
}
