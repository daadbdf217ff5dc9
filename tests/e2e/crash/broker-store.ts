import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Infrastructure } from '@invoicecontrol/dev/infrastructure';

/** Deletes all that the broker has stored, as with a new volume. @param dataDir of the infrastructure */
export async function eraseBrokerStore(dataDir: string, { source }: Pick<Infrastructure, 'source'>): Promise<void> {
  const directory = join(dataDir, source.nats, 'nats');
  for (const name of await readdir(directory)) {
    await rm(join(directory, name), { recursive: true, force: true, maxRetries: 3 });
  }
}
