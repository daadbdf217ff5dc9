import { findAmounts } from '../text/amounts.js';
import { findIbans } from '../text/ibans.js';
import { normaliseText } from '../text/normalise.js';
import type { HiddenText } from '../reading.js';
import type { ShownText } from './page-marks.js';
import type { PdfPage } from './read-pages.js';

const HIDDEN_TEXTS_MAX = 20;
const SNIPPET_LENGTH_MAX = 200;
/** Minimum number of consecutive hidden words in a document at which they count as an instruction. */
const WORDS_OF_INSTRUCTION_MIN = 4;

/** Finds invisible text that contains an amount, an account or an instruction (detection reference, 7.6). */
export function findHiddenTexts(pages: readonly PdfPage[]): HiddenText[] {
  const found: HiddenText[] = [];
  for (const page of pages) {
    for (const line of joinLines(page.marks.shown)) {
      const snippet = normaliseText(line.text).trim();
      const holds = contentOf(snippet);
      if (holds === null || line.hiddenBy === null || line.hiddenBy === 'COVERED') continue;
      found.push({
        page: page.text.number,
        hiddenBy: line.hiddenBy,
        holds,
        snippet: snippet.slice(0, SNIPPET_LENGTH_MAX),
        box: boxOf(line, page),
        isTextLayerOfScan: page.isScan && line.hiddenBy === 'RENDER_MODE',
      });
      if (found.length === HIDDEN_TEXTS_MAX) return found;
    }
  }
  return found;
}

/**
 * Joins pieces of one line of a page that are hidden in the same way, because hidden text is often drawn letter by
 * letter.
 */
function joinLines(shown: readonly ShownText[]): ShownText[] {
  const lines: ShownText[] = [];
  for (const text of shown) {
    if (text.hiddenBy === null || text.hiddenBy === 'COVERED') continue;
    const last = lines.at(-1);
    const height = Math.max(text.top - text.bottom, 0.5);
    if (last !== undefined && last.hiddenBy === text.hiddenBy && Math.abs(last.bottom - text.bottom) < height) {
      const isApart = text.left - last.right > 0.2 * height;
      lines[lines.length - 1] = {
        ...last,
        text: `${last.text}${isApart ? ' ' : ''}${text.text}`,
        left: Math.min(last.left, text.left),
        right: Math.max(last.right, text.right),
      };
    } else lines.push(text);
  }
  return lines;
}

function contentOf(text: string): HiddenText['holds'] | null {
  if (findIbans(text).length > 0 || /\d{8,}/.test(text.replace(/ /g, ''))) return 'ACCOUNT';
  if (findAmounts(text, undefined).some(({ decimals, currency }) => decimals === 2 || currency !== null))
    return 'AMOUNT';
  return (text.match(/\p{L}{2,}/gu) ?? []).length >= WORDS_OF_INSTRUCTION_MIN ? 'INSTRUCTION' : null;
}

function boxOf(text: ShownText, { width, height }: PdfPage): HiddenText['box'] {
  const within = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 10_000) / 10_000;
  return [
    within(text.left / width),
    within(1 - text.top / height),
    within(text.right / width),
    within(1 - text.bottom / height),
  ];
}
