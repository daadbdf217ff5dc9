/**
 * Normalizes printed text (documents reference, 10.1): compatibility characters become plain characters, every white
 * space becomes a space, every dash a hyphen, and every apostrophe a straight one.
 */
export function normaliseText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/[\s\u00a0\u2000-\u200a\u202f\u205f\u3000]+/g, ' ')
    .replace(/[\u2010-\u2015\u2212\u2043\ufe58\ufe63\uff0d]/g, '-')
    .replace(/[\u2018\u2019\u201b\u00b4\u0060\u02bc\u2032]/g, "'");
}

/**
 * A text of a document reduced to its letters and digits. `offsets[i]` is the position of `key[i]` in the original
 * text.
 */
export interface FoldedText {
  readonly key: string;
  readonly offsets: readonly number[];
}

const LETTERS_WITHOUT_DECOMPOSITION: Readonly<Record<string, string>> = {
  ł: 'l',
  ß: 'ss',
  ø: 'o',
  đ: 'd',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  '°': 'o',
  '№': 'no',
};

/**
 * Folds a normalized text for comparison with labels: lower case, without diacritics, spaces and punctuation. Because
 * spaces are removed, a label is found even if the producer of the file split its words ("Ver käufer").
 */
export function foldText(text: string): FoldedText {
  let key = '';
  const offsets: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index).toLowerCase();
    const folded = LETTERS_WITHOUT_DECOMPOSITION[character] ?? character.normalize('NFD').replace(/\p{M}/gu, '');
    for (const letter of folded) {
      if (!/[\p{L}\p{N}#%]/u.test(letter)) continue;
      key += letter;
      offsets.push(index);
    }
  }
  return { key, offsets };
}

/** Returns only the folded letters and digits of a text: in lower case, without diacritics, spaces and punctuation. */
export function foldKey(text: string): string {
  return foldText(normaliseText(text)).key;
}
