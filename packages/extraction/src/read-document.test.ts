import { expect, test } from 'vitest';
import { readDocument } from './read-document.js';

test('reads XML', async () => {
  const outcome = await readDocument(Buffer.from('<note/>'), { mediaType: 'application/xml', companies: [] });
  expect(outcome).toMatchObject({
    failure: { reason: 'UNSUPPORTED_FORMAT', message: expect.stringContaining('note') },
  });
});
