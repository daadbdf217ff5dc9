import { isLongerThan } from './text-length.js';

/**
 * Joiners and variation selectors in a text change the shape of the character before them, in emoji and in some
 * scripts. After a Latin, Greek or Cyrillic letter, or a space, they have no effect and are only invisible.
 */
const SHAPED =
  '[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f]|' +
  '(?![\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{sc=Inherited}\\p{Default_Ignorable_Code_Point}])[\\p{L}\\p{M}]';
const SHAPERS = '[\\u200c\\u200d\\p{Variation_Selector}]';
/** Characters that break a line or are tabs, as a part of a regular expression. */
const BREAKS = '[\\t-\\r\\x85\\u2028\\u2029]';

/**
 * Characters of a text that are invisible to readers, and code points that are not characters: control characters,
 * characters that change the writing direction, zero-width characters, tags, fillers, unpaired surrogates and
 * noncharacters. Line breaks and tabs are not included.
 */
const UNREADABLE =
  `(?<!${SHAPED})(?!\\ufe0f\\u20e3)${SHAPERS}|(?!${SHAPERS})\\p{Default_Ignorable_Code_Point}|` +
  `(?!${BREAKS})\\p{Cc}|[\\ufff9-\\ufffb]|\\p{Noncharacter_Code_Point}|\\p{Surrogate}`;

const unreadable = new RegExp(UNREADABLE, 'u');
const unreadables = new RegExp(UNREADABLE, 'gu');
const breakOrUnreadable = new RegExp(`${BREAKS}|${UNREADABLE}`, 'u');
const aBreak = new RegExp(BREAKS, 'u');
/**
 * Pattern for a sequence of spaces and line breaks in a text of a caller. Each character is matched once, however long
 * the sequence is.
 */
const blanks = /[\s\x85]+/gu;

/**
 * Returns a sentence that states what to change if a text cannot be used as a name, a number or a reference, or
 * undefined if the text is valid. White space around the text is ignored, because texts are stored trimmed.
 */
export function faultOfLine(text: string): string | undefined {
  return faultAt(text.trim(), breakOrUnreadable);
}

/**
 * Returns the fault of a text with several paragraphs, as {@link faultOfLine} does for a line. Line breaks and tabs are
 * allowed.
 */
export function faultOfNote(text: string): string | undefined {
  return faultAt(text.trim(), unreadable);
}

function faultAt(text: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const position = Array.from(text.slice(0, found.index)).length + 1;
  const where = `${numberOf(found[0])}, at position ${position}`;
  return aBreak.test(found[0])
    ? `Must be a single line without line breaks or tabs (${where}). Replace each of them with a space.`
    : `Must not contain invisible characters (${where}). Remove them.`;
}

/** Returns a note of a reviewer in its stored form: trimmed, with every line break as `\n`. */
export function normaliseNote(text: string): string {
  return text.trim().replace(/\r\n|[\r\v\f\x85\u2028\u2029]/g, '\n');
}

/**
 * Returns a name, number or reference from a document or another system as one line that people can read. Characters
 * that {@link faultOfLine} refuses are removed, white space with a line break becomes one space, and unpaired
 * surrogates and noncharacters become U+FFFD. The text is changed and not refused, because the record that contains it
 * would otherwise be lost.
 * @param lengthMax maximum number of characters; a longer text ends with an ellipsis
 */
export function cleanLine(text: string, lengthMax: number): string {
  if (!breakOrUnreadable.test(text)) return cut(text.trim(), lengthMax);
  return cut(joinLines(withoutUnreadable(text)).trim(), lengthMax);
}

/**
 * Cleans a text with several lines, such as the response of a webhook receiver, as {@link cleanLine} cleans a line.
 * Line breaks are kept.
 */
export function cleanNote(text: string): string {
  return normaliseNote(withoutUnreadable(text));
}

/**
 * Returns a text as evidence of the content of a document. Like {@link cleanLine}, but invisible characters are shown
 * by their code points, such as `[U+202E]`.
 */
export function showLine(text: string, lengthMax: number): string {
  if (!breakOrUnreadable.test(text)) return cut(text.trim(), lengthMax);
  const shown = text.replace(unreadables, (character) => `[${numberOf(character)}]`);
  return cut(joinLines(shown).trim(), lengthMax);
}

function withoutUnreadable(text: string): string {
  return text.replace(unreadables, (character) => (isCharacter(character) ? '' : '\ufffd'));
}

function joinLines(text: string): string {
  return text.replace(blanks, (run) => (aBreak.test(run) ? ' ' : run));
}

function cut(text: string, lengthMax: number): string {
  if (!isLongerThan(text, lengthMax)) return text;
  return `${Array.from(text.slice(0, 2 * lengthMax))
    .slice(0, lengthMax - 1)
    .join('')}…`;
}

function isCharacter(character: string): boolean {
  return !/[\p{Noncharacter_Code_Point}\p{Surrogate}]/u.test(character);
}

function numberOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
