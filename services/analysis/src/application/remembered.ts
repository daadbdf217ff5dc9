/** What an organization has set up is asked again after this time, or at once when this process changes it. */
const FRESH_MS = 2_000;
const ORGANIZATIONS_MAX = 10_000;

export interface Remembered<T> {
  of(organizationId: string): Promise<T>;
  /** The next question is answered by the database. */
  forget(organizationId: string): void;
}

/** Remembers for a moment what every decision of an organization needs, so that it costs no step of the flow. */
export function remembered<T>(load: (organizationId: string) => Promise<T>): Remembered<T> {
  const answers = new Map<string, { readonly answer: Promise<T>; readonly at: number }>();
  return {
    of(organizationId) {
      const known = answers.get(organizationId);
      if (known !== undefined && Date.now() - known.at < FRESH_MS) return known.answer;
      answers.delete(organizationId);
      const oldest = answers.keys().next().value;
      if (answers.size >= ORGANIZATIONS_MAX && oldest !== undefined) answers.delete(oldest);
      const answer = load(organizationId);
      const entry = { answer, at: Date.now() };
      answers.set(organizationId, entry);
      // A failed answer is nobody's answer any more.
      answer.catch(() => {
        if (answers.get(organizationId) === entry) answers.delete(organizationId);
      });
      return answer;
    },
    forget: (organizationId) => void answers.delete(organizationId),
  };
}
