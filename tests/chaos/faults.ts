import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from './plan.js';
import type { ChaosSystem } from './system.js';

/** Result of ending a fault that a chaos run has caused. */
export interface Lifted {
  /** Time at which the fault of the chaos round ended, on the clock of `performance.now()`. */
  readonly atMs: number;
  /** Resolves when the process that a chaos fault killed serves again. */
  readonly restored: Promise<void>;
}

/** Waits until the planned time of the fault, starts the fault, and ends it after its duration. */
export async function inflict(system: ChaosSystem, fault: Fault): Promise<Lifted> {
  await delay(fault.afterMs);
  const lift = await begin(system, fault);
  await delay(fault.lengthMs);
  const atMs = performance.now();
  return { atMs, restored: lift() };
}

/**
 * Begins a fault of a chaos run in the running system.
 * @returns the function that ends the fault
 */
async function begin(system: ChaosSystem, { kind, process, links, ...how }: Fault): Promise<() => Promise<void>> {
  if (process !== undefined) {
    const node = system.node(process);
    if (kind === 'broker-store') {
      await system.eraseBrokerStore();
      return async () => {
        await node.kill();
        // After the fault, the volume of the broker is replaced by an empty one, so the events that the broker stored
        // during the fault are deleted too.
        await system.eraseBrokerStore();
        await node.restart();
      };
    }
    if (kind === 'kill' || kind === 'broker-outage') {
      await node.kill();
      return () => node.restart();
    }
    await node.pause();
    return async () => node.resume();
  }
  const proxies = links.flatMap((link) => system.proxiesOf(link));
  for (const proxy of proxies) {
    if (kind === 'partition') proxy.stall();
    else if (kind === 'one-way') proxy.stall(how.direction);
    else if (kind === 'vanish') proxy.swallow();
    else if (kind === 'refuse') proxy.cut();
    else if (kind === 'reset') proxy.reset();
    else {
      proxy.delay(how.latencyMs ?? 0);
      proxy.throttle(how.bytesPerSecond ?? 0);
    }
  }
  return async () => {
    for (const proxy of proxies) {
      proxy.heal();
      proxy.delay(0);
      proxy.throttle(0);
    }
  };
}
