import { DomainError } from '@invoicecontrol/errors';

/** The import run that sends ERP records, and its ERP connection. */
export interface ImportSource {
  readonly organizationId: string;
  readonly companyId: string;
  readonly connectionId: string;
  /**
   * Id of the company in the ERP, derived from the organization, the ERP provider and the key of the company there. The
   * id stays the same if the company is connected again.
   */
  readonly remoteCompanyId: string;
  readonly provider: string;
}

/** Names of the parts into which an examination of imported records is divided, in the order in which they run. */
export const examinationParts = ['VENDORS', 'VENDOR_ACCOUNTS', 'BILLS', 'PAYMENTS'] as const;
export type ExaminationPart = (typeof examinationParts)[number];

/** Progress of an examination of imported records. */
export interface ExaminationProgress {
  readonly part: ExaminationPart;
  /**
   * Change time of the ERP records with which this part of the examination continues. Undefined at the beginning of the
   * part.
   */
  readonly from: Date | undefined;
}

/** An examination of imported records that is in progress. */
export interface OpenExamination extends ExaminationProgress {
  /** Time up to which changes to ERP records are examined. Later changes are left to the next examination. */
  readonly until: Date;
  /** Time when the import run that began the examination was completed. */
  readonly runFinishedAt: Date;
}

/** Result of one call that continues the examination of the ERP records. */
export interface ExaminedBooks {
  /** Number of findings about ERP records that the call created. */
  readonly created: number;
  /** True if another call must continue the examination of the ERP records. */
  readonly hasMore: boolean;
}

/** State of the imports through one ERP connection. */
export interface ErpSource extends ImportSource {
  /**
   * Time up to which the changes to all imported records have been examined, or undefined before the first import run
   * was completed.
   */
  readonly completedThrough: Date | undefined;
  /** Time when the vendor list was last imported completely, or undefined if it never was. */
  readonly syncedAt: Date | undefined;
  /** Time when the ERP connection was disconnected. From then on, its vendors no longer count as known. */
  readonly endedAt: Date | undefined;
  readonly examination: OpenExamination | undefined;
}

type SourceId = Pick<ImportSource, 'organizationId' | 'connectionId'>;

export interface ErpSourceStore {
  /** Returns the import state of an ERP connection. The first call stores it. */
  begin(source: ImportSource, now: Date): Promise<ErpSource>;
  /** Returns the ERP connections of an organization that are not disconnected. */
  ofOrganization(organizationId: string): Promise<readonly ErpSource[]>;
  /**
   * Stores a new examination of the ERP records unless one is in progress.
   * @returns the examination that is then in progress
   */
  beginExamination(of: SourceId, examination: OpenExamination): Promise<OpenExamination>;
  /** Stores the progress of the current examination of the ERP records. */
  saveExamination(of: SourceId, examination: OpenExamination): Promise<void>;
  /** Completes an examination of the ERP records: all changes up to its end time have been examined. */
  complete(
    of: SourceId,
    times: { readonly completedThrough: Date; readonly syncedAt: Date | undefined },
  ): Promise<void>;
  /** Marks an ERP connection as disconnected permanently, even if it has sent no records yet. */
  end(organizationId: string, connectionId: string, now: Date): Promise<void>;
}

/**
 * Returns the import state of the ERP connection that sends records.
 * @throws DomainError wrong_state if it was disconnected
 */
export async function openSource(sources: ErpSourceStore, source: ImportSource, now: Date): Promise<ErpSource> {
  const known = await sources.begin(source, now);
  if (known.endedAt === undefined) return { ...known, ...source };
  throw new DomainError(
    'wrong_state',
    'The ERP was disconnected, so this ERP connection can no longer import records.',
  );
}
