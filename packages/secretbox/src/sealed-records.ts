import type { Job } from '@invoicecontrol/runtime/job';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { createAlarm } from '@invoicecontrol/runtime/repeat';
import { reportGauges } from '@invoicecontrol/runtime/telemetry';
import type { AttributesOf } from '@invoicecontrol/runtime/telemetry/schema';
import type { CanaryStore } from './canaries.js';
import type { KeyRing } from './key-ring.js';

/** Access to the records of one collection that contain secrets, for all organizations. */
export interface SealedRecords {
  /** Counts the records with a secret that was encrypted with the given sealing key. */
  countSealedWith(keyId: string): Promise<number>;
  /** Counts the records with a secret that was encrypted with none of the given keys. */
  countSealedWithOthers(keyIds: readonly string[]): Promise<number>;
  /**
   * Seals secrets again with the newest key if they are sealed with the given key, unless they have changed since they
   * were read.
   * @returns the number of records that were read, at most the limit
   */
  rewrap(keyId: string, limit: number): Promise<number>;
}

/** Interval at which a replica checks whether stored secrets are sealed with a key other than the newest one. */
const REWRAP_EACH_MS = 60_000;
/**
 * Interval between checks for secrets that older keys sealed. It applies after the start, and as long as such secrets
 * are left.
 */
const REWRAP_AGAIN_MS = 10_000;
/** Maximum number of records sealed with one older key that a run of the rotation job handles. */
const REWRAPPED_AT_ONCE = 100;

interface RewrapDeps {
  /** Name of the sealed records in the plural, for the log. */
  readonly name: string;
  /**
   * All records with secrets that the service stores. A sealing key may be removed from the ring only when none of
   * these records has a secret that was sealed with it.
   */
  readonly records: readonly SealedRecords[];
  readonly ring: KeyRing;
  readonly canaries: Pick<CanaryStore, 'delete'>;
  readonly logger: Logger;
}

/**
 * Creates the job that opens secrets that older keys sealed, and seals them with the newest key. The job logs when no
 * secret is sealed with an older key any more, so that the older key can be removed from the ring, and when another
 * replica uses a key that this replica does not have.
 */
export function rewrapJob({ name, records, ring, canaries, logger }: RewrapDeps): Job {
  const [, ...older] = ring;
  const keyIds = ring.map(({ id }) => id);
  const lastLeft = new Map<string, number>();
  let lastUnopenable = 0;
  const alarm = createAlarm();
  alarm.ring(REWRAP_AGAIN_MS);
  const sum = async (count: (one: SealedRecords) => Promise<number>): Promise<number> =>
    (await Promise.all(records.map(count))).reduce((all, one) => all + one, 0);
  const run = async (): Promise<void> => {
    const unopenable = await sum((one) => one.countSealedWithOthers(keyIds));
    if (unopenable > 0 && unopenable !== lastUnopenable) {
      logger.error({ unopenable }, `secrets of ${name} are sealed with a key that SECRETBOX_KEYS lacks`);
    }
    lastUnopenable = unopenable;
    for (const { id: keyId } of older) {
      let room = REWRAPPED_AT_ONCE;
      for (const one of records) {
        if (room > 0) room -= await one.rewrap(keyId, room);
      }
      const left = await sum((one) => one.countSealedWith(keyId));
      if (left > 0) alarm.ring(REWRAP_AGAIN_MS);
      // The records with sealed secrets are counted in every run, because a replica without the newer key still seals
      // with the older one.
      if (left === lastLeft.get(keyId)) continue;
      lastLeft.set(keyId, left);
      logger.info({ keyId, left }, `${name} are still sealed with an older key`);
      if (left === 0) await canaries.delete(keyId);
    }
  };
  return { name: 'sealing keys', pauseMs: REWRAP_EACH_MS, alarm, run };
}

/**
 * Reports how many records have secrets that each key of the ring encrypted, and how many records this process cannot
 * open.
 * @param kind name of the records in metrics
 * @returns a function that ends the reports
 */
export function reportSealedRecords(
  kind: AttributesOf<'invoicecontrol.unopenable_records'>['records'],
  records: Pick<SealedRecords, 'countSealedWith' | 'countSealedWithOthers'>,
  ring: KeyRing,
): () => void {
  const keyIds = ring.map(({ id }) => id);
  const closeSealed = reportGauges(['invoicecontrol.sealed_records'], () =>
    Promise.all(
      keyIds.map(async (keyId) => ({
        attributes: { records: kind, key_id: keyId },
        values: { 'invoicecontrol.sealed_records': await records.countSealedWith(keyId) },
      })),
    ),
  );
  const closeUnopenable = reportGauges(['invoicecontrol.unopenable_records'], async () => [
    {
      attributes: { records: kind },
      values: { 'invoicecontrol.unopenable_records': await records.countSealedWithOthers(keyIds) },
    },
  ]);
  return () => {
    closeSealed();
    closeUnopenable();
  };
}
