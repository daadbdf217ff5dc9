import { expect, test } from 'vitest';
import { nextWord } from './next-word.js';

/** Two lines: three words, and two words below the outer ones. */
const words = [
  { box: [0.1, 0.1, 0.2, 0.12] },
  { box: [0.4, 0.101, 0.5, 0.121] },
  { box: [0.8, 0.1, 0.9, 0.12] },
  { box: [0.1, 0.14, 0.3, 0.16] },
  { box: [0.75, 0.14, 0.9, 0.16] },
];

test.each([
  ['ArrowRight', 0, 1],
  ['ArrowRight', 2, 3],
  ['ArrowRight', 4, 4],
  ['ArrowLeft', 0, 0],
  ['ArrowLeft', 3, 2],
  ['ArrowDown', 0, 3],
  ['ArrowDown', 2, 4],
  ['ArrowDown', 3, 3],
  ['ArrowUp', 4, 2],
  ['ArrowUp', 3, 0],
  ['ArrowUp', 1, 1],
  ['Home', 4, 0],
  ['End', 0, 4],
] as const)('%s leads from word %i to word %i', (key, from, to) => {
  expect(nextWord(key, from, words)).toBe(to);
});

test.each(['Enter', ' ', 'Tab', 'a'])('the key %j leads nowhere', (key) => {
  expect(nextWord(key, 0, words)).toBeUndefined();
});
