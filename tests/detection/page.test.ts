import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sets } from './histories/catalogue.js';
import type { SetName } from './histories/catalogue.js';
import { hasMeasuredFigures, withFigures } from './page.js';
import type { SetFigures } from './page.js';
import { summaryOf } from './summary.js';
import type { Score } from './score.js';

const page = readFileSync(new URL('../../docs/how-well-it-works.md', import.meta.url), 'utf8');

// The page does not have to name the present version of the engine: measuring takes minutes, and most days change a
// rule. It says which version and day its figures are from, and nobody writes them by hand.
const names = (Object.keys(sets) as SetName[]).filter((set) => page.includes(`<!-- figures of ${set},`));

test('the page about how well detection works shows the customers that the rules were not made with', () => {
  expect(names).toContain('worldwide');
});

describe.each(names)('the page about how well detection works, set %s', (set) => {
  test('has the figures that the benchmark wrote', () => {
    expect(hasMeasuredFigures(page, set)).toBe(true);
  });

  test('notices a figure that was changed by hand', () => {
    const changed = page.replaceAll(/\d\.\d \((?=.* %)/g, '9.9 (');
    expect(hasMeasuredFigures(changed, set)).toBe(false);
  });
});

describe('figures on the page', () => {
  const rate = (hits: number, of: number) => ({ hits, of });
  const scoreOf = (found: number): Score => ({
    rows: 500,
    copies: 20,
    mediumPairs: rate(found, found),
    highPairs: rate(found, found),
    recall: rate(found, 20),
    pairRecall: rate(found, 20),
    relatedRecall: rate(12, 12),
    unrelatedRecall: rate(found - 12, 8),
    recallByMutation: new Map([
      ['digit left out', rate(12, 12)],
      ['unrelated: order', rate(found - 12, 8)],
    ]),
    falsePairs: rate(0, 480),
    falseByHardNegative: new Map(),
    notPassedByHardNegative: new Map(),
    notPassed: rate(2, 480),
    plainNotPassed: rate(2, 400),
    blocked: rate(0, 480),
    plainBlocked: rate(0, 400),
    alarms: new Map(),
    hardNegativeAlarms: new Map(),
    stoppedBy: new Map([['AMOUNT_OUTLIER', 2]]),
    anomalies: new Map([['due before its date', rate(4, 4)]]),
    rightByConfidence: new Map([['.90 to .94', rate(found, found + 1)]]),
    examples: [],
  });
  const summary = summaryOf([scoreOf(18), scoreOf(16)]);
  const measured: SetFigures = {
    set: 'worldwide',
    posts: summary,
    scan: summary,
    date: '2026-11-29',
    engineVersion: '1.16.0',
  };
  const written = withFigures(page, measured);

  test('name the day and the version of the engine that were measured', () => {
    expect(written).toContain('Measured on 2026-11-29 with version 1.16.0 of the engine.');
  });

  test('are those of all customers of a set together', () => {
    expect(written).toContain('| invoices | 1,000 | 1,000 |');
    expect(written).toMatch(/recall: invoices entered again that are found \| 85\.0 \(\d+\.\d to \d+\.\d\) % \|/);
    expect(written).toContain('| `AMOUNT_OUTLIER` | 4 | 4 |');
    expect(written).toContain('| order (another number) | 6 | 16 |');
    expect(written).not.toContain('| digit left out |');
    expect(written).toMatch(/\| \.90 to \.94 \| 36 \| 94\.4 /);
  });

  test('replace those of an earlier day and leave the text around them', () => {
    expect(hasMeasuredFigures(written, 'worldwide')).toBe(true);
    expect(withFigures(written, { ...measured, date: '2026-12-01' })).toBe(
      withFigures(page, { ...measured, date: '2026-12-01' }),
    );
    expect(written.split('\n').slice(0, 10)).toEqual(page.split('\n').slice(0, 10));
  });

  test('have no place on another page', () => {
    expect(() => withFigures('# Another page\n', measured)).toThrow('no place for the figures of worldwide');
  });
});
