import { ArchiveServiceDefinition } from '@invoicecontrol/contracts/archive/v1/archive_service';
import { invalidField } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { MALFORMED_CURSOR } from '@invoicecontrol/runtime/page';

/** Maximum number of records on a page of the archive of an organization. */
const ARCHIVE_RECORDS_MAX = 500;
/**
 * Number of records in the first read of an archive page. The length of these records determines how many records the
 * next read may return.
 */
const FIRST_READ_RECORDS = 8;
/** Length in characters at which a page of the data export is complete. */
const PAGE_LENGTH_MAX = 1024 * 1024;

export interface ArchivePageRequest {
  readonly organizationId: string;
  /** Position of the last record on the previous page of a data export, or undefined for the first page. */
  readonly after: string | undefined;
  readonly createdBefore: Date;
  readonly recordsMax: number;
}

/** Record of a data export, with its position among the records of its kind. */
export interface ArchivedRecord {
  readonly position: string;
  readonly record: Readonly<Record<string, unknown>>;
}

/**
 * Reads records of one kind for a data export in a fixed order. Each kind of record declares the exported fields one by
 * one, and none of them is a secret.
 */
export type ReadArchivePage = (request: ArchivePageRequest) => Promise<readonly ArchivedRecord[]>;

/** Implements the gRPC service invoicecontrol.archive.v1.ArchiveService for the kinds of records of one service. */
export function archiveService(kinds: Readonly<Record<string, ReadArchivePage>>): Binding {
  return bind(ArchiveServiceDefinition, {
    async listRecords({ organizationId, kind, pageToken, createdBeforeTime }) {
      const read = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
      if (read === undefined) throw invalidField('kind', `must be one of ${Object.keys(kinds).join(', ')}.`);
      if (createdBeforeTime === undefined) throw invalidField('created_before_time', 'is required.');
      const recordsJson: string[] = [];
      let length = 0;
      let after = readToken(pageToken);
      // Records of a data export may be large, so each read is limited to the number that will fit, estimated from the
      // length of the previous records.
      for (let wanted = FIRST_READ_RECORDS; wanted > 0; wanted = recordsLeft(recordsJson.length, length)) {
        const found = await read({ organizationId, after, createdBefore: createdBeforeTime, recordsMax: wanted });
        for (const { position, record } of found) {
          const json = JSON.stringify(record);
          recordsJson.push(json);
          length += json.length;
          after = position;
          if (length >= PAGE_LENGTH_MAX) return { recordsJson, nextPageToken: writeToken(position) };
        }
        if (found.length < wanted) return { recordsJson, nextPageToken: '' };
      }
      return { recordsJson, nextPageToken: after === undefined ? '' : writeToken(after) };
    },
  });
}

/**
 * Returns the number of records that still fit on a page of a data export, if they are as long as the previous records
 * on average.
 */
function recordsLeft(records: number, length: number): number {
  const ofThisLength = Math.ceil((PAGE_LENGTH_MAX - length) / (length / records));
  return Math.min(ofThisLength, ARCHIVE_RECORDS_MAX - records);
}

function writeToken(position: string): string {
  return Buffer.from(position).toString('base64url');
}

function readToken(token: string): string | undefined {
  if (token === '') return undefined;
  const position = Buffer.from(token, 'base64url').toString();
  if (writeToken(position) !== token) throw invalidField('page_token', MALFORMED_CURSOR);
  return position;
}
