// Parts of the sentences that reviewers read.

/** A count with its noun: `1 invoice`, `3 invoices`, `1 earlier invoice`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Words in a row: `amount`, `amount and date`, `amount, date and tax id`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** A part of a sentence as its beginning, in upper case. */
export function sentenceStart(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
