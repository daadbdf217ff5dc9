import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { RecordsOf, StreamName } from '../domain/streams.js';
import type { ProviderCode } from '../providers/provider.js';

/** The run and the connection that bring records. */
export interface ImportSource {
  readonly organizationId: string;
  readonly companyId: string;
  readonly connectionId: string;
  readonly remoteCompanyId: string;
  readonly runId: string;
  readonly provider: ProviderCode;
}

/** Outcome of a page. */
export interface ImportedRows {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failures: readonly { readonly externalId: string; readonly message: string }[];
}

/** Bounds of a call: who makes it, and what ends it. */
export interface ImportCall {
  readonly context: RequestContext;
  readonly signal: AbortSignal;
}

/** The target of records. Every call may be repeated without another effect. */
export interface Imports {
  store<S extends StreamName>(
    source: ImportSource,
    stream: S,
    records: readonly RecordsOf[S][],
    call: ImportCall,
  ): Promise<ImportedRows>;
  /** Marks what the ERP reports as deleted. @returns how many were live until now */
  remove(source: ImportSource, stream: StreamName, externalIds: readonly string[], call: ImportCall): Promise<number>;
  /**
   * Marks what a complete list lacks as deleted.
   * @param sortedIds all of them, by code units, each once
   * @returns undefined when the list is empty although records are live: nothing is deleted then
   */
  reconcile(
    source: ImportSource,
    stream: StreamName,
    sortedIds: readonly string[],
    call: ImportCall,
  ): Promise<number | undefined>;
  /** Raises the findings that need no invoice. */
  complete(
    source: ImportSource,
    run: { readonly startedAt: Date; readonly finishedAt: Date; readonly hasVendorList: boolean },
    call: ImportCall,
  ): Promise<void>;
  /** Ends the vendor master of a connection. */
  endMaster(source: ImportSource, call: ImportCall): Promise<void>;
}
