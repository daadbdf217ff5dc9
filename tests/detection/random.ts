/** A source of random numbers from which bills are generated. A seed determines all numbers. */
export interface Random {
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns a whole number from `min` to `max`, both inclusive. */
  integer(min: number, max: number): number;
  pick<T>(items: readonly T[]): T;
  chance(share: number): boolean;
}

/** Returns the random generator Mulberry32, which is small, repeatable and good enough for test invoices. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    integer: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    chance: (share) => next() < share,
  };
}
