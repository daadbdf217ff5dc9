/** Marks a figure of the benchmark report as reaching its target or not. */
export type Good = (text: string, isGood: boolean) => string;

export function goodIn(hasColours: boolean): Good {
  return (text, isGood) =>
    hasColours ? `\u001b[${isGood ? 32 : 31}m${text}\u001b[0m` : `${text}${isGood ? '' : ' !'}`;
}

export function times(ratio: number): string {
  return `${ratio.toFixed(2)} x`;
}

/**
 * Returns a table of a benchmark report. Columns are as wide as their widest cell, figures are aligned to the right,
 * and the names in the first column to the left.
 */
export function table(rows: readonly (readonly string[])[], namesColumn?: number): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => visibleLength(row[column] ?? ''))));
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const padding = ' '.repeat((widths[column] ?? 0) - visibleLength(cell));
          return column === namesColumn ? cell + padding : padding + cell;
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function visibleLength(text: string): number {
  return text.replaceAll(/\u001b\[\d+m/g, '').length;
}
