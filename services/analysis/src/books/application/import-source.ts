import { DomainError } from '@invoicecontrol/errors';

/** The import run and the connection that send records. */
export interface ImportSource {
  readonly organizationId: string;
  readonly companyId: string;
  readonly connectionId: string;
  /** Derived from the provider and the company in the ERP. It stays the same if the company is connected again. */
  readonly remoteCompanyId: string;
  readonly provider: string;
}

/** The parts of the examination of imported records, in order. */
export const examinationParts = ['VENDORS', 'VENDOR_ACCOUNTS', 'BILLS', 'PAYMENTS'] as const;
export type ExaminationPart = (typeof examinationParts)[number];

/** Progress of an examination of imported records. */
export interface ExaminationProgress {
  readonly part: ExaminationPart;
  /** Beginning of the changes that this part examines, or undefined at the beginning of the examination. */
  readonly from: Date | undefined;
}

/** An examination of imported records that is in progress. */
export interface OpenExamination extends ExaminationProgress {
  /** End of the changes. Later changes are left to the next examination. */
  readonly until: Date;
  /** Time when the run that began the examination ended. */
  readonly runFinishedAt: Date;
}

/** Result of one call of the examination. */
export interface ExaminedBooks {
  /** Number of new findings. */
  readonly created: number;
  /** True if another call must continue the examination. */
  readonly hasMore: boolean;
}

/** State of the imports of a connection. */
export interface ErpSource extends ImportSource {
  /** Time through which all imported records were examined together, or undefined before the first run ended. */
  readonly completedThrough: Date | undefined;
  /** Time when the vendor list was last complete, or undefined if it never was. */
  readonly syncedAt: Date | undefined;
  /** Time when the connection was disconnected. Its vendors then no longer count as known. */
  readonly endedAt: Date | undefined;
  readonly examination: OpenExamination | undefined;
}

type SourceId = Pick<ImportSource, 'organizationId' | 'connectionId'>;

export interface ErpSourceStore {
  /** Returns the state of a connection, which the first call stores. */
  begin(source: ImportSource, now: Date): Promise<ErpSource>;
  /** Returns the connections of an organization that are not disconnected. */
  ofOrganization(organizationId: string): Promise<readonly ErpSource[]>;
  /**
   * Stores an examination unless one is in progress.
   * @returns the examination that is then in progress
   */
  beginExamination(of: SourceId, examination: OpenExamination): Promise<OpenExamination>;
  /** Stores the progress of the current examination. */
  saveExamination(of: SourceId, examination: OpenExamination): Promise<void>;
  /** Ends an examination: all changes until its end time are examined. */
  complete(
    of: SourceId,
    times: { readonly completedThrough: Date; readonly syncedAt: Date | undefined },
  ): Promise<void>;
  /** Ends a connection permanently, even if it has sent no records yet. */
  end(organizationId: string, connectionId: string, now: Date): Promise<void>;
}

/**
 * Reads the state of the connection that sends records.
 * @throws DomainError wrong_state if it was disconnected
 */
export async function openSource(sources: ErpSourceStore, source: ImportSource, now: Date): Promise<ErpSource> {
  const known = await sources.begin(source, now);
  if (known.endedAt === undefined) return { ...known, ...source };
  throw new DomainError(
    'wrong_state',
    'The connection was disconnected. Records can no longer be imported through it.',
  );
}
