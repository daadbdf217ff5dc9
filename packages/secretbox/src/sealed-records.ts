import type { Job } from '@invoicecontrol/runtime/job';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { reportGauges } from '@invoicecontrol/runtime/telemetry';
import type { CanaryStore } from './canaries.js';
import type { KeyRing } from './key-ring.js';

/** The records of one collection that hold secrets, of all organizations. */
export interface SealedRecords {
  /** Counts the records with a secret that is sealed with this key. */
  countSealedWith(keyId: string): Promise<number>;
  /** Counts the records with a secret that none of these keys seals. */
  countSealedWithOthers(keyIds: readonly string[]): Promise<number>;
  /**
   * Seals the secrets that this key seals under the newest one, unless they have changed since they were read.
   * @returns the number of records that it read; never more than the limit
   */
  rewrap(keyId: string, limit: number): Promise<number>;
}

const REWRAP_EACH_MS = 10_000;
/** Maximum number of records of one older key in one run. */
const REWRAPPED_AT_ONCE = 100;

interface RewrapDeps {
  /** The name of the records, in the plural. */
  readonly name: string;
  /** Everything that the service keeps sealed: a key may leave the ring when none of it is sealed with that key. */
  readonly records: readonly SealedRecords[];
  readonly ring: KeyRing;
  readonly canaries: Pick<CanaryStore, 'delete'>;
  readonly logger: Logger;
}

/**
 * Seals with the newest key the secrets that an older key has sealed, and logs when none is left: then the older key may leave
 * the ring. Logs as well when another replica seals with a key that this one lacks.
 */
export function rewrapJob({ name, records, ring, canaries, logger }: RewrapDeps): Job {
  const [, ...older] = ring;
  const keyIds = ring.map(({ id }) => id);
  const lastLeft = new Map<string, number>();
  let lastUnopenable = 0;
  const sum = async (count: (one: SealedRecords) => Promise<number>): Promise<number> =>
    (await Promise.all(records.map(count))).reduce((all, one) => all + one, 0);
  const run = async (): Promise<void> => {
    const unopenable = await sum((one) => one.countSealedWithOthers(keyIds));
    if (unopenable > 0 && unopenable !== lastUnopenable) {
      logger.error({ [name]: unopenable }, `secrets of ${name} are sealed with a key that SECRETBOX_KEYS lacks`);
    }
    lastUnopenable = unopenable;
    for (const { id: keyId } of older) {
      let room = REWRAPPED_AT_ONCE;
      for (const one of records) {
        if (room > 0) room -= await one.rewrap(keyId, room);
      }
      const left = await sum((one) => one.countSealedWith(keyId));
      // Counted in each run: a replica that does not have the newer key yet seals with the older one.
      if (left === lastLeft.get(keyId)) continue;
      lastLeft.set(keyId, left);
      logger.info({ keyId, left }, `${name} are still sealed with an older key`);
      if (left === 0) await canaries.delete(keyId);
    }
  };
  return { name: 'sealing keys', pauseMs: REWRAP_EACH_MS, run };
}

/**
 * Reports how many records each key of the ring seals, as `<service>.sealed_<records>`, and how many this process cannot
 * open, as `<service>.unopenable_<records>`.
 * @param names the prefix of the service's metrics, and the name of a record
 * @returns a function that ends the reports
 */
export function reportSealedRecords(
  names: { readonly prefix: string; readonly one: string; readonly many: string },
  records: Pick<SealedRecords, 'countSealedWith' | 'countSealedWithOthers'>,
  ring: KeyRing,
): () => void {
  const keyIds = ring.map(({ id }) => id);
  const unit = `{${names.one}}`;
  const sealed = `${names.prefix}.sealed_${names.many}`;
  const unopenable = `${names.prefix}.unopenable_${names.many}`;
  const closeSealed = reportGauges(
    { [sealed]: { unit, description: 'Records with a secret that is sealed with the key.' } },
    () =>
      Promise.all(
        keyIds.map(async (keyId) => ({
          attributes: { key_id: keyId },
          values: { [sealed]: await records.countSealedWith(keyId) },
        })),
      ),
  );
  const closeUnopenable = reportGauges(
    { [unopenable]: { unit, description: 'Records with a secret that is sealed with a key that this process lacks.' } },
    async () => [{ attributes: {}, values: { [unopenable]: await records.countSealedWithOthers(keyIds) } }],
  );
  return () => {
    closeSealed();
    closeUnopenable();
  };
}
