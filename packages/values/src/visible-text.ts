/**
 * Pattern of a visible character: any except spaces, control and format characters (joiners, direction marks, variation
 * selectors), fillers, and the empty Braille cell.
 */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Checks whether a text has a visible character. Zero-width spaces are not visible. */
export function hasVisibleText(text: string): boolean {
  return VISIBLE.test(text);
}
