import { expect, test } from 'vitest';
import { fillMarks } from './fill-marks.js';

const page = ['before', '<!-- routes: begin. Generated. -->', 'old', '<!-- routes: end -->', 'after', ''].join('\n');

test('replaces the text between the marks and keeps every other line', () => {
  expect(fillMarks(page, 'routes', 'new\n')).toBe(page.replace('old', 'new'));
});

test('filled twice with the same text is filled once', () => {
  const filled = fillMarks(page, 'routes', 'new\n');
  expect(fillMarks(filled, 'routes', 'new\n')).toBe(filled);
});

test('takes generated text as it is, also where it has a dollar sign', () => {
  expect(fillMarks(page, 'routes', 'costs $1\n')).toContain('\ncosts $1\n');
});

test('refuses a file that has lost its marks', () => {
  expect(() => fillMarks(page, 'events', '')).toThrow('The marks around the part "events" are missing.');
});
