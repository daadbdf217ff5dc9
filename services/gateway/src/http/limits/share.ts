/**
 * Counts how many slots (such as for concurrent requests) each organization or address uses at the same time, so that
 * one of them cannot use up everything.
 */
export class Share {
  /** Maximum number of concurrency slots for one organization or address. With 0, there is no limit. */
  readonly max: number;
  readonly #totalMax: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  /**
   * Creates the counters of slots for each organization or address and in total.
   * @param totalMax maximum for all owners together
   */
  constructor(max: number, totalMax = Infinity) {
    this.max = max;
    this.#totalMax = totalMax;
  }

  /**
   * Reserves one concurrency slot for an owner (an organization or address).
   * @returns a function whose first call releases the slot and whose further calls do nothing; undefined if the owner
   *   has used up its share, or if all owners together use every slot
   */
  take(owner: string): (() => void) | undefined {
    if (this.max === 0) return () => {};
    const held = this.held(owner);
    if (held >= this.max || this.isFull) return undefined;
    this.#held.set(owner, held + 1);
    this.#total += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#total -= 1;
      const left = this.held(owner) - 1;
      if (left === 0) this.#held.delete(owner);
      else this.#held.set(owner, left);
    };
  }

  /** Returns the number of concurrency slots that an organization or address currently uses. */
  held(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }

  /** True if all organizations or addresses together use every concurrency slot. */
  get isFull(): boolean {
    return this.#total >= this.#totalMax;
  }

  /** Returns the number of concurrency slots that all organizations or addresses currently use together. */
  get total(): number {
    return this.#total;
  }

  /** Returns the number of organizations or addresses that currently use a concurrency slot. */
  get owners(): number {
    return this.#held.size;
  }
}
