import type { Random } from '../../random.js';

/** Digits for `#`, a letter for `@`. */
export function filled(pattern: string, random: Random): string {
  return pattern
    .replace(/#/g, () => String(random.integer(0, 9)))
    .replace(/@/g, () => random.pick([...'ABCDEFGHKLMNPRSTUVW']));
}
