import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Infrastructure } from '@invoicecontrol/dev/infrastructure';

/** Deletes everything that the broker has stored, as a new volume would. */
export async function eraseBrokerStore({ streamsDirectory }: Pick<Infrastructure, 'streamsDirectory'>): Promise<void> {
  if (streamsDirectory === undefined) throw new Error('The streams of the broker are not on this machine.');
  for (const name of await readdir(streamsDirectory)) {
    await rm(join(streamsDirectory, name), { recursive: true, force: true, maxRetries: 3 });
  }
}
