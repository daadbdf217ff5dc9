import { describe, expect, test } from 'vitest';
import {
  checkDirectory,
  checkParts,
  encryptedSizeOf,
  INVOICE_BYTES_MAX,
  INVOICES_MAX,
  matchFiles,
  METADATA_BYTES_MAX,
  METADATA_NAME,
  PACKAGE_BYTES_MAX,
  PARTS_MAX,
  RATIO_MAX,
  UNPACKED_BYTES_MAX,
} from './export-package.js';
import type { PackedFile } from './export-package.js';
import { crc8 } from '@invoicecontrol/values/ksef-number';

const HASH = `${'a'.repeat(43)}=`;
const numberOf = (index: number): string => {
  const stem = `5265877635-20261120-${index.toString(16).toUpperCase().padStart(12, '0')}`;
  return `${stem}-${crc8(stem)}`;
};
const file = (name: string, bytes = 100, packedBytes = bytes): PackedFile => ({ name, bytes, packedBytes });
const list = file(METADATA_NAME);
const part = (ordinalNumber: number, size = 100) => ({
  ordinalNumber,
  url: 'https://ksef.example/part',
  size,
  hash: HASH,
  encryptedSize: encryptedSizeOf(size),
  encryptedHash: HASH,
});

describe('the parts of a package', () => {
  test('are put in their order', () => {
    expect(checkParts([part(2), part(1)]).map(({ ordinalNumber }) => ordinalNumber)).toEqual([1, 2]);
  });

  test('are refused when one is missing, twice there, or has sizes that contradict each other', () => {
    expect(() => checkParts([part(1), part(3)])).toThrow(/numbered/);
    expect(() => checkParts([part(1), part(1)])).toThrow(/numbered/);
    expect(() => checkParts([{ ...part(1), encryptedSize: 100 }])).toThrow(/contradict/);
  });

  test('have bounds on their number and on their bytes', () => {
    const parts = (length: number) => Array.from({ length }, (_, index) => part(index + 1));
    expect(checkParts(parts(PARTS_MAX))).toHaveLength(PARTS_MAX);
    expect(() => checkParts(parts(PARTS_MAX + 1))).toThrow(/101 parts/);
    expect(checkParts([part(1, PACKAGE_BYTES_MAX - 1), part(2, 1)])).toHaveLength(2);
    expect(() => checkParts([part(1, PACKAGE_BYTES_MAX), part(2, 1)])).toThrow(/the maximum is/);
  });
});

describe('the directory of a package', () => {
  test('has bounds on its files, on their bytes and on their ratio to the package', () => {
    const files = (length: number) => [list, ...Array.from({ length }, (_, index) => file(String(index), 1))];
    expect(checkDirectory(files(INVOICES_MAX), 100)).toBe(list);
    expect(() => checkDirectory(files(INVOICES_MAX + 1), 100)).toThrow(/files; the maximum is/);
    const whole = UNPACKED_BYTES_MAX - list.bytes;
    expect(checkDirectory([list, file('a', whole)], PACKAGE_BYTES_MAX)).toBe(list);
    expect(() => checkDirectory([list, file('a', whole + 1)], PACKAGE_BYTES_MAX)).toThrow(/the maximum is/);
    const packageBytes = 10_000;
    const most = packageBytes * RATIO_MAX - list.bytes;
    expect(checkDirectory([list, file('a', most)], packageBytes)).toBe(list);
    expect(() => checkDirectory([list, file('a', most + 1)], packageBytes)).toThrow(/times as large/);
  });

  test('has a list of invoices of a bounded size', () => {
    expect(() => checkDirectory([file('a')], 100)).toThrow(/has no _metadata.json/);
    expect(checkDirectory([file(METADATA_NAME, METADATA_BYTES_MAX)], METADATA_BYTES_MAX)).toBeDefined();
    const large = [file(METADATA_NAME, METADATA_BYTES_MAX + 1)];
    expect(() => checkDirectory(large, METADATA_BYTES_MAX)).toThrow(/_metadata.json has/);
  });
});

describe('the files of a package', () => {
  const listed = (...indexes: readonly number[]) =>
    indexes.map((index) => ({ ksefNumber: numberOf(index), invoiceHash: HASH }));
  const named = (index: number, bytes?: number) => file(`${numberOf(index)}.xml`, bytes);

  test('are received in the order of the list, each once', () => {
    const { expected, refused } = matchFiles([named(1), list, named(2)], listed(2, 1, 2));
    expect(expected.map(({ ksefNumber }) => ksefNumber)).toEqual([numberOf(2), numberOf(1)]);
    expect(refused).toEqual([]);
  });

  test('are refused where the list does not name them, and the other way round', () => {
    const { expected, refused } = matchFiles([named(1), named(2), list], listed(1, 3));
    expect(expected.map(({ ksefNumber }) => ksefNumber)).toEqual([numberOf(1)]);
    expect(refused).toEqual([
      { ksefNumber: numberOf(2), reason: expect.stringContaining('does not name the invoice') },
      { ksefNumber: numberOf(3), reason: expect.stringContaining('no file for it'), invoiceHash: HASH },
    ]);
  });

  test.each([
    '../../etc/passwd',
    '/etc/passwd',
    `a/${numberOf(1)}.xml`,
    `${numberOf(1)}.XML`,
    `${numberOf(1)}.xml/`,
    `${numberOf(1).slice(0, -2)}00.xml`,
    'C:\\windows.xml',
    `${'9'.repeat(5_000)}.xml`,
    '',
  ])('with the name %s are refused, and the name is shown without what could harm', (name) => {
    const { expected, refused } = matchFiles([file(name), list], []);
    expect([expected, refused]).toEqual([
      [],
      [{ ksefNumber: expect.stringMatching(/^[\w.?-]{0,80}$/), reason: expect.any(String) }],
    ]);
  });

  test('are refused when the package has them twice, or when they are too large', () => {
    const twice = matchFiles([named(1), named(1), list], listed(1));
    expect([twice.expected.length, twice.refused.length]).toEqual([1, 1]);
    expect(matchFiles([named(1, INVOICE_BYTES_MAX), list], listed(1)).refused).toEqual([]);
    const large = matchFiles([named(1, INVOICE_BYTES_MAX + 1), list], listed(1));
    expect([large.expected, large.refused.map(({ reason }) => reason)]).toEqual([
      [],
      [expect.stringContaining('the maximum is 10485760')],
    ]);
  });

  test('are refused together where the list names too many', () => {
    const many = (length: number) =>
      Array.from({ length }, (_, index) => ({ ksefNumber: String(index), invoiceHash: HASH }));
    expect(matchFiles([list], many(INVOICES_MAX)).refused).toHaveLength(INVOICES_MAX);
    expect(() => matchFiles([list], many(INVOICES_MAX + 1))).toThrow(/lists 10101 invoices/);
  });
});
