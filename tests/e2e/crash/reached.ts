import type { Hold } from '@invoicecontrol/testkit/mongo-proxy';

const REACHED_MS_MAX = 60_000;

/**
 * Waits until the database command that the test pauses has arrived.
 * @throws Error with the given sentence when the command does not arrive in time
 */
export async function reached({ complete }: Pick<Hold, 'complete'>, otherwise: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(otherwise)), REACHED_MS_MAX);
  });
  await Promise.race([complete, late]);
  clearTimeout(timer);
}
