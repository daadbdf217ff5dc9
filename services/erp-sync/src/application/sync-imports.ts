import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { RecordsOf, StreamName } from '../domain/streams.js';
import type { ProviderCode } from '../providers/provider.js';

/** Import run and ERP connection from which imported records come. */
export interface ImportSource {
  readonly organizationId: string;
  readonly companyId: string;
  readonly connectionId: string;
  readonly remoteCompanyId: string;
  readonly runId: string;
  readonly provider: ProviderCode;
}

/** Result of storing a page of ERP records: the numbers of records, and the records that failed. */
export interface ImportedRows {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failures: readonly { readonly externalId: string; readonly message: string }[];
}

/** Limits on a call of an import run to the analysis service: its deadline, and the signal that aborts it. */
export interface ImportCall {
  readonly context: RequestContext;
  readonly signal: AbortSignal;
}

/** Sends imported ERP records to the analysis service, which stores them. A repeated call changes nothing. */
export interface Imports {
  store<S extends StreamName>(
    source: ImportSource,
    stream: S,
    records: readonly RecordsOf[S][],
    call: ImportCall,
  ): Promise<ImportedRows>;
  /**
   * Marks imported records that the ERP reports as deleted.
   * @returns the number of ERP records that this call marked as deleted
   */
  remove(source: ImportSource, stream: StreamName, externalIds: readonly string[], call: ImportCall): Promise<number>;
  /**
   * Marks as deleted the imported ERP records that are missing from a complete list of ids.
   * @param sortedIds all ids, sorted by code units and without repetition
   * @returns undefined if the list is empty although records exist; no record is then marked
   */
  reconcile(
    source: ImportSource,
    stream: StreamName,
    sortedIds: readonly string[],
    call: ImportCall,
  ): Promise<number | undefined>;
  /** Examines the imported ERP records and raises findings that concern no invoice. */
  complete(
    source: ImportSource,
    run: { readonly startedAt: Date; readonly finishedAt: Date; readonly hasVendorList: boolean },
    call: ImportCall,
  ): Promise<void>;
  /** Makes the analysis service no longer treat the vendors of an ERP connection as known vendors. */
  endMaster(source: ImportSource, call: ImportCall): Promise<void>;
}
