import { createRequestRate } from './request-rate.js';

/** Result of a piece of work; `NEUTRAL` says nothing about the endpoint. */
export type WorkResult = 'SUCCESS' | 'FAILURE' | 'NEUTRAL';

/**
 * The work of a slot. It calls `onRequest` when its request leaves: earlier time is the service's own and says nothing about the endpoint.
 */
export type SlotWork = (onRequest: () => void) => Promise<WorkResult>;

/** One delivery of an endpoint that may be sent now. */
export interface Work {
  readonly endpointId: string;
  readonly run: SlotWork;
  /** It leaves the queue without having been run: a poll reads it from the database again. */
  drop(): void;
}

/** The right to have one request of an endpoint under way. Used once: by `run` or `release`. */
export interface Slot {
  run(work: SlotWork): void;
  release(): void;
}

export interface Scheduler {
  /** A slot for work that nothing else waits before; undefined when none is free. */
  take(endpointId: string): Slot | undefined;
  /** Queues work. False when its endpoint or the process has enough of it: a poll reads it from the database again. */
  add(work: Work): boolean;
  /** Endpoints that have as much as one may. */
  full(): readonly string[];
  /** Queued work and work under way. */
  readonly size: number;
  readonly inFlight: number;
  /** Begins nothing more, and resolves when nothing is under way. What was queued stays in the database. */
  stop(): Promise<void>;
}

export interface SchedulerLimits {
  /** Requests at once that are younger than `agedMs`. */
  readonly fastMax: number;
  /** Requests at once that are older. */
  readonly slowMax: number;
  readonly agedMs: number;
  readonly perEndpointMax: number;
  /** Requests that leave for one endpoint in any second. */
  readonly perEndpointPerSecondMax: number;
  /** Part of `fastMax` that suspect endpoints may have together. */
  readonly suspectMax: number;
  /** While healthy endpoints wait, one request in so many is to a suspect one. */
  readonly suspectTurnEach: number;
  readonly queuedMax: number;
  readonly queuedPerEndpointMax: number;
  /** The same of an endpoint that does not answer soon: its queue moves too slowly to be worth the room. */
  readonly queuedPerSlowMax: number;
  /** Part of `queuedMax` that suspect endpoints may have together. */
  readonly queuedSuspectMax: number;
  /** Endpoints that stay suspect while they have no work; beyond it the longest idle one is evicted. */
  readonly idleSuspectsMax: number;
}

/** Webhooks-and-events reference, section 3.2. */
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
  /** Number of requests in flight that have not left yet. */
  begun: number;
  /** Timer until its next request may leave. */
  paused?: NodeJS.Timeout | undefined;
  /** Slow or failing since its last success. */
  isSuspect: boolean;
  /** True when its last completed request, or one in progress, was not answered soon. */
  isSlow: boolean;
}

/**
 * Shares the sender between endpoints, so that one that hangs delays no other: at most two requests at once for each
 * endpoint, one while it is suspect; endpoints in turn; and a request that is not answered soon moves to a budget of
 * its own, so that hanging requests never fill the one that healthy endpoints start in. An endpoint is judged from when its
 * request leaves: what a slow database costs is not its fault. One that had its requests of a
 * second waits for the next one, and only its own queue with it.
 * @param onIdleLane told of an endpoint whose queue was full and is empty now: more of it may wait in the database
 * @param nowMs a clock that never goes back
 */
export function createScheduler(
  limits: SchedulerLimits,
  onIdleLane: (endpointId: string) => void,
  nowMs = (): number => performance.now(),
): Scheduler {
  const rate = createRequestRate(limits.perEndpointPerSecondMax, nowMs);
  const lanes = new Map<string, Lane>();
  /** Lanes with queued work that may start, in the order of their turns. */
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

  /** Kept from the moment at which it has work. */
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
  /** Deliveries queued beyond its share go back to the database, so that they take no room from healthy endpoints. */
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
  /** Puts the lane where its turn comes, or nowhere. */
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
          // One that has not left waits for our own stores.
          if (hasLeft) {
            hasAged = true;
            lane.isSlow = true;
            makeSuspect(lane);
          }
          // If the slow ones have no room, it stays and keeps blocking a fast slot.
          if (isFast && slow < limits.slowMax) {
            leaveFast();
            slow++;
          }
          resume(lane);
        };
        const watchAge = (): void => {
          clearTimeout(age);
          clearImmediate(judging);
          // Answers that came while this process was busy are read before the age is judged.
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
