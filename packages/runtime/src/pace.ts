import { setImmediate as nextTurn } from 'node:timers/promises';

/** Waits for the others when it is their turn; undefined while it is not, so that asking often costs nothing. */
export type Pace = () => Promise<unknown> | undefined;

/**
 * Long work in small pieces: asked after each piece, it lets whatever else waits in this process have its turn as soon
 * as the pieces together took so long.
 * @param turnMsMax what a request of somebody else waits at most
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
