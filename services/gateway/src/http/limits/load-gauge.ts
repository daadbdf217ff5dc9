import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DomainError } from '@invoicecontrol/errors';
import { systemClock } from '@invoicecontrol/runtime/clock';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { requestRefused } from '../../telemetry.js';

/** Number of concurrent requests above which reads are refused (HTTP and security reference, section 7). */
export const IN_FLIGHT_MAX = 500;
/**
 * Maximum number of concurrent requests for one organization, so that one organization cannot block other
 * organizations.
 */
export const ORGANIZATION_IN_FLIGHT_MAX = 250;
/** Event loop lag (p99) above which reads are refused, if the requests of this gateway may be the cause. */
export const LAG_MS_MAX = 200;
/**
 * Number of concurrent requests below which an event loop lag must have another cause, such as a busy machine or
 * another service in the same process. Refusing requests would not help then.
 */
export const LAG_IN_FLIGHT_MIN = 100;
/**
 * Factor by which the load limits for writing requests are higher, because a refused write is more expensive to repeat.
 */
const WRITE_FACTOR = 2;
/** Time after which a request that has not completed counts as stuck. It is longer than the timeout of any route. */
export const STUCK_MS = 180_000;
/**
 * Period for measuring the lag of the event loop, long enough that a single stall of the machine does not determine the
 * p99.
 */
const LAG_WINDOW_MS = 5_000;
const LAG_RESOLUTION_MS = 20;

/**
 * Measures the load that authenticated requests cause in the gateway process. Refusing some requests early keeps the
 * other requests fast.
 */
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

  /** Number of requests that the gateway is currently processing. */
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

  /**
   * Checks whether the gateway is stuck: it refuses reads because too many requests are in progress, but no request has
   * completed for longer than any request may take.
   */
  isStuck(): boolean {
    return this.#inFlight > IN_FLIGHT_MAX && this.#nowMs() - this.#endedAtMs >= STUCK_MS;
  }

  /**
   * Refuses a request if the load of the gateway is too high.
   * @throws DomainError `unavailable`, first for reads, which are cheapest to repeat, and then for all requests
   */
  refuseOverload(method: string): void {
    if (isOverloaded(method, { inFlight: this.#inFlight, lagMs: this.#lagMs })) {
      requestRefused('overload');
      throw new DomainError('unavailable', 'The service is overloaded. Retry the request in a moment.');
    }
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

/** Checks whether a request with this method is refused at the current load. */
export function isOverloaded(method: string, { inFlight, lagMs }: { inFlight: number; lagMs: number }): boolean {
  const factor = method === 'GET' || method === 'HEAD' ? 1 : WRITE_FACTOR;
  if (inFlight > IN_FLIGHT_MAX * factor) return true;
  return lagMs > LAG_MS_MAX * factor && inFlight >= LAG_IN_FLIGHT_MIN;
}
