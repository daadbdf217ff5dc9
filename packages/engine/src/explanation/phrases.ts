// Parts of the sentences that reviewers read.

/** A count with its noun: `1 invoice`, `3 invoices`, `1 earlier invoice`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
