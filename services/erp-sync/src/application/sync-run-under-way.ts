import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RunLog } from '../domain/run.js';
import type { Provider, Session } from '../providers/provider.js';
import type { ImportCall, Imports, ImportSource } from './sync-imports.js';
import type { ConnectionClaim, IdList, ListedIdStore } from './sync-stores.js';
import type { StreamName } from '../domain/streams.js';

/** One run under way, as its steps need it. */
export interface RunUnderWay {
  readonly claim: ConnectionClaim;
  readonly source: ImportSource;
  readonly session: Session;
  readonly provider: Provider;
  readonly imports: Imports;
  readonly call: ImportCall;
  readonly log: RunLog;
  readonly clock: Clock;
  readonly listedIds: ListedIdStore;
  /** Lists of ids that are not compared yet, as they are stored. */
  readonly lists: Map<StreamName, IdList>;
  /** Stores what the run has done so far. */
  saveProgress(): Promise<void>;
}
