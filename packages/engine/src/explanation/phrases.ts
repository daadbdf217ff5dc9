// The functions in this file produce parts of sentences that reviewers read.

/**
 * Groups the digits of a number in a sentence in threes: `1,234.50`. The locale is not used, because it differs between
 * machines.
 */
export function grouped(number: number | string): string {
  const [whole = '', decimals] = String(number).split('.');
  const sign = whole.startsWith('-') ? '-' : '';
  const groups: string[] = [];
  for (let end = whole.length; end > sign.length; end -= 3)
    groups.unshift(whole.slice(Math.max(sign.length, end - 3), end));
  return `${sign}${groups.join(',')}${decimals === undefined ? '' : `.${decimals}`}`;
}

/** Joins a number and its noun: `1 invoice`, `3 invoices`, `1 earlier invoice`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Joins words into a list: `amount`, `amount and date`, `amount, date and tax id`. */
export function listed(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}

/** Makes the first letter of a phrase upper case, so that the phrase can begin a sentence of a finding. */
export function sentenceStart(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
