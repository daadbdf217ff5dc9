/** Returns a count with its noun, as in `1 row` and `2 rows`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/**
 * Prints the cells of a table under their headings, separated by two spaces. Columns of numbers are aligned to the
 * right.
 */
export function table(
  lines: readonly (readonly string[])[],
  isNumber: (column: number) => boolean = () => false,
): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      widths
        .map((width, column) => {
          const cell = line[column] ?? '';
          return isNumber(column) ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `  ${line}`)
    .join('\n');
}
