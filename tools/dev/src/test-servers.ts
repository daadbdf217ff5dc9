// Vitest runs this module before the first file of each project that names it. Its workers get the addresses of the
// servers through the environment.
import { startInfrastructure } from './infrastructure/infrastructure.js';

/** Projects after the first find the addresses in the environment, and start nothing. @returns a function that ends the started servers */
export async function setup(): Promise<() => Promise<void>> {
  const { mongodbUrl, natsUrl, stop } = await startInfrastructure();
  process.env.MONGODB_URL = mongodbUrl;
  process.env.NATS_URL = natsUrl;
  return stop;
}
