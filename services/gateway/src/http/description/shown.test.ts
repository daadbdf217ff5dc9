import { expect, test } from 'vitest';
import { z } from 'zod';
import { exampleOf } from './examples.js';
import * as shown from './shown.js';

interface Pallet {
  readonly palletId: string;
  readonly label?: string | undefined;
  readonly state: string;
  readonly storedTime: Date | undefined;
  readonly weightKg?: number | undefined;
}

const pallet = shown.record<Pallet>()({
  id: shown.id('01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d10', 'The id of the pallet.', 'palletId'),
  label: shown.textOrNull('Fragile', 'Text on the label.'),
  state: shown.word(z.enum(['FULL', 'EMPTY']).describe('Whether anything is on it.'), 'FULL'),
  storedAt: shown.instant('2026-03-14T09:30:00.000Z', 'When it came.', 'storedTime'),
  weightGrams: shown.made(
    z.int().optional().describe('What it weighs.'),
    ({ weightKg }: Pallet) => weightKg && weightKg * 1_000,
    undefined,
  ),
});
const message: Pallet = { palletId: 'p1', state: 'EMPTY', storedTime: new Date('2026-01-02T03:04:05Z') };

const pallets = shown.record<{ readonly newest: Pallet | undefined; readonly all: Pallet[] }>()({
  newest: shown.part(pallet, 'The newest one.'),
  all: shown.list(pallet, 'All of them.'),
});

test('the answer has the fields of the record, in their order, as its schema describes them', () => {
  const answer = pallet.present({ ...message, weightKg: 2 });
  expect(JSON.stringify(answer)).toBe(
    '{"id":"p1","label":null,"state":"EMPTY","storedAt":"2026-01-02T03:04:05.000Z","weightGrams":2000}',
  );
  expect(pallet.schema.parse(answer)).toEqual(answer);
});

test('an optional field without a value is absent from the answer and from the example', () => {
  expect(pallet.present(message)).not.toHaveProperty('weightGrams');
  expect(exampleOf(pallet.schema)).toEqual({
    id: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d10',
    label: 'Fragile',
    state: 'FULL',
    storedAt: '2026-03-14T09:30:00.000Z',
  });
});

test('a message without what its record always has is refused, as is a word that is not published', () => {
  expect(() => pallet.present({ ...message, storedTime: undefined })).toThrow(
    'The stored record from which the response is built lacks a required timestamp.',
  );
  expect(() => pallet.present({ ...message, state: 'toString' })).toThrow('toString is not one of FULL, EMPTY.');
  expect(() => pallets.present({ newest: undefined, all: [] })).toThrow('lacks a required field');
});

test('parts and lists are shown by their own record, and so are their examples', () => {
  const one = pallet.present(message);
  expect(pallets.present({ newest: message, all: [message, message] })).toEqual({ newest: one, all: [one, one] });
  const example = exampleOf(pallet.schema);
  expect(exampleOf(pallets.schema)).toEqual({ newest: example, all: [example] });
});

test('a record that shows more of a message shows the fields of the record in it first', () => {
  const moved = shown.record<{ readonly pallet: Pallet | undefined; readonly from: string }>()({
    ...shown.within('pallet', pallet),
    from: shown.text('A1', 'Where it was.'),
  });
  expect(moved.present({ pallet: message, from: 'B2' })).toEqual({ ...pallet.present(message), from: 'B2' });
});

test('a property that the message lacks, may lack or has as another type does not compile', () => {
  const wrong = shown.record<Pallet>()({
    // @ts-expect-error A pallet has no such property.
    colour: shown.text('red', 'Its colour.'),
    // @ts-expect-error A pallet may be without a label, which is to be answered with null.
    label: shown.text('Fragile', 'Text on the label.'),
    // @ts-expect-error The weight is a number.
    weightKg: shown.textOrNull('12', 'What it weighs.'),
    // @ts-expect-error A pallet has no such property.
    missing: shown.text('red', 'Its colour.', 'colour'),
    // @ts-expect-error A pallet may be without a label, which is to be answered with null.
    optional: shown.text('Fragile', 'Text on the label.', 'label'),
    // @ts-expect-error The weight is a number.
    other: shown.textOrNull('12', 'What it weighs.', 'weightKg'),
  });
  expect(Object.keys(wrong.fields)).toEqual(['colour', 'label', 'weightKg', 'missing', 'optional', 'other']);
});
