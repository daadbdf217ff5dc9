/** A longer `Retry-After` counts as this long. */
const RETRY_AFTER_MS_MAX = 7 * 24 * 3_600_000;
const SECONDS = /^\d+$/;
/** RFC 9110, section 5.6.7, in its one form that senders may write. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Headers of an answer, by names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/** Headers as node:http has them, with repeated ones joined. */
export function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): AnswerHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), [value].flat().join(', ')]],
    ),
  );
}

/**
 * How long `Retry-After` asks to wait, a week at most; undefined for what is neither seconds nor a date. A date counts by the
 * clock of the sender where `Date` tells its time.
 */
export function readRetryAfterMs(headers: AnswerHeaders): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (SECONDS.test(text)) return Math.min(Number(text) * 1_000, RETRY_AFTER_MS_MAX);
  if (!HTTP_DATE.test(text)) return undefined;
  const now = Date.parse(headers['date'] ?? '') || Date.now();
  const waitMs = Date.parse(text) - now;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), RETRY_AFTER_MS_MAX);
}
