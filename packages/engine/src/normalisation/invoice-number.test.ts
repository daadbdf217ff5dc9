import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { readInvoiceNumber } from './invoice-number.js';

describe('the forms of an invoice number', () => {
  test.each([
    ['INV-01042', '1042', '1042', '1042', undefined],
    ['inv 1042', '1042', '1042', '1042', undefined],
    ['Invoice No. 1042', '1042', '1042', '1042', undefined],
    ['FV/0012/03/2025', '12032025', '12.3.2025', '12.3.2025', undefined],
    ['RE2025O118', '2025O118', '2025O118', '20250118', undefined],
    ['INV-1042A', '1042A', '1042A', '1042A', '1042'],
    ['INV-1042/2', '10422', '1042.2', '1042.2', '1042'],
    ['1042 (2)', '10422', '1042.2', '1042.2', '1042'],
    ['F24/00385', 'F2400385', 'F24385', 'F24385', undefined],
  ])('%s', (printed, f1, f2, o2, base) => {
    expect(readInvoiceNumber(printed)).toMatchObject({ f1, f2, o2 });
    expect(readInvoiceNumber(printed).base).toBe(base);
  });

  test('digit parts that were separated do not run together', () => {
    expect(readInvoiceNumber('2025-01-2').f2).toBe('2025.1.2');
    expect(readInvoiceNumber('2025-12').f2).toBe('2025.12');
  });

  test.each([
    ['ΒΧ-1042', 'BX1042'],
    ['βX-1042', 'BX1042'],
    ['АВ 1042', 'AB1042'],
    ['АB 1042', 'AB1042'],
    ['Счёт 1042', 'SCHET1042'],
    ['ᎪᏴᏟ-1042', 'ABC1042'],
    ['ꓮꓐC-1042', 'ABC1042'],
    ['ՏA-1Օ42', 'SA1O42'],
    ['ＡＢ－１０４２', 'AB1042'],
    ['𝐀𝐁-𝟏𝟎𝟒𝟐', 'AB1042'],
    ['A\u200bB\u00ad-10\u206042', 'AB1042'],
    ['A\u0301B-1\u03350\u033642', 'AB1042'],
    ['AB-1042\u{e0041}', 'AB1042'],
    ['\u200b'.repeat(250) + 'AB-1042', 'AB1042'],
    ['AB-10З2', 'AB1032'],
    ['AB-10б2', 'AB1062'],
    ['AB-1０４2', 'AB1042'],
  ])('%s, of letters that only look Latin, is read as it looks', (printed, f1) => {
    expect(readInvoiceNumber(printed).f1).toBe(f1);
  });

  test('each step of a number that changes letter by letter is the same number', () => {
    const steps = ['ABX-1042', 'АBX-1042', 'АВX-1042', 'АВХ-1042', 'ΑВХ-1042', 'ΑΒΧ-1042', 'ＡΒΧ-1042', 'ＡΒΧ-１042'];
    expect(new Set(steps.map((printed) => readInvoiceNumber(printed).raw0))).toEqual(new Set(['ABX1042']));
  });

  test('a label stays when it is the whole number', () => {
    expect(readInvoiceNumber('INVOICE').f1).toBe('INVOICE');
    expect(readInvoiceNumber('FV12').f1).toBe('12');
  });
});

describe('a trailing mark of a copy or part', () => {
  test.each([
    ['INV-1042 COPY', '1042'],
    ['INV-1042-KOPIA', '1042'],
    ['1042 V2', '1042'],
    ['1042R1', '1042'],
    ['1042REV', '1042'],
    ['2024/1042-3', '20241042'],
    ['123B', '123'],
  ])('%s is cut to %s', (printed, base) => {
    expect(readInvoiceNumber(printed).base).toBe(base);
  });
  test.each(['2025-1', '12A', '104-2', '1042', 'A', '2025 O118'])('%s has none', (printed) => {
    expect(readInvoiceNumber(printed).base).toBeUndefined();
  });
});

test('runs and signature keep the structure of the number', () => {
  expect(readInvoiceNumber('FV/19/09/2024').runs).toEqual(['19', '09', '2024']);
  expect(readInvoiceNumber('FV/19/09/2024').signature).toBe('A/9/9/9');
  expect(readInvoiceNumber('AB12C').runs).toEqual(['AB', '12', 'C']);
});

test('separators, case and leading zeros never change the folded form', () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{3,9}$/);
  fc.assert(
    fc.property(digits, fc.constantFrom('INV-', 'inv ', 'Faktura nr. ', 'RE', '#', '00'), (number, prefix) => {
      expect(readInvoiceNumber(prefix + number).o1).toBe(readInvoiceNumber(number).o1);
    }),
  );
});

test('no text makes the reader throw, and forms hold letters, digits and dots only', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (printed) => {
      const number = readInvoiceNumber(printed);
      for (const form of [number.raw0, number.f1, number.f2, number.o1, number.o2])
        expect(form).toMatch(/^[A-Z0-9.]*$/);
    }),
  );
});
