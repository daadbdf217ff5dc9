import { describe, expect, test } from 'vitest';
import { uploadBytesMax } from '@invoicecontrol/values/upload-type';
import { requireFittingHeader, requireReservable, requireReservedType } from './upload.js';

const pdf = { mediaType: 'application/pdf', byteSize: 1_000 };
const fitting = { mediaType: 'application/pdf', declaredBytes: 1_000, hasContentEncoding: false };

describe('a reservation', () => {
  test.each(Object.entries(uploadBytesMax))('of %s takes up to %i bytes and no more', (mediaType, bytesMax) => {
    requireReservable({ mediaType, byteSize: 1 });
    requireReservable({ mediaType, byteSize: bytesMax });
    for (const byteSize of [bytesMax + 1, 0, -1, 1.5, Number.NaN]) {
      expect(() => requireReservable({ mediaType, byteSize })).toThrow(
        expect.objectContaining({ kind: 'invalid', publicMessage: expect.stringContaining(String(bytesMax)) }),
      );
    }
  });

  test.each(['application/PDF', 'application/pdf; charset=utf-8', 'image/gif', 'text/html', '', 'constructor'])(
    'of "%s" is refused',
    (mediaType) => {
      expect(() => requireReservable({ mediaType, byteSize: 1 })).toThrow(/mediaType: Must be one of application\/pdf/);
    },
  );
});

describe('the header of a PUT', () => {
  test('fits with the reserved size, or without one', () => {
    expect(() => requireFittingHeader(pdf, fitting)).not.toThrow();
    expect(() => requireFittingHeader(pdf, { ...fitting, declaredBytes: undefined })).not.toThrow();
  });

  test.each([
    ['a content encoding', { hasContentEncoding: true, declaredBytes: 2_000 }, 'unsupported_media_type'],
    ['another type', { mediaType: 'image/png', declaredBytes: 2_000 }, 'unsupported_media_type'],
    ['no type', { mediaType: undefined }, 'unsupported_media_type'],
    ['one byte too many', { declaredBytes: 1_001 }, 'too_large'],
    ['one byte too few', { declaredBytes: 999 }, 'invalid'],
  ])('with %s is refused', (_, changes, kind) => {
    expect(() => requireFittingHeader(pdf, { ...fitting, ...changes })).toThrow(expect.objectContaining({ kind }));
  });
});

describe('the bytes', () => {
  test('are what was reserved; both names of XML are one type', () => {
    expect(requireReservedType(pdf, 'application/pdf')).toBe('application/pdf');
    for (const mediaType of ['text/xml', 'application/xml']) {
      expect(requireReservedType({ mediaType, byteSize: 1 }, 'application/xml')).toBe('application/xml');
    }
  });

  test.each([undefined, 'application/xml'])('that are %s are refused where a PDF was reserved', (sniffed) => {
    expect(() => requireReservedType(pdf, sniffed)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});
