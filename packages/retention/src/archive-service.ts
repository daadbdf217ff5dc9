import { ArchiveServiceDefinition } from '@invoicecontrol/contracts/archive/v1/archive_service';
import { invalidField } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { MALFORMED_CURSOR } from '@invoicecontrol/runtime/page';

/** Records of one page. */
const ARCHIVE_RECORDS_MAX = 500;
/** Records of the first read of a page: their length tells how many more one read may take. */
const FIRST_READ_RECORDS = 8;
/** Characters after which a page takes no further record. */
const PAGE_LENGTH_MAX = 1024 * 1024;

export interface ArchivePageRequest {
  readonly organizationId: string;
  /** The position of the last record of the page before; undefined for the first page. */
  readonly after: string | undefined;
  readonly createdBefore: Date;
  readonly recordsMax: number;
}

/** A record and its position among those of its kind. */
export interface ArchivedRecord {
  readonly position: string;
  readonly record: Readonly<Record<string, unknown>>;
}

/** Reads records of one kind in a fixed order. Their fields are chosen one by one, and no secret is among them. */
export type ReadArchivePage = (request: ArchivePageRequest) => Promise<readonly ArchivedRecord[]>;

/** invoicecontrol.archive.v1.ArchiveService, for the kinds of one service. */
export function archiveService(kinds: Readonly<Record<string, ReadArchivePage>>): Binding {
  return bind(ArchiveServiceDefinition, {
    async listRecords({ organizationId, kind, pageToken, createdBeforeTime }) {
      const read = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
      if (read === undefined) throw invalidField('kind', `must be one of ${Object.keys(kinds).join(', ')}.`);
      if (createdBeforeTime === undefined) throw invalidField('created_before_time', 'is required.');
      const recordsJson: string[] = [];
      let length = 0;
      let after = readToken(pageToken);
      // Records may be large: no read takes more of them than fit into the page by the length of those before.
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

/** Returns the number of further records that fit into a page, if they are as long as those that it has. */
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
