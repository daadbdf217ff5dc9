import { expect, test } from 'vitest';
import { gravestFailure, type FailedRule } from './validation.js';

function failed(id: string, flag: FailedRule['flag'] = 'FATAL'): FailedRule {
  return { id, flag, message: '', location: '/', expected: null, actual: null };
}

test.each([
  [[], null],
  [[failed('BR-DE-17', 'WARNING'), failed('BR-DE-TMP-32', 'INFORMATION')], 'WARNING'],
  [[failed('BR-DE-17', 'WARNING'), failed('BR-02')], 'FATAL'],
  [[failed('BR-CO-18')], 'FATAL'],
  [[failed('BR-S-10')], 'FATAL'],
  [[failed('BR-02'), failed('BR-CO-10')], 'ARITHMETIC'],
  [[failed('BR-CO-17')], 'ARITHMETIC'],
  [[failed('BR-IC-08')], 'ARITHMETIC'],
  [[failed('BR-S-09')], 'ARITHMETIC'],
])('the gravest of %j is %s', (rules, gravest) => {
  expect(gravestFailure(rules)).toBe(gravest);
});
