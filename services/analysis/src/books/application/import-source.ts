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

/** The parts of an examination of the books, in their order. */
export const examinationParts = ['VENDORS', 'VENDOR_ACCOUNTS', 'BILLS', 'PAYMENTS'] as const;
export type ExaminationPart = (typeof examinationParts)[number];

/** How far an examination of the books has come. */
export interface ExaminationProgress {
  readonly part: ExaminationPart;
  /** What changed before this moment is examined in this part; undefined at its beginning. */
  readonly from: Date | undefined;
}

/** An examination of the books that has begun and not ended. */
export interface OpenExamination extends ExaminationProgress {
  /** What changes after this moment is left to the next examination. */
  readonly until: Date;
  /** The end of the run that began it. */
  readonly runFinishedAt: Date;
}

/** What one call has examined. */
export interface ExaminedBooks {
  /** How many findings are new. */
  readonly created: number;
  /** The next call continues. */
  readonly hasMore: boolean;
}

/** What is known of the imports of a connection. */
export interface ErpSource extends ImportSource {
  /** The moment through which everything that was imported was examined as a whole; undefined before the first run ended. */
  readonly completedThrough: Date | undefined;
  /** When the vendor list was last complete; undefined while it never was. */
  readonly syncedAt: Date | undefined;
  /** Set when the connection was disconnected: its vendors are no master any more. */
  readonly endedAt: Date | undefined;
  readonly examination: OpenExamination | undefined;
}

type SourceId = Pick<ImportSource, 'organizationId' | 'connectionId'>;

export interface ErpSourceStore {
  /** The source of a connection; stored by the first call. */
  begin(source: ImportSource, now: Date): Promise<ErpSource>;
  /** Sources of an organization that are not ended. */
  ofOrganization(organizationId: string): Promise<readonly ErpSource[]>;
  /** Stores an examination unless one is open. @returns the one that is open then */
  beginExamination(of: SourceId, examination: OpenExamination): Promise<OpenExamination>;
  /** Stores how far an examination has come, while it is open. */
  saveExamination(of: SourceId, examination: OpenExamination): Promise<void>;
  /** Ends an examination: everything through its moment is examined. */
  complete(
    of: SourceId,
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
