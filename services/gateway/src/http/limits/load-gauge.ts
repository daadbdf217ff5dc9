import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DomainError } from '@invoicecontrol/errors';
import { systemClock } from '@invoicecontrol/runtime/clock';
import type { Clock } from '@invoicecontrol/runtime/clock';

/** Above this many running requests, reading is refused (HTTP and security reference, section 7). */
export const IN_FLIGHT_MAX = 500;
/** Part of them for one organization: one that waits on purpose leaves room for the others. */
export const ORGANIZATION_IN_FLIGHT_MAX = 250;
/** Above this lag of the event loop (p99), reading is refused, if our own requests can be the cause. */
export const LAG_MS_MAX = 200;
/**
 * A lag with fewer running requests than this has another cause (a starved machine, another service in the same
 * process), and refusing would not end it.
 */
export const LAG_IN_FLIGHT_MIN = 100;
/** Writes cost more to repeat: they are refused at twice these figures. */
const WRITE_FACTOR = 2;
/** Longer than any route gives its owner: requests that run and do not end for this long never will. */
export const STUCK_MS = 180_000;
/** Long enough that one stall of a shared machine is not the p99. */
const LAG_WINDOW_MS = 5_000;
const LAG_RESOLUTION_MS = 20;

/** Measures how busy this process is with authenticated requests. Refusing early keeps the responses to the rest in time. */
export class LoadGauge {
  readonly #clock: Clock;
  readonly #delay = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  #timer: NodeJS.Timeout | undefined;
  #lagMs = 0;
  #inFlight = 0;
  #endedAtMs = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  start(): void {
    this.#delay.enable();
    this.#timer = setInterval(() => {
      this.#lagMs = this.#delay.percentile(99) / 1e6;
      this.#delay.reset();
    }, LAG_WINDOW_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }

  /** Running requests. */
  get inFlight(): number {
    return this.#inFlight;
  }

  begin(): void {
    if (this.#inFlight === 0) this.#endedAtMs = this.#nowMs();
    this.#inFlight += 1;
  }

  end(): void {
    this.#inFlight -= 1;
    this.#endedAtMs = this.#nowMs();
  }

  /** Tells whether reads are refused because of the number of requests, and none has ended for longer than any may take. */
  isStuck(): boolean {
    return this.#inFlight > IN_FLIGHT_MAX && this.#nowMs() - this.#endedAtMs >= STUCK_MS;
  }

  /** @throws DomainError `unavailable` for what is cheapest to repeat first: reads, then everything */
  refuseOverload(method: string): void {
    if (isOverloaded(method, { inFlight: this.#inFlight, lagMs: this.#lagMs })) {
      throw new DomainError('unavailable', 'The service is overloaded. Retry the request in a moment.');
    }
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

/** Tells whether a request of this method is refused at this load. */
export function isOverloaded(method: string, { inFlight, lagMs }: { inFlight: number; lagMs: number }): boolean {
  const factor = method === 'GET' || method === 'HEAD' ? 1 : WRITE_FACTOR;
  if (inFlight > IN_FLIGHT_MAX * factor) return true;
  return lagMs > LAG_MS_MAX * factor && inFlight >= LAG_IN_FLIGHT_MIN;
}
