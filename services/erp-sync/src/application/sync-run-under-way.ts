import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RunLog } from '../domain/run.js';
import type { Provider, Session } from '../providers/provider.js';
import type { ImportCall, Imports, ImportSource } from './sync-imports.js';
import type { ConnectionClaim, IdList, ListedIdStore } from './sync-stores.js';
import type { StreamName } from '../domain/streams.js';

/** An import run in progress, with the values that its steps need. */
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
  /** Lists of all ERP record ids that have not been compared with the stored records yet, in their stored form. */
  readonly lists: Map<StreamName, IdList>;
  /** Stores how far the import run has read the ERP. */
  saveProgress(): Promise<void>;
}
