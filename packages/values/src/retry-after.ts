const SECONDS = /^\d+$/;
/** HTTP date in the only format that senders may use (RFC 9110, section 5.6.7). */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns the delay in milliseconds that a `Retry-After` value requires, or undefined if the value is neither a number
 * of seconds nor a date.
 */
export function parseRetryAfterMs(header: string, now: Date): number | undefined {
  const text = header.trim();
  if (SECONDS.test(text)) return Number(text) * 1_000;
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
