/** Error for a wrong use of the command line client. Its message is a sentence that states what to change. */
export class UsageError extends Error {}

export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (text !== '' && Number.isInteger(number) && number >= min && number <= max) return number;
  throw new UsageError(`The option ${option} is "${text}", but it must be a whole number from ${min} to ${max}.`);
}
