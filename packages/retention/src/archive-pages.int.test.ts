import { afterAll, beforeAll, expect, test } from 'vitest';
import { ArchiveServiceDefinition } from '@invoicecontrol/contracts/archive/v1/archive_service';
import type { ListRecordsResponse } from '@invoicecontrol/contracts/archive/v1/archive_service';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { archiveService } from './archive-service.js';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { GrpcServer } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { newestRecords, recordsById } from './archive-pages.js';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { openTestChannel, testIdentity } from '@invoicecontrol/runtime/testing/test-identities';

interface Noted {
  readonly _id: string;
  readonly organizationId: string;
  readonly createdAt: Date;
  readonly text: string;
  readonly secret: string;
}

const RECORDS_MAX = 500;
const begunAt = new Date('2026-03-01T12:00:00Z');
let mongo: MongoConnection;
let server: GrpcServer;
let channel: Channel;

beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
  const notes = mongo.db.collection<Noted>('notes');
  const toRecord = ({ _id: id, text }: Noted) => ({ id, text });
  server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('documents'),
    logger: createLogger({ service: 'test', level: 'silent' }),
    bindings: [archiveService({ newest: newestRecords(notes, toRecord), by_id: recordsById(notes, toRecord) })],
  });
  channel = openTestChannel('documents', server.address);
});
afterAll(async () => {
  channel.close();
  await server.stop(1_000);
  await mongo.db.dropDatabase();
  await mongo.close();
});

async function store(organizationId: string, count: number, textLength = 1): Promise<void> {
  await mongo.db.collection<Noted>('notes').insertMany(
    Array.from({ length: count }, (_, index) => ({
      _id: `00000000-0000-7000-8000-${organizationId}${String(index).padStart(10, '0')}`,
      organizationId,
      // Several records of this test share one creation time, so that only their ids distinguish them.
      createdAt: new Date(begunAt.getTime() - 1 - Math.floor(index / 7)),
      text: 'x'.repeat(textLength),
      secret: 'never shown',
    })),
  );
}
const list = (organizationId: string, kind: string, pageToken = ''): Promise<ListRecordsResponse> =>
  client(ArchiveServiceDefinition, channel).listRecords(
    { organizationId, kind, pageToken, createdBeforeTime: begunAt },
    { context: systemContext('test') },
  );
async function pagesOf(organizationId: string, kind: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let pageToken = ''; ;) {
    const { recordsJson, nextPageToken } = await list(organizationId, kind, pageToken);
    pages.push(recordsJson);
    if (nextPageToken === '') return pages;
    pageToken = nextPageToken;
  }
}

test.each(['newest', 'by_id'])('lists every record once, in pages of at most 500, by %s', async (kind) => {
  const organizationId = kind === 'newest' ? 'aa' : 'bb';
  await store(organizationId, RECORDS_MAX + 1);
  await store(kind === 'newest' ? 'ab' : 'bc', 1);
  const pages = await pagesOf(organizationId, kind);
  expect(pages.map((records) => records.length)).toEqual([RECORDS_MAX, 1]);
  const ids = pages.flat().map((json) => (JSON.parse(json) as { id: string }).id);
  expect(new Set(ids).size).toBe(RECORDS_MAX + 1);
  expect(ids.every((id) => id.includes(`-${organizationId}`))).toBe(true);
  expect(pages.flat().join('')).not.toContain('never shown');
});

test('reads no more large records at once than a page takes', async () => {
  await store('ee', 40, 200_000);
  const asked: number[] = [];
  const notes = mongo.db.collection<Noted>('notes');
  const read = recordsById(notes, ({ _id: id, text }) => ({ id, text }));
  const counting = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('documents'),
    logger: createLogger({ service: 'test', level: 'silent' }),
    bindings: [
      archiveService({
        by_id: (request) => {
          asked.push(request.recordsMax);
          return read(request);
        },
      }),
    ],
  });
  const own = openTestChannel('documents', counting.address);
  try {
    const ids: string[] = [];
    for (let pageToken = '', isFirst = true; isFirst || pageToken !== ''; isFirst = false) {
      const { recordsJson, nextPageToken } = await client(ArchiveServiceDefinition, own).listRecords(
        { organizationId: 'ee', kind: 'by_id', pageToken, createdBeforeTime: begunAt },
        { context: systemContext('test') },
      );
      ids.push(...recordsJson.map((json) => (JSON.parse(json) as { id: string }).id));
      pageToken = nextPageToken;
    }
    expect(new Set(ids).size).toBe(40);
    expect(ids).toHaveLength(40);
    expect(Math.max(...asked)).toBe(8);
  } finally {
    own.close();
    await counting.stop(1_000);
  }
});

test('ends a page after 1 MiB', async () => {
  await store('cc', 5, 400_000);
  const pages = await pagesOf('cc', 'by_id');
  expect(pages.map((records) => records.length)).toEqual([3, 2]);
});

test('leaves out what was created when the archive had begun', async () => {
  await mongo.db.collection<Noted>('notes').insertMany(
    [-1, 0].map((ms) => ({
      _id: `00000000-0000-7000-8000-dd000000000${ms + 1}`,
      organizationId: 'dd',
      createdAt: new Date(begunAt.getTime() + ms),
      text: String(ms),
      secret: '',
    })),
  );
  expect((await pagesOf('dd', 'newest')).flat().map((json) => (JSON.parse(json) as { text: string }).text)).toEqual([
    '-1',
  ]);
});

test('refuses a kind that is not there and a token that no page gave', async () => {
  await expect(list('aa', 'other')).rejects.toMatchObject({ kind: 'invalid', details: [{ path: 'kind' }] });
  await expect(list('aa', 'newest', 'bm8gdG9rZW4')).rejects.toMatchObject({ kind: 'invalid' });
  await expect(list('aa', 'newest', '%%')).rejects.toMatchObject({ kind: 'invalid' });
});
