const SECONDS = /^\d+$/;
/** RFC 9110, section 5.6.7, in its one form that senders may write. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Milliseconds that the value of a `Retry-After` asks to wait; undefined for what is neither seconds nor a date. */
export function parseRetryAfterMs(header: string, now: Date): number | undefined {
  const text = header.trim();
  if (SECONDS.test(text)) return Number(text) * 1_000;
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
