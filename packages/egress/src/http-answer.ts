import { parseRetryAfterMs } from '@invoicecontrol/values/retry-after';

/** A longer `Retry-After` counts as this long. */
const RETRY_AFTER_MS_MAX = 7 * 24 * 3_600_000;

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
  const now = new Date(Date.parse(headers['date'] ?? '') || Date.now());
  const waitMs = parseRetryAfterMs(headers['retry-after'] ?? '', now);
  return waitMs === undefined ? undefined : Math.min(waitMs, RETRY_AFTER_MS_MAX);
}
