/** First and last day of a span of days. Both days are included. An empty text means that the span is open there. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** Returns the filters of the API for what was created in a span of days, in the time zone of the person. */
export function createdWithin({ from, to }: Days): { created_from?: string; created_to?: string } {
  return {
    ...(from === '' ? {} : { created_from: startOf(from) }),
    ...(to === '' ? {} : { created_to: startOf(to, 1) }),
  };
}

/** Returns the time at which a day begins in the time zone of the person. */
function startOf(day: string, daysLater = 0): string {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + daysLater);
  return start.toISOString();
}
