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
 * KSeF session of a submission, with the results of its calls. An attempt without a session records that opening a
 * session failed several times in a row.
 */
export interface Attempt {
  readonly sessionReferenceNumber: string | undefined;
  readonly startedAt: Date;
  readonly steps: readonly AttemptStep[];
}

/**
 * Maximum number of attempts that a KSeF submission keeps, and of calls in each attempt. The oldest attempts and calls
 * are removed first.
 */
export const ATTEMPTS_MAX = 100;
export const ATTEMPT_STEPS_MAX = 50;

/**
 * Checks whether a call got the same response as the call before it in the same attempt, as polls do. Every sending of
 * the invoice is recorded separately.
 */
export function isRepeat(
  attempts: readonly Attempt[],
  sessionReferenceNumber: string | undefined,
  { name, code }: AttemptStep,
): boolean {
  const last = attemptOf(attempts, sessionReferenceNumber)?.steps.at(-1);
  return last?.name === name && last.code === code && name !== 'send';
}

/**
 * Records a KSeF call in the attempt that belongs to its KSeF session. A call without a session is a failed attempt to
 * open one. It is added to the last recorded attempt if that attempt has no session either. If the last recorded call
 * is the same call with the same response, as in polling, only its time changes.
 */
export function noteStep(
  attempts: readonly Attempt[],
  sessionReferenceNumber: string | undefined,
  step: AttemptStep,
): readonly Attempt[] {
  const known = attemptOf(attempts, sessionReferenceNumber);
  if (known === undefined) {
    return [...attempts, { sessionReferenceNumber, startedAt: step.at, steps: [step] }].slice(-ATTEMPTS_MAX);
  }
  const earlier = isRepeat(attempts, sessionReferenceNumber, step) ? known.steps.slice(0, -1) : known.steps;
  const steps = [...earlier, step].slice(-ATTEMPT_STEPS_MAX);
  return attempts.map((attempt) => (attempt === known ? { ...known, steps } : attempt));
}

/** Returns the attempt of a KSeF session. If no session is given, returns the last attempt if it has no session. */
function attemptOf(attempts: readonly Attempt[], sessionReferenceNumber: string | undefined): Attempt | undefined {
  const among = sessionReferenceNumber === undefined ? attempts.slice(-1) : attempts;
  return among.find((attempt) => attempt.sessionReferenceNumber === sessionReferenceNumber);
}
