// Starts the MongoDB and NATS servers for the tests. Vitest runs this module before the first file of each project that
// names it, and its workers get the addresses of the servers through the environment.
import { startInfrastructure } from './infrastructure/infrastructure.js';

/**
 * Starts MongoDB and NATS for the first test project. Later projects find the addresses in the environment, so nothing
 * is started for them.
 * @returns a function that ends the started servers
 */
export async function setup(): Promise<() => Promise<void>> {
  const { mongodbUrl, natsUrl, stop } = await startInfrastructure();
  process.env.MONGODB_URL = mongodbUrl;
  process.env.NATS_URL = natsUrl;
  return stop;
}
