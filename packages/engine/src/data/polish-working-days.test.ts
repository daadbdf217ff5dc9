import { expect, test } from 'vitest';
import { addPolishWorkingDays } from './polish-working-days.js';

test.each([
  ['a day within a week', '2026-05-11', '2026-05-13'],
  ['a Friday', '2026-05-15', '2026-05-19'],
  ['a Sunday', '2026-05-17', '2026-05-19'],
  ['Maundy Thursday: Easter Monday is free', '2026-04-02', '2026-04-07'],
  ['the day before Corpus Christi', '2026-06-03', '2026-06-08'],
  ['the eve of 1 and 3 May', '2026-04-30', '2026-05-05'],
  ['15 August on a Saturday', '2026-08-14', '2026-08-18'],
  ['11 November', '2026-11-10', '2026-11-13'],
  ['Christmas Eve, which is free since 2025', '2026-12-23', '2026-12-29'],
  ['the end of a year', '2026-12-31', '2027-01-05'],
  ['Epiphany', '2027-01-05', '2027-01-08'],
])('two working days in Poland after %s', (_, from, to) => {
  expect(addPolishWorkingDays(from, 2)).toBe(to);
});

test.each([
  ['2027-03-26', '2027-03-30'],
  ['2028-04-14', '2028-04-18'],
  ['2030-04-19', '2030-04-23'],
  ['2038-04-23', '2038-04-27'],
])('Easter Monday is found in other years: the working day after Good Friday %s', (from, to) => {
  expect(addPolishWorkingDays(from, 1)).toBe(to);
});
