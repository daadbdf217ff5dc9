import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Frees what nobody holds, so that what is still held can be told from it. */
export function collectGarbage(): void {
  collect();
  // Frees what finalizers of the first time let go.
  collect();
}
