import type { SalesDocument } from '../reading.js';
import { foldKey } from './normalise.js';
import type { TextDocument } from './text-document.js';

/** Maximum length of the title of a document. Longer text cells are not titles. */
const TITLE_LENGTH_MAX = 60;
const TITLES: readonly { readonly kind: SalesDocument; readonly title: RegExp }[] = [
  { kind: 'RECEIPT', title: /^(?:paragon|receipt)/ },
  { kind: 'TICKET', title: /^e?(?:bilet|ticket)|^boardingpass/ },
  {
    kind: 'TOLL',
    title: /^oplataza(?:przejazd|autostrad)|^oplataautostrad|^przejazdautostrad|^toll(?:receipt|charge|fee)/,
  },
];

/**
 * Returns the kind of a sales document according to its title, which begins a text cell in the upper half of the first
 * page.
 */
export function findSalesDocument({ pages, cells }: TextDocument): SalesDocument | undefined {
  const half = (pages[0]?.height ?? 1) / 2;
  const titles = cells
    .filter(({ page, top, text }) => page === 0 && top < half && text.length <= TITLE_LENGTH_MAX)
    .map(({ text }) => foldKey(text));
  return TITLES.find(({ title }) => titles.some((text) => title.test(text)))?.kind;
}
