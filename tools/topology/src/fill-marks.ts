/**
 * Inserts generated text between the two lines of a file that contain `<name>: begin` and `<name>: end`. The rest of
 * the file is written by hand.
 * @param generated whole lines
 */
export function fillMarks(text: string, name: string, generated: string): string {
  const lines = text.split('\n');
  const begin = lines.findIndex((line) => line.includes(` ${name}: begin`));
  const end = lines.findIndex((line) => line.includes(` ${name}: end`));
  if (begin === -1 || end < begin) throw new Error(`The marks around the part "${name}" are missing.`);
  return `${lines.slice(0, begin + 1).join('\n')}\n${generated}${lines.slice(end).join('\n')}`;
}
