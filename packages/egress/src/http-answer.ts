import { parseRetryAfterMs } from '@invoicecontrol/values/retry-after';

/** Maximum of `Retry-After`; a longer one counts as this. */
const RETRY_AFTER_MS_MAX = 7 * 24 * 3_600_000;

/** Headers of a response, by names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/** Joins the repeated headers of node:http. */
export function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): AnswerHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), [value].flat().join(', ')]],
    ),
  );
}

/**
 * Returns the wait that `Retry-After` asks for, a week at most; undefined for what is neither seconds nor a date. A date counts by the
 * clock of the sender if `Date` tells its time.
 */
export function readRetryAfterMs(headers: AnswerHeaders): number | undefined {
  const now = new Date(Date.parse(headers['date'] ?? '') || Date.now());
  const waitMs = parseRetryAfterMs(headers['retry-after'] ?? '', now);
  return waitMs === undefined ? undefined : Math.min(waitMs, RETRY_AFTER_MS_MAX);
}
