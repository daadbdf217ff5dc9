/**
 * Any character but blanks, control and format characters (joiners, direction marks, variation selectors), fillers, and
 * the empty Braille cell.
 */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Tells whether the text has a visible character; zero-width spaces do not count. */
export function hasVisibleText(text: string): boolean {
  return VISIBLE.test(text);
}
