/**
 * An event may come more than once; a listener that counts takes each one once, by its id.
 * @param take gets the first of equal events
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
