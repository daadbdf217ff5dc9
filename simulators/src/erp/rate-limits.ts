import { z } from 'zod';
import type { Clock } from './clock.js';

/** Counts the ERP calls of one tenant in windows of a given number of seconds. */
export class CallWindow {
  readonly #clock: Clock;
  readonly #seconds: number;
  readonly limit: number;
  #began = 0;
  #used = 0;

  constructor(clock: Clock, { seconds, limit }: { readonly seconds: number; readonly limit: number }) {
    this.#clock = clock;
    this.#seconds = seconds;
    this.limit = limit;
  }

  get remaining(): number {
    this.#turn();
    return Math.max(this.limit - this.#used, 0);
  }

  /** Seconds until the window of the ERP rate limit ends. */
  get secondsLeft(): number {
    this.#turn();
    return Math.max(1, Math.ceil(this.#began + this.#seconds - this.#now()));
  }

  count(): void {
    this.#turn();
    this.#used += 1;
  }

  #turn(): void {
    if (this.#now() - this.#began < this.#seconds) return;
    this.#began = this.#now();
    this.#used = 0;
  }

  #now(): number {
    return this.#clock.now().getTime() / 1_000;
  }
}

/**
 * A rate limit in the settings of a simulated ERP tenant. If absent, calls are counted but never refused, so that
 * benchmarks measure only the product.
 */
export const limitSchema = z.int().min(1).optional();
