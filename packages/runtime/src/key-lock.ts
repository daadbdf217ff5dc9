/**
 * Lets work with the same key wait for each other inside this process, so that a burst for one document does not
 * spend its tries on itself. Between processes the version check decides.
 *
 * The work is told whether it is the first of its burst: only then is what was read before still likely to be current.
 */
export function oneAtATime(): (key: string, work: (isFirst: boolean) => Promise<void>) => Promise<void> {
  const last = new Map<string, Promise<void>>();
  return async (key, work) => {
    const before = last.get(key);
    const turn = before === undefined ? work(true) : before.then(() => work(false));
    const settled = turn.catch(() => {});
    last.set(key, settled);
    try {
      await turn;
    } finally {
      if (last.get(key) === settled) last.delete(key);
    }
  };
}
