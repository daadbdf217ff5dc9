/**
 * Checks whether a text of a caller has more than `lengthMax` characters. Characters are Unicode code points, as in the
 * `maxLength` of a published schema, not UTF-16 units: an emoji counts as one character.
 */
export function isLongerThan(text: string, lengthMax: number): boolean {
  if (text.length <= lengthMax) return false;
  return text.length > 2 * lengthMax || [...text].length > lengthMax;
}
