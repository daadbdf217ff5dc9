import { createDecipheriv } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSessionKey, encryptDocument, sha256 } from './encryption.js';

test.each([0, 1, 15, 16, 17, 4_095])(
  'a document of %d bytes is decrypted to the same bytes, and its facts are of them',
  (bytes) => {
    const key = createSessionKey();
    const document = Buffer.alloc(bytes, 7);
    const sent = encryptDocument(key, document);
    const decipher = createDecipheriv('aes-256-cbc', key.key, key.iv);
    expect(Buffer.concat([decipher.update(sent.content), decipher.final()])).toEqual(document);
    expect(sent).toMatchObject({
      invoiceHash: sha256(document),
      invoiceSize: bytes,
      encryptedInvoiceHash: sha256(sent.content),
      encryptedInvoiceSize: (Math.floor(bytes / 16) + 1) * 16,
    });
    expect(sent.invoiceHash).toHaveLength(44);
  },
);

test.each([
  [31, 16],
  [33, 16],
  [32, 15],
  [32, 17],
])('a key of %d bytes with a vector of %d is refused', (key, iv) => {
  expect(() => encryptDocument({ key: Buffer.alloc(key), iv: Buffer.alloc(iv) }, Buffer.alloc(1))).toThrow(RangeError);
});
