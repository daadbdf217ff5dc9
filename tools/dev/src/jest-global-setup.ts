// Run by jest once before all tests of the projects that name it; the workers inherit the addresses through the environment.
import { startInfrastructure, type Infrastructure } from './infrastructure.js';

export let infrastructure: Infrastructure | undefined;

export default async function setUp(): Promise<void> {
  const started = await startInfrastructure();
  infrastructure = started;
  process.env.MONGODB_URL = started.mongodbUrl;
  process.env.NATS_URL = started.natsUrl;
}
