/**
 * Returns a listener for events, which may be delivered more than once. The listener handles each event once, by its
 * id.
 * @param take handles the first of several equal events
 */
export function withoutRepeats<Event extends { readonly eventId: string }, Rest extends readonly unknown[]>(
  take: (event: Event, ...rest: Rest) => void,
): (event: Event, ...rest: Rest) => void {
  const taken = new Set<string>();
  return (event, ...rest) => {
    if (taken.has(event.eventId)) return;
    taken.add(event.eventId);
    take(event, ...rest);
  };
}
