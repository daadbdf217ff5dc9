import type { Random } from '../../random.js';

/** Replaces each `#` by a digit and each `@` by a letter in the pattern of a generated invoice number. */
export function filled(pattern: string, random: Random): string {
  return pattern
    .replace(/#/g, () => String(random.integer(0, 9)))
    .replace(/@/g, () => random.pick([...'ABCDEFGHKLMNPRSTUVW']));
}
