/**
 * Characters that change how a text is read but are not visible: control characters, marks of the writing direction,
 * joiners and zero-width spaces.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/**
 * Replaces invisible characters of a supplier's text by their names, such as `[U+202E]`, so that nobody can hide words
 * in it.
 */
export function showInvisible(text: string): string {
  return text.replaceAll(
    INVISIBLE,
    (character) => `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}
