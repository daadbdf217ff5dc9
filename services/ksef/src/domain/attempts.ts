/** One call for a submission, with the code of its response; undefined without a response. */
export interface AttemptStep {
  readonly name: 'open' | 'send' | 'status' | 'close' | 'confirmation';
  readonly at: Date;
  readonly code: number | undefined;
}

/** One session of a submission and what became of its calls; without a session, failed openings in a row. */
export interface Attempt {
  readonly sessionReferenceNumber: string | undefined;
  readonly startedAt: Date;
  readonly steps: readonly AttemptStep[];
}

/** Attempts that are kept, and calls of each; the oldest go first. */
export const ATTEMPTS_MAX = 100;
export const ATTEMPT_STEPS_MAX = 50;

/**
 * Adds a call to the attempt of its session, and a failed opening to those right before it. The same answer to the same
 * question again only moves its time.
 */
export function noteStep(
  attempts: readonly Attempt[],
  sessionReferenceNumber: string | undefined,
  step: AttemptStep,
): readonly Attempt[] {
  const among = sessionReferenceNumber === undefined ? attempts.slice(-1) : attempts;
  const known = among.find((attempt) => attempt.sessionReferenceNumber === sessionReferenceNumber);
  if (known === undefined) {
    return [...attempts, { sessionReferenceNumber, startedAt: step.at, steps: [step] }].slice(-ATTEMPTS_MAX);
  }
  const last = known.steps.at(-1);
  const isRepeat = last?.name === step.name && last.code === step.code && step.name !== 'send';
  const steps = [...(isRepeat ? known.steps.slice(0, -1) : known.steps), step].slice(-ATTEMPT_STEPS_MAX);
  return attempts.map((attempt) => (attempt === known ? { ...known, steps } : attempt));
}
