import { DomainError } from '@invoicecontrol/errors';

/** Which run of which connection brings records. */
export interface ImportSource {
  readonly organizationId: string;
  readonly companyId: string;
  readonly connectionId: string;
  /** Derived from provider and remote company; the same when that is connected anew. */
  readonly remoteCompanyId: string;
  readonly provider: string;
}

/** What is known of the imports of a connection. */
export interface ErpSource extends ImportSource {
  /** The moment through which everything that was imported was examined as a whole; undefined before the first run ended. */
  readonly completedThrough: Date | undefined;
  /** When the vendor list was last complete; undefined while it never was. */
  readonly syncedAt: Date | undefined;
  /** Set when the connection was disconnected: its vendors are no master any more. */
  readonly endedAt: Date | undefined;
}

export interface ErpSourceStore {
  /** The source of a connection; stored by the first call. */
  begin(source: ImportSource, now: Date): Promise<ErpSource>;
  /** Sources of an organization that are not ended. */
  ofOrganization(organizationId: string): Promise<readonly ErpSource[]>;
  complete(
    of: Pick<ImportSource, 'organizationId' | 'connectionId'>,
    times: { readonly completedThrough: Date; readonly syncedAt: Date | undefined },
  ): Promise<void>;
  /** Ends a source for good, also one that has brought nothing yet. */
  end(organizationId: string, connectionId: string, now: Date): Promise<void>;
}

/**
 * What is known of the connection that brings records.
 * @throws DomainError wrong_state when it was disconnected
 */
export async function openSource(sources: ErpSourceStore, source: ImportSource, now: Date): Promise<ErpSource> {
  const known = await sources.begin(source, now);
  if (known.endedAt === undefined) return { ...known, ...source };
  throw new DomainError('wrong_state', 'The connection was disconnected: nothing is imported through it any more.');
}
