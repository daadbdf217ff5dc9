/** The place of a word on a page: left, top, right and bottom in fractions of the page. */
interface Placed {
  readonly box: readonly number[];
}

/**
 * Returns the word to which a key leads: the next or the previous one, or the nearest one in the line below or above.
 * Undefined for a key that leads nowhere.
 */
export function nextWord(key: string, index: number, words: readonly Placed[]): number | undefined {
  const last = words.length - 1;
  switch (key) {
    case 'ArrowRight':
      return Math.min(index + 1, last);
    case 'ArrowLeft':
      return Math.max(index - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'ArrowDown':
      return inNextLine(index, words, 1);
    case 'ArrowUp':
      return inNextLine(index, words, -1);
    default:
      return undefined;
  }
}

/** Share of the height of a word by which another word must be lower or higher to be in another line. */
const LINE = 0.5;

function inNextLine(index: number, words: readonly Placed[], direction: 1 | -1): number {
  const from = middleOf(words[index]);
  const beyond = words
    .map((word, at) => ({ at, ...middleOf(word) }))
    .filter(({ y, height }) => (y - from.y) * direction > LINE * Math.max(height, from.height));
  const line = Math.min(...beyond.map(({ y }) => Math.abs(y - from.y)));
  const inLine = beyond.filter(({ y, height }) => Math.abs(y - from.y) - line < LINE * height);
  const nearest = inLine.toSorted((one, other) => Math.abs(one.x - from.x) - Math.abs(other.x - from.x))[0];
  return nearest?.at ?? index;
}

function middleOf(word: Placed | undefined): { readonly x: number; readonly y: number; readonly height: number } {
  const [left = 0, top = 0, right = 0, bottom = 0] = word?.box ?? [];
  return { x: (left + right) / 2, y: (top + bottom) / 2, height: bottom - top };
}
