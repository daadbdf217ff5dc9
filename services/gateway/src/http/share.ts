/** Counts what each owner holds at the same time, so that one cannot take what is for all. */
export class Share {
  /** 0: no bound. */
  readonly max: number;
  readonly #held = new Map<string, number>();

  constructor(max: number) {
    this.max = max;
  }

  /** @returns gives it back, once however often it is called; undefined when the owner holds its whole share */
  take(owner: string): (() => void) | undefined {
    if (this.max === 0) return () => {};
    const held = this.#held.get(owner) ?? 0;
    if (held >= this.max) return undefined;
    this.#held.set(owner, held + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#held.get(owner) ?? 1) - 1;
      if (left === 0) this.#held.delete(owner);
      else this.#held.set(owner, left);
    };
  }

  /** What the owner holds now. */
  held(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }

  /** Owners that hold something. */
  get owners(): number {
    return this.#held.size;
  }
}
