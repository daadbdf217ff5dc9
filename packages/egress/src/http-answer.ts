import { parseRetryAfterMs } from '@invoicecontrol/values/retry-after';

/** Longest `Retry-After` of an HTTP response that is honoured. A longer time is reduced to it. */
const RETRY_AFTER_MS_MAX = 7 * 24 * 3_600_000;

/** Headers of an HTTP response by their names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/** Joins the values of repeated headers that node:http returns as a list. */
export function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): AnswerHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), [value].flat().join(', ')]],
    ),
  );
}

/**
 * Returns the delay that the response header `Retry-After` requests, at most one week, or undefined if the value is
 * neither a number of seconds nor a date. A date is compared with the clock of the server if the response has a `Date`.
 */
export function readRetryAfterMs(headers: AnswerHeaders): number | undefined {
  const now = new Date(Date.parse(headers['date'] ?? '') || Date.now());
  const waitMs = parseRetryAfterMs(headers['retry-after'] ?? '', now);
  return waitMs === undefined ? undefined : Math.min(waitMs, RETRY_AFTER_MS_MAX);
}
