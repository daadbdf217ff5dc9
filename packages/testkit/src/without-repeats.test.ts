import { expect, test } from 'vitest';
import { withoutRepeats } from './without-repeats.js';

test('a listener takes each event once, and events that differ in nothing but their id both', () => {
  const taken: string[] = [];
  const take = withoutRepeats(({ eventId }: { eventId: string; organizationId: string }, name: string) => {
    taken.push(`${name} ${eventId}`);
  });
  for (const eventId of ['evt_1', 'evt_2', 'evt_1', 'evt_2']) take({ eventId, organizationId: 'o' }, 'changed');
  expect(taken).toEqual(['changed evt_1', 'changed evt_2']);
});
