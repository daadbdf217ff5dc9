import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { Hold, HoldOptions } from '@invoicecontrol/testkit/mongo-proxy';
import { eventually } from '@invoicecontrol/testkit/eventually';
import type { Sent } from './crash/ledger.js';
import { sampleInvoice } from './crash/sample-invoices.js';
import { reached } from './crash/reached.js';
import { startTrial } from './crash/trial.js';
import type { Trial } from './crash/trial.js';

interface Step {
  readonly command: string;
  readonly of: 'a first invoice' | 'a duplicate' | 'the third of three in a row';
  /** A text of the command, for commands that name no organization. The first command that contains it is paused. */
  readonly containing?: string;
}

/** Every command that an analysis sends to its database, and the invoice of a supplier that causes it. */
const steps: readonly Step[] = [
  // The services repair the effects of these commands within seconds, so these commands come first, while nothing else is in progress.
  { command: 'update relay', of: 'a duplicate', containing: 'lastSeq' },
  { command: 'update invoices', of: 'a duplicate', containing: 'recentEvents' },
  // The counter of the month does not exist yet: the service looks for it and then creates it.
  { command: 'findAndModify usage', of: 'a first invoice' },
  { command: 'update usage', of: 'a first invoice' },
  { command: 'insert policies', of: 'a first invoice' },
  { command: 'update high_amounts', of: 'a first invoice' },
  { command: 'update suppliers', of: 'a first invoice' },
  { command: 'update links', of: 'a first invoice' },
  { command: 'findAndModify usage', of: 'a duplicate' },
  // The second invoice reserved a block of units. The third one uses it without a command, and the block then ends.
  { command: 'findAndModify usage', of: 'the third of three in a row' },
  { command: 'find suppliers', of: 'a duplicate' },
  { command: 'insert invoices', of: 'a duplicate' },
  { command: 'find invoices', of: 'a duplicate' },
  { command: 'find links', of: 'a duplicate' },
  { command: 'update invoices', of: 'a duplicate' },
  { command: 'insert findings', of: 'a duplicate' },
  { command: 'update suppliers', of: 'a duplicate' },
  { command: 'update links', of: 'a duplicate' },
];
/** Number of kill points per round. Each point pauses two database connections of the service. */
const POINTS_AT_ONCE = 9;
interface KillPoint extends Step {
  readonly side: HoldOptions['side'];
  /** A tenant without a quota, whose client retries until it gets a response. */
  readonly retrying: Tenant;
  /** A tenant with a quota, whose client gives up. The service must nevertheless finish the stored requests. */
  readonly leaving: Tenant;
}

let trial: Trial;
beforeAll(async () => {
  trial = await startTrial();
});
afterAll(() => trial.stop());

/** Returns the position of the tenant's invoice that is in progress when the service crashes. */
function timeOf(of: Step['of']): number {
  if (of === 'a first invoice') return 1;
  return of === 'a duplicate' ? 2 : 3;
}

/** Returns the same invoice of the tenant's only supplier, for the n-th time. */
const sending = (tenant: Tenant, time: number): Sent => ({
  tenant,
  idempotencyKey: `time-${time}`,
  invoice: sampleInvoice({ supplier: 1, number: 'RE-2026-0118', amount: 1190, sentAs: `time-${time}` }),
});

