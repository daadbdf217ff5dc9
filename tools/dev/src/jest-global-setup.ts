// Run by jest once before all tests of the projects that name it; the workers inherit the addresses through the environment.
import { startInfrastructure, type Infrastructure } from './infrastructure/infrastructure.js';

export let infrastructure: Infrastructure | undefined;
/** Ends what was started; the last one is the first to be called. */
export const closing: (() => Promise<void>)[] = [];

/** Starts nothing the second time, so that other set-ups may begin with it. */
export default async function setUp(): Promise<void> {
  if (infrastructure !== undefined) return;
  const started = await startInfrastructure();
  infrastructure = started;
  closing.push(() => started.stop());
  process.env.MONGODB_URL = started.mongodbUrl;
  process.env.NATS_URL = started.natsUrl;
}
