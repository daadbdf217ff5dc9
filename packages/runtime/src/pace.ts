import { setImmediate as nextTurn } from 'node:timers/promises';

/** Yields to other work when it is due; returns undefined when it is not, so that frequent calls cost nothing. */
export type Pace = () => Promise<unknown> | undefined;

/**
 * Paces long work in small pieces: called after each piece, it yields to other work of this process as soon as the pieces
 * together took `turnMsMax`.
 * @param turnMsMax maximum time that other requests wait
 */
export function pace(turnMsMax: number): Pace {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < turnMsMax) return undefined;
    return nextTurn().then(() => {
      begun = performance.now();
    });
  };
}
