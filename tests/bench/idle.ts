// Measures the cost of a running system that nobody uses: its commands to the database and its CPU time.
import { setTimeout as delay } from 'node:timers/promises';
import { startCountedSystem } from './counted-system.js';
import { cpuMsOf } from './node-process.js';
import type { SystemOptions } from './servers.js';
import { step } from './progress.js';

/**
 * Soon after its start, a service searches for work that an earlier process left unfinished. The measurement begins
 * after this time, when the search has ended.
 */
const SETTLE_MS = 15_000;
const MEASURED_SECONDS = 60;
/**
 * Settings of a mail server, without which the organization service would not run its job that sends mails. The idle
 * system has no mail to send, so no service connects to this address.
 */
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:25', MAIL_FROM: 'Invoice Control <control@mail.example>' };

export interface Idle {
  /** Database commands per second of an idle system, by service. */
  readonly commands: Readonly<Record<string, number>>;
  /** Database commands per second of an idle system, by `service collection.command`. */
  readonly commandsByName: Readonly<Record<string, number>>;
  /** CPU time of an idle system per second in milliseconds, by service. */
  readonly cpuMs: Readonly<Record<string, number>>;
}

/** Runs one replica of each service, and sends no requests to them. */
export async function measureIdle(options: SystemOptions): Promise<Idle> {
  step('waiting until the services are idle');
  const { system, commands, stop } = await startCountedSystem({ ...options, env: { ...options.env, ...MAIL } });
  try {
    await delay(SETTLE_MS);
    const cpu = (): Promise<readonly (readonly [string, number])[]> =>
      Promise.all(Object.entries(system).map(async ([name, { pid }]) => [name, await cpuMsOf(pid)] as const));
    const before = new Map(await cpu());
    commands.length = 0;
    step(`counting for ${MEASURED_SECONDS} s`);
    await delay(MEASURED_SECONDS * 1_000);
    const sent = [...commands];
    const used = (await cpu()).map(([name, ms]) => [name, (ms - (before.get(name) ?? 0)) / MEASURED_SECONDS] as const);
    const perSecond = (nameOf: (command: (typeof sent)[number]) => string): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const command of sent) counts[nameOf(command)] = (counts[nameOf(command)] ?? 0) + 1 / MEASURED_SECONDS;
      return counts;
    };
    return {
      commands: perSecond(({ service }) => service),
      commandsByName: perSecond(({ service, name }) => `${service} ${name}`),
      cpuMs: Object.fromEntries(used),
    };
  } finally {
    await stop();
  }
}