describe('an analysis whose process is killed', () => {
  test('sends no write that has no kill point here', async () => {
    const { system, ledger } = trial;
    const before = new Set(system.proxyOf('analysis').commandNames());
    const tenant = await system.newTenant('Uninterrupted');
    await ledger.send(sending(tenant, 1));
    await ledger.send(sending(tenant, 2));
    await trial.expectNothingUnfinished();
    const writes = system
      .proxyOf('analysis')
      .commandNames()
      .filter((name) => /^(insert|update|delete|findAndModify) /.test(name) && !before.has(name));
    expect(steps.map(({ command }) => command)).toEqual(expect.arrayContaining(writes));
  });

  test('loses nothing and repeats nothing when it is killed before or after any command, retried or not', async () => {
    const { system, ledger } = trial;
    const points: KillPoint[] = [];
    for (const [index, step] of steps.entries()) {
      // After a read, the stored state is the same as before, so only the point before the read is tested.
      for (const side of step.command.startsWith('find ') ? (['before'] as const) : (['before', 'after'] as const)) {
        const [retrying, leaving] = await Promise.all([
          system.newTenant(`Retrying ${index} ${side}`),
          system.newTenant(`Leaving ${index} ${side}`, 'CORE'),
        ]);
        points.push({ ...step, side, retrying, leaving });
      }
    }
    const duplicated = points
      .filter(({ of }) => of === 'a duplicate')
      .flatMap((point) => [point.retrying, point.leaving]);
    for (const tenant of duplicated) await ledger.send(sending(tenant, 1));
    await trial.expectNothingUnfinished();

    const retried: Promise<void>[] = [];
    const storedAtKill: string[] = [];
    for (const group of groupsOf(points)) {
      if (group.some(({ containing }) => containing !== undefined)) await eventually(nothingPublishing);
      await killAt(group, ({ of, retrying, leaving }) => {
        const time = timeOf(of);
        const answered = ledger.sendWithRetries(sending(retrying, time));
        answered.catch(() => {});
        retried.push(answered);
        ledger.send(sending(leaving, time)).catch(() => {});
      });
      for (const { leaving } of group) storedAtKill.push(...(await storedBy(leaving)));
    }
    await Promise.all(retried);
    await trial.expectPromisesKept();
    // The stored invoices of the clients that gave up still exist, so they were decided.
    const left = await Promise.all(points.map(({ leaving }) => storedBy(leaving)));
    expect(left.flat()).toEqual(expect.arrayContaining(storedAtKill));
  }, 1_200_000);
});

/**
 * Groups the points that different tenants reach before one kill. Points that do not belong to one tenant form separate
 * groups.
 */
function groupsOf(points: readonly KillPoint[]): KillPoint[][] {
  const alone = points.filter(({ containing }) => containing !== undefined);
  const others = points.filter(({ containing }) => containing === undefined);
  const count = Math.ceil(others.length / POINTS_AT_ONCE);
  const groups = Array.from({ length: count }, (_, group) => others.filter((_point, index) => index % count === group));
  return [...alone.map((point) => [point]), ...groups];
}

/**
 * Starts the work and kills the analysis service when the invoices of all tenants have reached their points. The points
 * begin one after the other, because concurrent invoices share commands.
 */
async function killAt(points: readonly KillPoint[], begin: (point: KillPoint) => void): Promise<void> {
  const { system, ledger } = trial;
  const holds: Hold[] = [];
  for (const point of points) {
    const { command, of, containing, side, retrying, leaving } = point;
    if (of === 'the third of three in a row') {
      for (const tenant of [retrying, leaving]) for (const time of [1, 2]) await ledger.send(sending(tenant, time));
    }
    const mentioning = containing === undefined ? [retrying.organizationId, leaving.organizationId] : [containing];
    const hold = system.proxyOf('analysis').hold({ command, side, mentioning });
    holds.push(hold);
    begin(point);
    await reached(hold, `${side} "${command}" of ${of} was not reached`);
  }
  await system.analysis.kill();
  for (const hold of holds) hold.drop();
  await system.restartLater('analysis');
  const [first] = points;
  if (first !== undefined) await ledger.reach(first.retrying);
}

const nothingPublishing = async (): Promise<void> =>
  expect(await trial.databases.analysis.collection('invoices').countDocuments({ outboxPending: true })).toBe(0);

async function storedBy({ organizationId }: Tenant): Promise<string[]> {
  const invoices = await trial.databases.analysis
    .collection<{ _id: string }>('invoices')
    .find({ organizationId })
    .toArray();
  return invoices.map(({ _id }) => _id);
}
