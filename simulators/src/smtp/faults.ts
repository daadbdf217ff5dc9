/**
 * Faults of the simulated mail server:
 * - `REFUSE`: the connection is refused with 421 before any command
 * - `TEMPORARY`: the recipient is refused with 451, as by a busy server or a greylist
 * - `PERMANENT`: the recipient is refused with 550, as by a mailbox that does not exist
 * - `DROP`: the connection breaks after the mail was sent, and the mail is lost
 * - `LOSE_ANSWER`: the mail is accepted, and the connection breaks before the response
 * - `KEEP_WAITING`: the mail is accepted, and the server never responds
 */
export const faultKinds = ['REFUSE', 'TEMPORARY', 'PERMANENT', 'DROP', 'LOSE_ANSWER', 'KEEP_WAITING'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** A fault that applies to a number of e-mails. There is one fault at a time. */
export interface FaultSwitch {
  set(kind: FaultKind, times: number): void;
  /** Returns true if this fault of the mail server applies to the current mail, and counts the use of the fault. */
  consume(kind: FaultKind): boolean;
}

export function faultSwitch(): FaultSwitch {
  let current: { kind: FaultKind; times: number } | undefined;
  return {
    set(kind, times) {
      current = { kind, times };
    },
    consume(kind) {
      if (current === undefined || current.kind !== kind || current.times === 0) return false;
      current.times -= 1;
      return true;
    },
  };
}
