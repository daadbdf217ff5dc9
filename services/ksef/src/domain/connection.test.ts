import { expect, test } from 'vitest';
import { connectionId, isNip, maskNip } from './connection.js';

test('a company has one connection for each environment', () => {
  const id = connectionId('o', 'c', 'TEST');
  expect(connectionId('o', 'c', 'TEST')).toBe(id);
  expect(
    new Set([id, connectionId('o', 'c', 'DEMO'), connectionId('o', 'd', 'TEST'), connectionId('p', 'c', 'TEST')]).size,
  ).toBe(4);
});

test('a NIP is shown by its last four digits alone', () => {
  expect(maskNip('5265877635')).toBe('******7635');
});

test.each([
  ['5265877635', true],
  ['0000000000', true],
  ['526587763', false],
  ['52658776350', false],
  ['526-587-76', false],
  ['٥٢٦٥٨٧٧٦٣٥', false],
  ['5265877635\n', false],
  ['', false],
])('%j is ten ASCII digits: %p', (text, isOne) => {
  expect(isNip(text)).toBe(isOne);
});
