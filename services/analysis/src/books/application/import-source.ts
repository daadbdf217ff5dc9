import { DomainError } from '@invoicecontrol/errors';

/** The run and the connection that bring records. */
export interface ImportSource {
  readonly organizationId: string;
  readonly companyId: string;
  readonly connectionId: string;
  /** Derived from provider and remote company; the same when that is connected again. */
  readonly remoteCompanyId: string;
  readonly provider: string;
}

/** The parts of an examination of the books, in their order. */
export const examinationParts = ['VENDORS', 'VENDOR_ACCOUNTS', 'BILLS', 'PAYMENTS'] as const;
export type ExaminationPart = (typeof examinationParts)[number];

/** Progress of an examination of the books. */
export interface ExaminationProgress {
  readonly part: ExaminationPart;
  /** Start of the changes that this part examines; undefined at the beginning of the examination. */
  readonly from: Date | undefined;
}

/** An examination of the books that has begun and not ended. */
export interface OpenExamination extends ExaminationProgress {
  /** End of the changes; later ones are left to the next examination. */
  readonly until: Date;
  /** The end of the run that began it. */
  readonly runFinishedAt: Date;
}

/** Result of one call of the examination. */
export interface ExaminedBooks {
  /** Number of new findings. */
  readonly created: number;
  /** The next call continues. */
  readonly hasMore: boolean;
}

/** State of the imports of a connection. */
export interface ErpSource extends ImportSource {
  /** The moment through which everything that was imported was examined as a whole; undefined before the first run ended. */
  readonly completedThrough: Date | undefined;
  /** Time when the vendor list was last complete; undefined until it was. */
  readonly syncedAt: Date | undefined;
  /** Set when the connection was disconnected: its vendors are no longer a master. */
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
 * Reads the state of the connection that brings records.
 * @throws DomainError wrong_state when it was disconnected
 */
export async function openSource(sources: ErpSourceStore, source: ImportSource, now: Date): Promise<ErpSource> {
  const known = await sources.begin(source, now);
  if (known.endedAt === undefined) return { ...known, ...source };
  throw new DomainError(
    'wrong_state',
    'The connection was disconnected. Records can no longer be imported through it.',
  );
}
