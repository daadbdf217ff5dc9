import { expect, test } from 'vitest';
import { enumName, optionalEnumName } from './enum-name.js';
import { Severity } from './gen/invoicecontrol/analysis/v1/invoice.js';

test.each(['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const)('%s keeps its name', (name) => {
  expect(enumName(Severity, Severity[name])).toBe(name);
  expect(optionalEnumName(Severity, Severity[name])).toBe(name);
});

test.each([Severity.UNSPECIFIED, Severity.UNRECOGNIZED, 99 as Severity])('%d has no name', (value) => {
  expect(optionalEnumName(Severity, value)).toBeUndefined();
  expect(() => enumName(Severity, value)).toThrow(
    new TypeError(`${value} is not one of INFO, LOW, MEDIUM, HIGH, CRITICAL.`),
  );
});
