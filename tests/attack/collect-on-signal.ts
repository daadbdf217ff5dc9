// Loaded into the gateway before its own program: SIGUSR2 collects its garbage, so that what is still held can be told from it.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
process.on('SIGUSR2', () => {
  // The second time frees what finalizers of the first time let go.
  collect();
  collect();
});
