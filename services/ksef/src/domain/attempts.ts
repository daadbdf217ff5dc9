/**
 * KSeF call that was made for a submission, with the code of the response. The code is undefined if KSeF did not
 * respond.
 */
export interface AttemptStep {
  readonly name: 'open' | 'send' | 'status' | 'close' | 'confirmation';
  readonly at: Date;
  readonly code: number | undefined;
}

/**
 * KSeF session of a submission, with the results of its calls. An attempt to submit without a session records
 * consecutive failures to open one.
 */
export interface Attempt {
  readonly sessionReferenceNumber: string | undefined;
  readonly startedAt: Date;
  readonly steps: readonly AttemptStep[];
}

/**
 * Maximum number of attempts that a KSeF submission keeps, and of calls in each attempt. The oldest are removed first.
 */
export const ATTEMPTS_MAX = 100;
export const ATTEMPT_STEPS_MAX = 50;

/** Checks whether a call got the same response as the call before it in the same KSeF session, as polls do. */
export function isRepeat(
  attempts: readonly Attempt[],
  sessionReferenceNumber: string | undefined,
  { name, code }: AttemptStep,
): boolean {
  const last = attempts.findLast((attempt) => attempt.sessionReferenceNumber === sessionReferenceNumber)?.steps.at(-1);
  return last !== undefined && last.name === name && last.code === code;
}

/**
 * Records a call in the attempt that belongs to its KSeF session. A failed opening is added to the failed openings just
 * before it. If the same call gets the same response again, only its time changes.
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
