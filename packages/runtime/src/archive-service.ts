import { ArchiveServiceDefinition } from '@invoicecontrol/contracts/archive/v1/archive_service';
import { invalidField } from '@invoicecontrol/errors';
import { bind } from './grpc/server.js';
import type { Binding } from './grpc/server.js';
import { MALFORMED_CURSOR } from './page.js';

/** Records of one page. */
const ARCHIVE_RECORDS_MAX = 500;
/** Characters after which a page takes no further record. */
const PAGE_LENGTH_MAX = 1024 * 1024;

export interface ArchivePageRequest {
  readonly organizationId: string;
  /** The position of the last record of the page before; undefined: from the first. */
  readonly after: string | undefined;
  readonly createdBefore: Date;
  readonly recordsMax: number;
}

/** A record and where it stands among those of its kind. */
export interface ArchivedRecord {
  readonly position: string;
  readonly record: Readonly<Record<string, unknown>>;
}

/** Reads records of one kind in a fixed order. Their fields are chosen one by one: no secret is among them. */
export type ReadArchivePage = (request: ArchivePageRequest) => Promise<readonly ArchivedRecord[]>;

/** invoicecontrol.archive.v1.ArchiveService, for the kinds of one service. */
export function archiveService(kinds: Readonly<Record<string, ReadArchivePage>>): Binding {
  return bind(ArchiveServiceDefinition, {
    async listRecords({ organizationId, kind, pageToken, createdBeforeTime }) {
      const read = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
      if (read === undefined) throw invalidField('kind', `must be one of ${Object.keys(kinds).join(', ')}.`);
      if (createdBeforeTime === undefined) throw invalidField('created_before_time', 'is required.');
      const after = readToken(pageToken);
      const found = await read({
        organizationId,
        after,
        createdBefore: createdBeforeTime,
        recordsMax: ARCHIVE_RECORDS_MAX,
      });
      const recordsJson: string[] = [];
      let length = 0;
      let last: string | undefined;
      for (const { position, record } of found) {
        const json = JSON.stringify(record);
        recordsJson.push(json);
        last = position;
        length += json.length;
        if (length >= PAGE_LENGTH_MAX) break;
      }
      const isLastPage = recordsJson.length === found.length && found.length < ARCHIVE_RECORDS_MAX;
      return { recordsJson, nextPageToken: isLastPage || last === undefined ? '' : writeToken(last) };
    },
  });
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
