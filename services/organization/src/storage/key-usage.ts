import type { Collection } from 'mongodb';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { ApiKey } from '../domain/api-key.js';
import type { ApiKeyDocument } from './api-keys.js';

const WRITE_INTERVAL_MS = 60_000;
/** Maximum number of API keys recorded in one interval. Further keys are recorded when they are next used. */
const PENDING_KEYS_MAX = 10_000;

/** Stores the day of the last use of each API key, so that unused keys can be found. */
export interface KeyUsage {
  record(key: Pick<ApiKey, 'id' | 'lastUsedDay'>, at: Date): void;
  /** Writes the days on which API keys were used, unless they are already stored as the days of the last use. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Records the use of API keys with one bulk write a minute. After a crash, only the uses that were not stored yet are
 * missing, until the same keys are used again.
 */
export function startKeyUsage(collection: Collection<ApiKeyDocument>, logger: Logger): KeyUsage {
  const pendingDays = new Map<string, string>();
  const flush = async (): Promise<void> => {
    const days = [...pendingDays];
    pendingDays.clear();
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
  const timer = setInterval(() => void flush(), WRITE_INTERVAL_MS);
  timer.unref();
  return {
    record({ id, lastUsedDay }, at) {
      const day = at.toISOString().slice(0, 10);
      if (lastUsedDay !== day && pendingDays.size < PENDING_KEYS_MAX) pendingDays.set(id, day);
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
