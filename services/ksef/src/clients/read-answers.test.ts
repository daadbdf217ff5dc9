import { expect, test } from 'vitest';
import { exportStatusAnswer } from './read-answers.js';

const status = { code: 200, description: 'Eksport faktur zakończony sukcesem' };
const hash = `${'a'.repeat(43)}=`;
const part = {
  ordinalNumber: 1,
  partName: 'part-1',
  method: 'GET',
  url: 'https://ksef.example/storage/1?sig=a',
  partSize: 100,
  partHash: hash,
  encryptedPartSize: 112,
  encryptedPartHash: hash,
  expirationDate: '2026-11-20T11:00:00.1234567+00:00',
};
const made = { invoiceCount: 1, size: 100, parts: [part], isTruncated: false };

test('a finished export keeps the times of KSeF in all their digits', () => {
  const highWater = '2026-11-20T09:55:00.7654321+00:00';
  const read = exportStatusAnswer.parse({ status, package: { ...made, permanentStorageHwmDate: highWater } });
  expect(read.package).toEqual({
    parts: [{ ordinalNumber: 1, url: part.url, size: 100, hash, encryptedSize: 112, encryptedHash: hash }],
    isTruncated: false,
    lastStoredAt: undefined,
    highWaterMark: highWater,
  });
});

test('an export that is in progress, or that found nothing, has no package', () => {
  for (const code of [100, 420]) {
    const read = exportStatusAnswer.parse({ status: { code, description: 'x', details: null }, package: null });
    expect([read.status.code, read.package]).toEqual([code, undefined]);
  }
  const empty = { ...made, invoiceCount: 0, size: 0, parts: [] };
  expect(exportStatusAnswer.parse({ status, package: empty }).package?.parts).toEqual([]);
});

test.each([
  ['a finished export without a package', { status }],
  ['a truncated package that does not say where it ends', { status, package: { ...made, isTruncated: true } }],
  ['a part that is not fetched with GET', { status, package: { ...made, parts: [{ ...part, method: 'POST' }] } }],
  ['a part without a hash', { status, package: { ...made, parts: [{ ...part, partHash: 'x' }] } }],
  ['a time that is none', { status, package: { ...made, permanentStorageHwmDate: 'yesterday' } }],
])('%s is not read', (_, answer) => {
  expect(exportStatusAnswer.safeParse(answer).success).toBe(false);
});
