// Provides a system whose processes are killed, clients that use the system, and the audit of the result.
import { expect } from 'vitest';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { contradictions, missingEffects, unfinishedWork, wrongUsage } from './audit.js';
import type { Databases } from './audit.js';
import { startEffects } from './effects.js';
import { startKillableSystem } from './killable-system.js';
import type { KillableSystem, KillableSystemOptions } from './killable-system.js';
import { openLedger } from './ledger.js';
import type { Ledger } from './ledger.js';
import { scanContradictions } from './scan-audit.js';

/**
 * Maximum time until all work of the services is finished after a crash. Sweeps run every 5 seconds, take over work
 * that was idle for 30 seconds, and finish history scans one after another.
 */
const FINISHED_MS_MAX = 120_000;
/**
 * The broker redelivers an unacknowledged event after 30 seconds, and an event whose handler failed after up to a
 * minute.
 */
const EFFECTED_MS_MAX = 120_000;
/** Time in milliseconds after a crash within which the usage counters become exact. */
const USAGE_EXACT_MS_MAX = 300_000;

export interface Trial {
  readonly system: KillableSystem;
  readonly ledger: Ledger;
  /** Databases of the services, reached without the proxies. */
  readonly databases: Databases;
  /** Waits until every service has finished the work that a crash interrupted. */
  expectNothingUnfinished(): Promise<void>;
  /**
   * Waits until no work is left, every event was handled by its consumers and usage counters are exact. Then compares
   * all stored records with the guarantees.
   */
  expectPromisesKept(): Promise<void>;
  /** Deletes all documents that event consumers wrote, so that every event must arrive again. */
  forgetEffects(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTrial(options: KillableSystemOptions = {}): Promise<Trial> {
  const system = await startKillableSystem(options);
  try {
    const effects = await startEffects(system);
    const audited = (databaseName: string): ReturnType<typeof connectMongo> =>
      connectMongo({ url: system.mongodbUrl, databaseName, appName: 'audit' });
    const connections = { analysis: await audited('analysis'), scan: await audited('scan') };
    const databases: Databases = { analysis: connections.analysis.db, scan: connections.scan.db };
    const ledger = openLedger(system.baseUrl);
    const isFinished = async (): Promise<void> => expect(await unfinishedWork(databases)).toEqual([]);
    const expectNothingUnfinished = (): Promise<void> => eventually(isFinished, { timeoutMs: FINISHED_MS_MAX });
    return {
      system,
      ledger,
      databases,
      expectNothingUnfinished,
      forgetEffects: () => effects.forget(),
      async expectPromisesKept() {
        await expectNothingUnfinished();
        const missing = async (): Promise<string[]> => missingEffects(databases, await effects.all());
        await eventually(async () => expect(await missing()).toEqual([]), { timeoutMs: EFFECTED_MS_MAX }).catch(
          async (error: unknown) => {
            const ids = (await missing()).map((event) => event.split(' ').at(-1) ?? '');
            throw new Error([String(error), ...(await effects.whereabouts(ids))].join('\n'), { cause: error });
          },
        );
        const heard = await effects.all();
        expect(await contradictions(databases, ledger.acknowledged, heard)).toEqual([]);
        expect(await scanContradictions(databases, ledger.acknowledgedScans, heard)).toEqual([]);
        expect(await effects.faults()).toEqual([]);
        if ((await wrongUsage(databases)).length > 0) system.letTimePass();
        await eventually(async () => expect(await wrongUsage(databases)).toEqual([]), {
          timeoutMs: USAGE_EXACT_MS_MAX,
        });
        expect(system.unexpected).toEqual([]);
      },
      async stop() {
        ledger.close();
        await connections.analysis.close();
        await connections.scan.close();
        await effects.stop();
        await system.stop();
      },
    };
  } catch (error) {
    await system.stop();
    throw error;
  }
}
