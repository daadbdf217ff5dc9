import { isLongerThan } from './text-length.js';

/**
 * Joiners and variation selectors shape the character before them: in the scripts that need them, and in emoji. After a
 * Latin, Greek or Cyrillic letter, or a blank, they only hide.
 */
const SHAPED =
  '[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f]|' +
  '(?![\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{sc=Inherited}\\p{Default_Ignorable_Code_Point}])[\\p{L}\\p{M}]';
const SHAPERS = '[\\u200c\\u200d\\p{Variation_Selector}]';
/** Tabs, and what ends a line. */
const BREAKS = '[\\t-\\r\\x85\\u2028\\u2029]';

/**
 * Characters that a reader does not see, and code points that are not characters: controls, characters that steer the direction of writing,
 * zero-width ones, tags, fillers, halves of surrogate pairs and noncharacters. Breaks are not among them.
 */
const UNREADABLE =
  `(?<!${SHAPED})(?!\\ufe0f\\u20e3)${SHAPERS}|(?!${SHAPERS})\\p{Default_Ignorable_Code_Point}|` +
  `(?!${BREAKS})\\p{Cc}|[\\ufff9-\\ufffb]|\\p{Noncharacter_Code_Point}|\\p{Surrogate}`;

const unreadable = new RegExp(UNREADABLE, 'u');
const unreadables = new RegExp(UNREADABLE, 'gu');
const breakOrUnreadable = new RegExp(`${BREAKS}|${UNREADABLE}`, 'u');
const aBreak = new RegExp(BREAKS, 'u');
/** Blanks and breaks in one run: each is matched once, however long it is. */
const blanks = /[\s\x85]+/gu;

/**
 * Returns a sentence that says what to change if a text of a caller must not become a name, a number or a reference;
 * undefined if nothing is wrong. Blanks and breaks around it do not count: texts are stored trimmed.
 */
export function faultOfLine(text: string): string | undefined {
  return faultAt(text.trim(), breakOrUnreadable);
}

/** Like {@link faultOfLine}, for text in paragraphs: it may have line breaks and tabs. */
export function faultOfNote(text: string): string | undefined {
  return faultAt(text.trim(), unreadable);
}

function faultAt(text: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const position = Array.from(text.slice(0, found.index)).length + 1;
  const where = `${numberOf(found[0])}, at position ${position}`;
  return aBreak.test(found[0])
    ? `Must be one line, without line breaks and tabs (${where}). Replace each with a space.`
    : `Must not have invisible characters (${where}). Remove them.`;
}

/** A note as it is stored: trimmed, every line break as `\n`. */
export function normaliseNote(text: string): string {
  return text.trim().replace(/\r\n|[\r\v\f\x85\u2028\u2029]/g, '\n');
}

/**
 * A name, number or reference of a document or another system as one line that people can read: what {@link faultOfLine}
 * would refuse is removed, blanks with a break among them become one blank, halves of surrogate pairs and noncharacters become
 * U+FFFD. Refusing it would lose the record.
 * @param lengthMax characters; a longer text ends with an ellipsis
 */
export function cleanLine(text: string, lengthMax: number): string {
  if (!breakOrUnreadable.test(text)) return cut(text.trim(), lengthMax);
  return cut(joinLines(withoutUnreadable(text)).trim(), lengthMax);
}

/** Like {@link cleanLine}, for text in several lines, such as the response of a receiver: the lines stay. */
export function cleanNote(text: string): string {
  return normaliseNote(withoutUnreadable(text));
}

/**
 * A text as proof of what is in a document: as {@link cleanLine}, but what nobody sees is shown by its number, `[U+202E]`.
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
