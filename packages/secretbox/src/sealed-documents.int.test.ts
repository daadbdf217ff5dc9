import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Collection } from 'mongodb';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { sealedDocuments } from './sealed-documents.js';
import { sealedField } from './sealed-field.js';
import type { SealedValue } from './sealed-value.js';
import { secretbox } from './secretbox.js';

interface RecordDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly token?: SealedValue;
  readonly secrets: readonly (SealedValue & { readonly id: string; readonly label: string })[];
  readonly state: { readonly sessions: readonly { readonly name: string; readonly key?: SealedValue }[] };
}

const organizationId = 'org-1';
const key = (id: string) => ({ id, bytes: randomBytes(32) });
const [k1, k2, k3] = [key('k1'), key('k2'), key('k3')];
const [oldBox, box] = [secretbox([k1]), secretbox([k2, k1])];
const place = (recordId: string, field: string) => ({ organizationId, collection: 'records', recordId, field });
const sealedBy = (keyId: string, sealed: string): SealedValue => ({ sealed, keyId });

let mongo: MongoConnection;
let collection: Collection<RecordDocument>;
beforeAll(async () => {
  const databaseName = testDatabaseName();
  mongo = await connectMongo({ url: testInfrastructure().mongodbUrl, databaseName, appName: 'test' });
  collection = mongo.db.collection<RecordDocument>('records');
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(async () => {
  await collection.deleteMany({});
  await collection.insertMany([
    {
      _id: 'one',
      organizationId,
      version: 1,
      token: sealedBy('k1', oldBox.seal('a token', place('one', 'token'))),
      secrets: [
        { id: 's2', label: 'newer', ...sealedBy('k2', box.seal('newer', place('s2', 'sealed'))) },
        { id: 's1', label: 'older', ...sealedBy('k1', oldBox.seal('older', place('s1', 'sealed'))) },
      ],
      state: {
        sessions: [
          { name: 'closed' },
          { name: 'open', key: sealedBy('k1', oldBox.seal('a key', place('one', 'sessionKey'))) },
        ],
      },
    },
    { _id: 'none', organizationId, version: 1, secrets: [], state: { sessions: [{ name: 'closed' }] } },
  ]);
});

const fieldsOf = (of: typeof box) => ({
  token: sealedField(of, 'records', 'token'),
  'secrets[]': sealedField(of, 'records', 'sealed'),
  'state.sessions[].key': sealedField(of, 'records', 'sessionKey'),
});
const documents = () => sealedDocuments(collection, fieldsOf(box));

test('values at every kind of path move to the newest key, and nothing else of the document changes', async () => {
  const before = await collection.findOne({ _id: 'one' });
  expect(await documents().countSealedWith('k1')).toBe(1);
  expect(await documents().rewrap('k1', 10)).toBe(1);
  expect(await documents().countSealedWith('k1')).toBe(0);
  const after = await collection.findOne({ _id: 'one' });
  const newest = secretbox([k2]);
  expect(newest.open(after?.token?.sealed ?? '', place('one', 'token'))).toBe('a token');
  expect(newest.open(after?.secrets[1]?.sealed ?? '', place('s1', 'sealed'))).toBe('older');
  expect(newest.open(after?.state.sessions[1]?.key?.sealed ?? '', place('one', 'sessionKey'))).toBe('a key');
  expect(after?.secrets[0]).toEqual(before?.secrets[0]);
  const rewrapped = { sealed: expect.any(String) as string, keyId: 'k2' };
  expect(after).toEqual({
    ...before,
    token: rewrapped,
    secrets: [before?.secrets[0], { id: 's1', label: 'older', ...rewrapped }],
    state: { sessions: [{ name: 'closed' }, { name: 'open', key: rewrapped }] },
  });
});

test('a document counts as unopenable when any one of its values has a key outside the ring', async () => {
  expect(await documents().countSealedWithOthers(['k2', 'k1'])).toBe(0);
  expect(await documents().countSealedWithOthers(['k2'])).toBe(1);
  expect(new Set(await documents().keyIds(['k2']))).toEqual(new Set(['k1', 'k2']));
  const foreign = { id: 's0', label: 'foreign', ...sealedBy('k3', secretbox([k3]).seal('x', place('s0', 'sealed'))) };
  await collection.updateOne({ _id: 'none' }, { $push: { secrets: foreign } });
  await documents().rewrap('k1', 10);
  expect(await documents().countSealedWithOthers(['k2', 'k1'])).toBe(1);
  expect(await documents().keyIds(['k2', 'k1'])).toEqual(['k3']);
});

test('a value that was replaced since it was read stays', async () => {
  const replaced = sealedBy('k2', box.seal('a newer token', place('one', 'token')));
  const changes = {
    find: collection.find.bind(collection),
    async updateOne(...update: Parameters<typeof collection.updateOne>) {
      await collection.updateOne({ _id: 'one' }, { $set: { token: replaced } });
      return collection.updateOne(...update);
    },
  };
  const racing = sealedDocuments(changes as unknown as typeof collection, { token: fieldsOf(box).token });
  await racing.rewrap('k1', 10);
  expect((await collection.findOne({ _id: 'one' }))?.token).toEqual(replaced);
});
