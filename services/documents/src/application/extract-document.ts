import type { Validation, ValidationMode } from '@invoicecontrol/compliance/validation';
import type { DocumentMediaType } from '@invoicecontrol/extraction/media-type';
import type { OwnCompany, ReadingOutcome } from '@invoicecontrol/extraction/reading';
import { notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { v5 as uuidv5 } from 'uuid';
import { documentExtracted } from '../telemetry.js';
import type { UploadReader } from './read-uploads.js';
import type { ContentStore, StoredUpload, UploadStore } from './uploads.js';

/** Version of the program that reads documents. Documents that were read with an earlier version keep their result. */
const EXTRACTION_VERSION = 1;

/** Content that was read from a document, and the result of checking it against the rules of its profile. */
export interface Extraction {
  readonly outcome: ReadingOutcome;
  /** Result of validating a document, or null if the document was not validated. */
  readonly validation: Validation | null;
}

export interface ReadRequest {
  /**
   * Organization that owns the document to read. Waiting documents of the organization with the fewest documents in
   * progress are processed first.
   */
  readonly organizationId: string;
  readonly task: {
    readonly mediaType: DocumentMediaType;
    readonly mode: ValidationMode;
    readonly companies: readonly OwnCompany[];
  };
  readonly byteSize: number;
  /** Returns the bytes of the document to read, from the beginning on each call. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** Reads the fields of invoices from documents, in separate processes. */
export interface DocumentReader {
  /**
   * Extracts the invoice fields from a document.
   * @throws DomainError unavailable if too many documents are waiting
   */
  read(request: ReadRequest): Promise<Extraction>;
}

export interface ExtractionStore {
  find(organizationId: string, id: string): Promise<Extraction | undefined>;
  /**
   * Stores the result of reading a document under the given id, unless a result is already stored there.
   * @returns the stored result, which may come from an earlier reading
   */
  insert(organizationId: string, id: string, extraction: Extraction, at: Date): Promise<Extraction>;
}

interface Deps {
  readonly reader: Pick<UploadReader, 'stored'>;
  readonly uploads: Pick<UploadStore, 'keep'>;
  readonly contents: Pick<ContentStore, 'read'>;
  readonly documents: DocumentReader;
  readonly extractions: ExtractionStore;
  readonly clock: Clock;
}

interface Input {
  readonly organizationId: string;
  readonly uploadId: string;
  readonly mode: ValidationMode;
  readonly companies: readonly OwnCompany[];
}

/**
 * Reads a stored document once. The result is stored under an id derived from upload, mode and version, so that a
 * repeated call returns the same result regardless of later changes. Concurrent requests in this process share one
 * reading.
 * @throws DomainError not_found, unavailable if too many documents are waiting
 */
export type ExtractDocument = (input: Input) => Promise<{ upload: StoredUpload; extraction: Extraction }>;

export const extractDocument = ({
  reader,
  uploads,
  contents,
  documents,
  extractions,
  clock,
}: Deps): ExtractDocument => {
  const underWay = new Map<string, Promise<Extraction>>();

  const extract = async (id: string, upload: StoredUpload, { mode, companies }: Input): Promise<Extraction> => {
    const { organizationId, content } = upload;
    const kept = await extractions.find(organizationId, id);
    if (kept !== undefined) return kept;
    const startedAt = performance.now();
    const extraction = await documents.read({
      organizationId,
      byteSize: upload.byteSize,
      task: { mediaType: content.mediaType as DocumentMediaType, mode, companies },
      bytes: () => contents.read(content.fileId),
    });
    const { outcome } = extraction;
    const seconds = (performance.now() - startedAt) / 1_000;
    documentExtracted(content.mediaType, 'failure' in outcome ? outcome.failure.reason : 'READ', seconds);
    return extractions.insert(organizationId, id, extraction, clock.now());
  };

  return async (input) => {
    const { organizationId, uploadId } = input;
    const upload = await reader.stored(organizationId, uploadId);
    if (upload.removeAt !== undefined && !(await uploads.keep(organizationId, uploadId))) throw notFound('document');
    const id = uuidv5(`${input.mode}:${EXTRACTION_VERSION}`, uploadId);
    const running = underWay.get(id) ?? extract(id, upload, input);
    underWay.set(id, running);
    try {
      return { upload, extraction: await running };
    } finally {
      underWay.delete(id);
    }
  };
};
