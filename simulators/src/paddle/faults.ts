/**
 * Names of the simulated faults of the payment provider, with the change that each causes in the next payment
 * notifications.
 */
export const faultMeanings = {
  NONE: 'ends the fault',
  SHUFFLE: 'sends the next sequence in another order',
  DUPLICATE: 'sends each twice, under another notification_id',
  DELAY: 'sends each a second later, so that others arrive before it',
  TWO_H1: 'signs each with the right secret and then with another one, as during a rotation',
  BAD_SIGNATURE: 'sends each with a wrong signature first, then rightly',
  OLD_TIMESTAMP: 'sends each with a signature from ten minutes ago first, then rightly',
  LOSE: 'sends none of them',
} as const;
export type FaultKind = keyof typeof faultMeanings;
export const faultKinds = Object.keys(faultMeanings) as readonly FaultKind[];

export interface FaultSwitch {
  /**
   * Replaces the current fault of the payment provider. `times` is the number of payment notifications that it affects.
   */
  set(kind: FaultKind, times: number): void;
  /** Returns the fault that affects the next payment notification, and counts one use of the fault. */
  consume(): FaultKind;
  /**
   * True if the simulator sends the payment notifications of the next subscription change in random order. Reading this
   * value does not use up the fault; `consume` does so for each notification.
   */
  readonly isShuffling: boolean;
}

export function faultSwitch(): FaultSwitch {
  let kind: FaultKind = 'NONE';
  let left = 0;
  return {
    set(next, times) {
      kind = times === 0 ? 'NONE' : next;
      left = times;
    },
    consume() {
      if (left === 0) return 'NONE';
      left -= 1;
      const current = kind;
      if (left === 0) kind = 'NONE';
      return current;
    },
    get isShuffling() {
      return kind === 'SHUFFLE';
    },
  };
}
