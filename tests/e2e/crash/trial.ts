// A system that is about to be killed, those who use it, and the judgement of what became of it.
import { expect } from '@jest/globals';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { contradictions, missingEffects, unfinishedWork } from './audit.js';
import type { AnalysisDatabase } from './audit.js';
import { startEffects } from './effects.js';
import { startKillableSystem } from './killable-system.js';
import type { KillableSystem } from './killable-system.js';
import { openLedger } from './ledger.js';
import type { Ledger } from './ledger.js';

/** The sweep comes every 5 seconds, and what it takes up was left for 30 seconds. */
const FINISHED_MS_MAX = 60_000;
/** An event whose handler failed while stores were gone comes again after growing pauses. */
const EFFECTED_MS_MAX = 60_000;

export interface Trial {
  readonly system: KillableSystem;
  readonly ledger: Ledger;
  /** Where analysis keeps its data, without the proxy. */
  readonly database: AnalysisDatabase;
  /** Waits until no work is left. */
  expectNothingUnfinished(): Promise<void>;
  /** Waits until no work is left and every event has its effect, then holds everything stored against what was promised. */
  expectPromisesKept(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTrial(): Promise<Trial> {
  const system = await startKillableSystem();
  try {
    const effects = await startEffects(system);
    const mongo = await connectMongo({ url: system.mongodbUrl, databaseName: 'analysis', appName: 'audit' });
    const ledger = openLedger(system.baseUrl);
    const expectNothingUnfinished = (): Promise<void> =>
      eventually(async () => expect(await unfinishedWork(mongo.db)).toEqual([]), { timeoutMs: FINISHED_MS_MAX });
    return {
      system,
      ledger,
      database: mongo.db,
      expectNothingUnfinished,
      async expectPromisesKept() {
        await expectNothingUnfinished();
        await eventually(async () => expect(await missingEffects(mongo.db, await effects.all())).toEqual([]), {
          timeoutMs: EFFECTED_MS_MAX,
        });
        expect(await contradictions(mongo.db, ledger.acknowledged, await effects.all())).toEqual([]);
        expect(await effects.faults()).toEqual([]);
        expect(system.unexpected).toEqual([]);
      },
      async stop() {
        ledger.close();
        await mongo.close();
        await effects.stop();
        await system.stop();
      },
    };
  } catch (error) {
    await system.stop();
    throw error;
  }
}
