import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lets other work of the process run if it is time to do so, and otherwise returns undefined, so that frequent calls
 * cost nothing.
 */
export type Pace = () => Promise<unknown> | undefined;

/**
 * Paces long work that consists of small steps. The work calls the returned function after each step, and yields to
 * other work of this process when the steps have taken `turnMsMax` milliseconds.
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
