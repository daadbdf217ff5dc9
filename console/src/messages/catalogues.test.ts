import { describe, expect, test } from 'vitest';
import { de } from './de.js';
import { en } from './en.js';
import { pl } from './pl.js';
import { catalogue as runs } from '../pages/payment-runs/texts.js';

/** Returns the paths of all texts of a catalogue. The compiler checks those with fixed names only. */
function paths(texts: object, parent = ''): readonly string[] {
  return Object.entries(texts).flatMap(([name, text]: [string, unknown]) =>
    typeof text === 'object' && text !== null ? paths(text, `${parent}${name}.`) : [`${parent}${name}`],
  );
}

/** Returns the texts of a catalogue by path. Functions are called with values that every text must show. */
function shown(texts: object, parent = ''): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, text]: [string, unknown]): (readonly [string, string])[] => {
      if (typeof text === 'string') return [[`${parent}${name}`, text]];
      if (typeof text === 'object' && text !== null) return [...shown(text, `${parent}${name}.`)];
      const write = text as (...values: readonly string[]) => string;
      const values = Array.from({ length: write.length }, (_, index) => `${index + 7}`);
      return [[`${parent}${name}`, write(...values)]];
    }),
  );
}

interface Part {
  readonly catalogue: Readonly<Record<'en' | 'de' | 'pl', object>>;
}

/** The texts of some pages lie beside the pages, in all languages. */
const parts = Object.entries(import.meta.glob<Part>('../{pages/*,findings}/texts.ts', { eager: true }));
const catalogues: readonly (readonly [string, object, object])[] = [
  ['the app in German', de, en],
  ['the app in Polish', pl, en],
  ...parts.flatMap(([path, { catalogue }]): [string, object, object][] => [
    [`${path} in German`, catalogue.de, catalogue.en],
    [`${path} in Polish`, catalogue.pl, catalogue.en],
  ]),
];

describe.each(catalogues)('the catalogue of %s', (_, catalogue, english) => {
  test('has exactly the texts of the English one', () => {
    expect(paths(catalogue).toSorted()).toEqual(paths(english).toSorted());
  });

  test('shows in each text the values that the English text shows', () => {
    const texts = shown(english);
    for (const [path, text] of shown(catalogue)) {
      const values = (of: string) => [...(of.match(/\d+/g) ?? [])].toSorted();
      expect({ path, values: values(text) }).toEqual({ path, values: values(texts.get(path) ?? '') });
    }
  });

  test('has no empty text', () => {
    for (const [path, text] of shown(catalogue))
      expect({ path, isEmpty: text.trim() === '' }).toEqual({ path, isEmpty: false });
  });
});

test('a count of payments has the forms of each language', () => {
  expect([1, 2, 5, 12_000].map(runs.de.run.count)).toEqual([
    '1 Zahlung',
    '2 Zahlungen',
    '5 Zahlungen',
    '12.000 Zahlungen',
  ]);
  expect([1, 2, 5].map(runs.pl.run.count)).toEqual(['1 płatność', '2 płatności', '5 płatności']);
});
