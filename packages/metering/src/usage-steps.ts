/** Percentages of a quota at which the owners are notified. */
const STEPS = [80, 100] as const;
type Step = (typeof STEPS)[number];

/** Returns the highest quota step that the usage has reached: 100 or 80 percent, or none. */
export function stepOf(used: number, limit: number | undefined): Step | undefined {
  if (limit === undefined || limit <= 0) return undefined;
  return STEPS.findLast((step) => used * 100 >= limit * step);
}

/**
 * Returns the used amount at which the next quota step is reached, or the quota limit if all steps have been reached.
 */
export function nextStepAt(used: number, limit: number): number {
  return STEPS.map((step) => Math.ceil((limit * step) / 100)).find((at) => used < at) ?? limit;
}
