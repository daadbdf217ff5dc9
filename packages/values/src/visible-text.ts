/**
 * Any character but blanks, controls, characters that only steer others (joiners, marks of direction, variation
 * selectors), fillers, and the Braille cell without dots.
 */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a reader would see anything: a name of zero-width spaces is as blank as one of blanks. */
export function showsSomething(text: string): boolean {
  return VISIBLE.test(text);
}
