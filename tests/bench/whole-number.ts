/**
 * Reads a whole number from an option of a benchmark.
 * @throws Error for anything but a whole number from 1 to `max`
 */
export function wholeNumber(option: string, text: string, max: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new Error(`${option} is "${text}" but must be a whole number from 1 to ${max}.`);
}
