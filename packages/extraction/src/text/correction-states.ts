import { foldKey } from './normalise.js';
import { hasKind } from './text-document.js';
import type { ReadCell, ReadLine, TextDocument } from './text-document.js';

/** State of an invoice, before or after its correction, to which an amount of a corrective invoice belongs. */
export type CorrectionState = 'before' | 'after' | 'difference';

/**
 * Words for the states before and after a correction in EN, DE, FR, PL, ES, IT and NL, folded: without diacritics and
 * spaces.
 */
const WORDS: readonly (readonly [state: CorrectionState, words: RegExp])[] = [
  [
    'before',
    /przed(?:korekta|zmiana)|^bylo$|vor(?:der)?(?:korrektur|berichtigung|anderung)|^bisher|^alt$|^ursprunglich|before(?:the)?(?:correction|adjustment|change)|as(?:originally)?invoiced|^original$|^originalamounts?$|avant(?:la)?(?:correction|rectification)|antesdela|primadella|voor(?:de)?correctie/,
  ],
  [
    'after',
    /po(?:korekcie|zmianie)|^jest$|^powinnobyc|nach(?:der)?(?:korrektur|berichtigung|anderung)|^neu$|^neuerbetrag|^korrigiert|after(?:the)?(?:correction|adjustment|change)|^(?:as)?corrected$|^correctedamounts?$|apres(?:la)?(?:correction|rectification)|despuesdela|dopola|na(?:de)?correctie/,
  ],
  [
    'difference',
    /^roznica|^(?:wartosc|kwota)korekty|^korekta$|^differenz|^anderung$|^minderung|^difference|^adjustment$|^correction$|^diferencia|^differenza|^verschil/,
  ],
];
/**
 * Matches labels such as "to be paid" or "to be refunded", which mark the resulting amount of a corrective invoice.
 * This amount belongs neither to the state before nor to the state after the correction.
 */
const RESULT =
  /^(?:do(?:zwrotu|zaplaty|doplaty)|kwotado|razemdo|zuzahlen|zahlbetrag|erstattung|guthaben|amount(?:due|payable)|refund|topay|tobepaid)/;
const HEADING_LENGTH_MAX = 60;
/** Maximum horizontal distance between an amount on the page and the heading of its column, in points. */
const COLUMN_DISTANCE_MAX = 60;

/**
 * Assigns the amounts of a correction to the state before it, the state after it or the difference, by the heading of
 * their block, column or line. Empty if the document does not show the state before the correction, or shows neither
 * the state after it nor the difference.
 */
export function findCorrectionStates(document: TextDocument): ReadonlyMap<ReadCell, CorrectionState> {
  const found = new Map<ReadCell, CorrectionState>();
  for (const lines of document.lines) {
    let block: CorrectionState | undefined;
    let columns: readonly (readonly [ReadCell, CorrectionState])[] = [];
    for (const line of lines) {
      const headings = headingsOf(line);
      const [first] = headings;
      const withAmounts = line.cells.filter(({ amounts }) => amounts.length > 0);
      if (headings.length > 1) {
        columns = headings;
        block = undefined;
      } else if (first !== undefined && first[0].amounts.length === 0 && withAmounts.length === 0) {
        block = first[1];
        columns = [];
      } else if (RESULT.test(keyOf(line.cells[0]))) {
        block = undefined;
        columns = [];
      }
      const ofLine = headings.length === 1 ? first?.[1] : undefined;
      for (const cell of withAmounts) {
        const state = ofLine ?? block ?? nearest(columns, cell);
        if (state !== undefined) found.set(cell, state);
      }
    }
  }
  const states = new Set(found.values());
  return states.has('before') && states.size > 1 ? found : new Map();
}

function headingsOf({ cells }: ReadLine): (readonly [ReadCell, CorrectionState])[] {
  return cells.flatMap((cell): (readonly [ReadCell, CorrectionState])[] => {
    if (cell.text.length > HEADING_LENGTH_MAX || cell.dates.length > 0) return [];
    // A text cell with the label of an invoice number is the title of a corrective invoice. It is not the heading of
    // amounts, although it contains the words of such a heading.
    if (cell.labels.some((hit) => hit.start <= 1 && hasKind(hit, 'number'))) return [];
    const key = keyOf(cell);
    const state = WORDS.find(([, words]) => words.test(key))?.[0];
    return state === undefined ? [] : [[cell, state]];
  });
}

function nearest(
  columns: readonly (readonly [ReadCell, CorrectionState])[],
  cell: ReadCell,
): CorrectionState | undefined {
  const distance = ([heading]: readonly [ReadCell, CorrectionState]): number =>
    Math.min(
      Math.abs(heading.left - cell.left),
      Math.abs(heading.right - cell.right),
      Math.abs(heading.left + heading.right - cell.left - cell.right) / 2,
    );
  const [best] = [...columns].sort((one, other) => distance(one) - distance(other));
  return best !== undefined && distance(best) <= COLUMN_DISTANCE_MAX ? best[1] : undefined;
}

function keyOf(cell: ReadCell | undefined): string {
  return foldKey(cell?.text ?? '');
}
