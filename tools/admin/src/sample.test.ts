import { describe, expect, test } from 'vitest';
import { readSample, walkPages } from './sample.js';

describe('the sample', () => {
  test('is a number of analyses, or all of them', () => {
    expect(readSample({ sample: '20' })).toBe(20);
    expect(readSample({ all: '' })).toBe(Number.POSITIVE_INFINITY);
  });

  test.each([
    ['neither', {}, /either --sample N or --all/],
    ['both', { sample: '1', all: '' }, /either --sample N or --all/],
    ['a sample of nothing', { sample: '0' }, /--sample must be a number/],
    ['a sample that is not a number', { sample: '1e3' }, /--sample must be a number/],
    ['a sample that is too large', { sample: '9999999' }, /--sample must be a number/],
  ])('is refused for %s', (_, given, message) => {
    expect(() => readSample(given)).toThrow(message);
  });
});

describe('walking pages', () => {
  /** Returns a function that serves pages of an analysis history with the given length. */
  const walked = async (wanted: number, history: number): Promise<number[]> => {
    const asked: number[] = [];
    await walkPages(wanted, async ({ limit, pageToken }) => {
      asked.push(limit);
      const seen = Number(pageToken || '0') + limit;
      return { nextPageToken: seen < history ? String(seen) : '' };
    });
    return asked;
  };

  test('reads no more than requested', async () => {
    expect(await walked(450, 10_000)).toEqual([200, 200, 50]);
  });

  test('ends at the end of the history', async () => {
    expect(await walked(Number.POSITIVE_INFINITY, 401)).toEqual([200, 200, 200]);
    expect(await walked(Number.POSITIVE_INFINITY, 0)).toEqual([200]);
  });
});
