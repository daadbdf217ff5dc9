// Decides whether a figure stayed flat during a soak test.

/** Value of a figure at one time of a soak test. */
export interface Reading {
  readonly minute: number;
  readonly value: number;
}

/**
 * Development of a figure during a soak test. `before`, `after` and `perHour` leave out the first quarter, in which
 * caches fill and code is compiled.
 */
export interface Course {
  /** Median of the figure in the second quarter of the soak test. */
  readonly before: number;
  /** Median of the figure in the last quarter of the soak test. */
  readonly after: number;
  readonly most: number;
  /**
   * Change of the figure per hour: the median of the slopes between all pairs of readings, which outliers hardly
   * affect.
   */
  readonly perHour: number;
}

const QUARTERS = 4;
const MINUTES_PER_HOUR = 60;

/**
 * Computes the development of a figure during a soak test.
 * @throws Error if a quarter of the test has no reading
 */
export function courseOf(readings: readonly Reading[], minutes: number): Course {
  const quarter = (number: number): number[] =>
    readings.filter(({ minute }) => quarterOf(minute, minutes) === number).map(({ value }) => value);
  const settled = readings.filter(({ minute }) => quarterOf(minute, minutes) > 1);
  const slopes = settled.flatMap((one, index) =>
    settled
      .slice(index + 1)
      .map((later) => ((later.value - one.value) / (later.minute - one.minute)) * MINUTES_PER_HOUR),
  );
  return {
    before: median(quarter(2)),
    after: median(quarter(QUARTERS)),
    most: Math.max(...readings.map(({ value }) => value)),
    perHour: median(slopes),
  };
}

/**
 * Tells whether a figure is flat: from the second to the last quarter it grew by no more than a share of itself plus a
 * constant. The constant makes the rule suitable for small figures.
 */
export function isFlat(
  { before, after }: Course,
  allowed: { readonly share: number; readonly constant: number },
): boolean {
  return after <= before * (1 + allowed.share) + allowed.constant;
}

function quarterOf(minute: number, minutes: number): number {
  return Math.min(QUARTERS, Math.floor((minute / minutes) * QUARTERS) + 1);
}

function median(values: readonly number[]): number {
  const middle = values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
  if (middle === undefined) throw new Error('The soak was too short: a quarter of it has no reading.');
  return middle;
}
