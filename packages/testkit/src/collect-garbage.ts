import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Runs the garbage collector, so that tests can check which objects are still referenced. */
export function collectGarbage(): void {
  collect();
  // The second garbage collection frees objects that finalizers of the first one released.
  collect();
}
