import type { Collection } from 'mongodb';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { ApiKey } from '../domain/api-key.js';
import type { ApiKeyDocument } from './api-keys.js';

const WRITE_EACH_MS = 60_000;
/** Keys waiting to be written; more than that in a minute are noted at their next use. */
const WAITING_KEYS_MAX = 10_000;

/** Remembers the day on which a key was last used, for people who look for keys that nobody needs any more. */
export interface KeyUsage {
  note(key: Pick<ApiKey, 'id' | 'lastUsedDay'>, at: Date): void;
  /** Writes what waits. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** One write a minute for all keys; a crash loses at most the day's first use, which the next use makes good. */
export function startKeyUsage(collection: Collection<ApiKeyDocument>, logger: Logger): KeyUsage {
  const waiting = new Map<string, string>();
  const flush = async (): Promise<void> => {
    const days = [...waiting];
    waiting.clear();
    if (days.length === 0) return;
    try {
      await collection.bulkWrite(
        days.map(([_id, lastUsedDay]) => ({ updateOne: { filter: { _id }, update: { $max: { lastUsedDay } } } })),
        { ordered: false },
      );
    } catch (error) {
      logger.warn({ error, keys: days.length }, 'the last use of keys could not be written');
    }
  };
  const timer = setInterval(() => void flush(), WRITE_EACH_MS);
  timer.unref();
  return {
    note({ id, lastUsedDay }, at) {
      const day = at.toISOString().slice(0, 10);
      if (lastUsedDay !== day && waiting.size < WAITING_KEYS_MAX) waiting.set(id, day);
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
