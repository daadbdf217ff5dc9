/** Counts what each owner holds at the same time, so that one cannot take what is for all. */
export class Share {
  /** Maximum of one owner; 0 for no bound. */
  readonly max: number;
  readonly #totalMax: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  /** @param totalMax of all owners together */
  constructor(max: number, totalMax = Infinity) {
    this.max = max;
    this.#totalMax = totalMax;
  }

  /**
   * @returns gives it back, once however often it is called; undefined when the owner holds its whole share, or all
   *   owners together hold everything
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

  /** Returns the number that the owner holds now. */
  held(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }

  /** Tells whether all owners together hold everything. */
  get isFull(): boolean {
    return this.#total >= this.#totalMax;
  }

  /** Returns the number that all owners together hold. */
  get total(): number {
    return this.#total;
  }

  /** Owners that hold something. */
  get owners(): number {
    return this.#held.size;
  }
}
