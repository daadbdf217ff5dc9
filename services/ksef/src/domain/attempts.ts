/** One call for a submission and the code of its response. The code is undefined without a response. */
export interface AttemptStep {
  readonly name: 'open' | 'send' | 'status' | 'close' | 'confirmation';
  readonly at: Date;
  readonly code: number | undefined;
}

/**
 * One session of a submission with the results of its calls. An attempt without a session holds consecutive failures to
 * open one.
 */
export interface Attempt {
  readonly sessionReferenceNumber: string | undefined;
  readonly startedAt: Date;
  readonly steps: readonly AttemptStep[];
}

/** Maximum number of attempts that a submission keeps, and of calls in each. The oldest are removed first. */
export const ATTEMPTS_MAX = 100;
export const ATTEMPT_STEPS_MAX = 50;

/**
 * Adds a call to the attempt of its session. A failed opening is added to the failed openings just before it. If the
 * same call gets the same response again, only its time changes.
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
