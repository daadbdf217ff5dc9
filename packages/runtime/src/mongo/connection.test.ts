import { describe, expect, test } from 'vitest';
import { MongoClient, MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb';
import { isMongoUnavailable } from './connection.js';

describe('an unavailable database', () => {
  test.each([new MongoNetworkError('gone'), new MongoNetworkTimeoutError('late')])('is recognised by %p', (error) => {
    expect(isMongoUnavailable(error)).toBe(true);
  });

  test('is recognised when a server steps down and the driver has tried twice', () => {
    const labels = { code: 189, errorLabels: ['RetryableWriteError'] };
    expect(isMongoUnavailable(new MongoServerError({ message: 'PrimarySteppedDown', ...labels }))).toBe(true);
  });

  test('is recognised by the error of each command that finds no server', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 50 });
    const things = client.db('nowhere').collection('things');
    const errors = await Promise.allSettled([client.connect(), things.findOne({}), things.insertMany([{}, {}])]);
    await client.close();
    for (const error of errors) expect(error.status === 'rejected' && isMongoUnavailable(error.reason)).toBe(true);
  });

  test.each([new MongoServerError({ message: 'E11000 duplicate key', code: 11000 }), new TypeError('x'), undefined])(
    'is not told by %p',
    (error) => {
      expect(isMongoUnavailable(error)).toBe(false);
    },
  );
});
