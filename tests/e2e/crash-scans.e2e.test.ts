import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';
import type { Hold, HoldOptions } from '@invoicecontrol/testkit/mongo-proxy';
import type { Killable } from './crash/service-process.js';
import type { SentScan } from './crash/ledger.js';
import { sampleFile } from './crash/sample-invoices.js';
import type { Row, SampleRow } from './crash/sample-invoices.js';
import { overcounted } from './crash/scan-audit.js';
import { reached } from './crash/reached.js';
import { startTrial } from './crash/trial.js';
import type { Trial } from './crash/trial.js';
import type { Scan } from './shapes.js';

/** Number of rows that the analysis service stores at a time, with their derived records. */
const ROWS_OF_SLICE = 25;
const SLICES = 3;
/** Number of rows of a file. The last slice of rows is not full. */
const FILE_ROWS = ROWS_OF_SLICE * SLICES - 5;
/** From 300 rows on, a history scan has a finding about the scan as a whole. */
const LONG_FILE_ROWS = 330;

type Part = 'scan' | 'analysis' | 'gateway' | 'organization' | 'broker' | 'database';

/** A command that a history scan makes a service send to its database. */
interface Step {
  readonly command: string;
  /** Position among the same commands of a history scan. By default the first one. */
  readonly occurrence?: number;
  /** Text that a command without an organization contains. The first matching command is paused. */
  readonly carrying?: string;
  /** Kind of the history scan during which the database command is sent, by default `later`. */
  readonly of?: Kind;
}

/** A history scan is its tenant's first one, a later one, or a later one with a long file. */
type Kind = 'first' | 'later' | 'long';

const stepsOfScan: readonly Step[] = [
  // This command names no organization, because events are published for all organizations.
  { command: 'update relay', carrying: 'relay' },
  // The counter of the month does not exist yet: the service looks for it and then creates it.
  { command: 'findAndModify usage', of: 'first' },
  { command: 'update usage', of: 'first' },
  { command: 'find scans' },
  { command: 'findAndModify usage' },
  { command: 'insert scans' },
  { command: 'insert imported_rows' },
  { command: 'find imported_rows' },
  // For skipped rows, the scan service changes the counter of the scan, records the rows, and returns their quota.
  { command: 'update usage' },
  { command: 'findAndModify scans' },
  { command: 'update usage', occurrence: 2 },
  { command: 'findAndModify scans', occurrence: 2 },
  { command: 'update scans', carrying: 'lastEventAt' },
];

/**
 * Contains an early and a late command among those that are sent for each slice. Commands about events are in a
 * separate list. The state before a read equals the state after the preceding write, and the analysis service runs only
 * a few scans at once, so its reads are left out.
 */
const stepsOfAnalysis: readonly Step[] = [
  { command: 'insert policies', of: 'first' },
  { command: 'update high_amounts', of: 'first' },
  { command: 'update suppliers', of: 'first' },
  { command: 'update links', of: 'first' },
  { command: 'insert scan_runs' },
  { command: 'update relay', carrying: 'relay' },
  { command: 'insert invoices' },
  { command: 'update invoices', carrying: 'lastEventAt' },
  { command: 'insert invoices', occurrence: 2 },
  { command: 'update findings', carrying: 'lastEventAt', of: 'long' },
  { command: 'insert fact_bundles' },
  { command: 'update invoices' },
  { command: 'insert findings' },
  { command: 'update invoices', occurrence: SLICES },
  { command: 'insert findings', occurrence: 2 },
  { command: 'update suppliers' },
  { command: 'update links' },
  { command: 'update scan_runs' },
];

/**
 * These commands are sent at the start and every few seconds. An older consumer position only causes events to be
 * handled again.
 */
const besideScans: ReadonlySet<string> = new Set([
  'update release_policies',
  'update consumer_positions',
  'insert sealing_keys',
]);

/** The finding about the history scan as a whole. It is separate, because it may belong to another scan. */
const findingOfScan: Step = { command: 'insert findings', carrying: 'THRESHOLD_CLUSTER', of: 'long' };

/** The point at which a history scan is paused before a kill. */
interface KillPoint extends Step {
  /** The service that sends the database command. */
  readonly at: 'scan' | 'analysis';
  readonly side: HoldOptions['side'];
}

/** The service to kill when all these points are reached, each by the history scan of another tenant. */
interface Kill {
  readonly victims: readonly Part[];
  readonly points: readonly KillPoint[];
}

/** Number of history scans that the analysis service runs at once. */
const SCANS_AT_ONCE_MAX = 2;
/** Number of history scans that fit into the memory of a scan service and the time limit of the test. */
const STEPS_OF_SCAN_AT_ONCE = 7;

const kills: readonly Kill[] = [
  ...killsOfService('scan', stepsOfScan, STEPS_OF_SCAN_AT_ONCE),
  ...(
    [
      ['gateway'],
      ['broker'],
      ['organization', 'scan', 'analysis'],
      ['database'],
      ['database', 'broker', 'organization', 'analysis', 'scan', 'gateway'],
    ] as const
  ).map((victims): Kill => ({ victims, points: [{ command: 'update invoices', at: 'analysis', side: 'after' }] })),
  ...killsOfService('analysis', stepsOfAnalysis, SCANS_AT_ONCE_MAX),
  ...killsOfService('analysis', [findingOfScan], 1),
];

/** Returns the kills of a service before and after each of its steps, in groups of the given size. */
function killsOfService(at: KillPoint['at'], steps: readonly Step[], stepsAtOnce: number): Kill[] {
  const groups = Array.from({ length: Math.ceil(steps.length / stepsAtOnce) }, (_, group) =>
    steps.slice(group * stepsAtOnce, (group + 1) * stepsAtOnce),
  );
  return groups.flatMap((group) => {
    // After a read, the stored state is the same as before, so the point after a command is tested only for writes.
    const writes = group.filter(({ command }) => !command.startsWith('find '));
    const before = group.map((step): KillPoint => ({ ...step, at, side: 'before' }));
    const after = writes.map((step): KillPoint => ({ ...step, at, side: 'after' }));
    return [before, after].flatMap((points) => (points.length === 0 ? [] : [{ victims: [at], points }]));
  });
}

/** The client gives up at every n-th point, because the sweep finishes one history scan after another. */
const LEAVING_EACH = 3;
const PASSING_MS_MAX = 60_000;
const TRIAL_MS_MAX = 900_000;

let trial: Trial;
/** Responses to undisturbed scans, by kind. */
const undisturbed = new Map<Kind, Figures>();
beforeAll(async () => {
  trial = await startTrial();
  for (const kind of ['first', 'later', 'long'] as const) {
    const tenant = await newTenant('Undisturbed', kind);
    undisturbed.set(kind, figuresOf(await trial.ledger.sendScan(scanning(tenant, kind))));
  }
  await trial.expectNothingUnfinished();
}, 300_000);
afterAll(() => trial.stop());

type Figures = Omit<Scan, 'id'>;

function figuresOf({ id: _id, ...figures }: Scan): Figures {
  return figures;
}

/**
 * Returns a row. The rows have alternating suppliers, copies of invoices, external ids that partly repeat, and many
 * amounts just below a threshold.
 */
function sampleRow(index: number): SampleRow {
  const original = index % 10 === 9 ? index - 4 : index;
  return {
    supplier: original % 7,
    number: `F-${1_000 + original * 37}`,
    amount: original % 11 === 0 ? 9_800 + original / 2 : 100 + ((original * 7_919) % 80_000) / 10,
    issueDate: `2025-${String(1 + (original % 12)).padStart(2, '0')}-1${original % 9}`,
    ...(index % 3 === 0 ? {} : { externalId: `row-${index % 50 === 49 ? index - 2 : index}` }),
  };
}

const longFile: readonly Row[] = sampleFile(Array.from({ length: LONG_FILE_ROWS }, (_, index) => sampleRow(index)));
const file = longFile.slice(0, FILE_ROWS);
/** Different rows, some of which have the same external ids, accounts and orders. */
const earlierFile: readonly Row[] = sampleFile(
  [1, 2, 4, 10].map((index) => ({ ...sampleRow(index), number: `E-${index}` })),
);

const scanning = (tenant: Tenant, kind: Kind): SentScan => ({
  tenant,
  idempotencyKey: 'import',
  rows: kind === 'long' ? longFile : file,
});

/**
 * Number of organizations that are created at the same time. Each is created over a connection of its own, and a service
 * refuses more than 64 unfinished handshakes of one address.
 */
const TENANTS_AT_ONCE = 16;

async function newTenant(name: string, kind: Kind): Promise<Tenant> {
  const tenant = await trial.system.newTenant(name);
  if (kind === 'first') return tenant;
  await trial.ledger.scanWithRetries({ tenant, idempotencyKey: 'earlier', rows: earlierFile });
  return tenant;
}

describe('a scan that is not disturbed', () => {
  test('sends no write that has no kill point here', () => {
    const { proxyOf } = trial.system;
    const writesOf = (service: KillPoint['at']): string[] =>
      proxyOf(service)
        .commandNames()
        .filter((name) => /^(insert|update|delete|findAndModify) /.test(name))
        .filter((name) => !besideScans.has(name));
    const commandsOf = (steps: readonly Step[]): string[] => steps.map(({ command }) => command);
    expect(commandsOf(stepsOfScan)).toEqual(expect.arrayContaining(writesOf('scan')));
    expect(commandsOf(stepsOfAnalysis)).toEqual(expect.arrayContaining(writesOf('analysis')));
  });

  test('includes everything that a crash could lose or repeat', () => {
    const { findingCounts, skippedRows } = undisturbed.get('long') ?? {};
    expect(findingCounts).toMatchObject({ DUPLICATE_INVOICE: expect.any(Number), THRESHOLD_CLUSTER: 1 });
    expect(new Set(skippedRows?.map(({ reason }) => reason))).toEqual(
      new Set(['ALREADY_IMPORTED', 'DUPLICATE_EXTERNAL_ID_IN_FILE']),
    );
  });
});

describe('a scan during which something is killed', () => {
  test(
    'completes under its key as an undisturbed one does, or is completed by the sweep, or leaves nothing, whatever was killed when',
    async () => {
      const { ledger } = trial;
      const points = kills.flatMap((kill) => kill.points);
      const disturb = async (point: KillPoint, index: number): Promise<Disturbed> => {
        const isLeft = index % LEAVING_EACH === 0;
        const name = `${isLeft ? 'Left' : 'Repeated'} ${index}`;
        return { point, isLeft, tenant: await newTenant(name, kindOf(point)) };
      };
      const disturbed: Disturbed[] = [];
      while (disturbed.length < points.length) {
        const first = disturbed.length;
        const group = points.slice(first, first + TENANTS_AT_ONCE);
        disturbed.push(...(await Promise.all(group.map((point, index) => disturb(point, first + index)))));
      }
      await trial.expectNothingUnfinished();

      const answers: Promise<void>[] = [];
      const storedAtKill: string[] = [];
      const expectUndisturbed = ({ point }: Disturbed, scan: Scan): void =>
        expect({ point, ...figuresOf(scan) }).toEqual({ point, ...undisturbed.get(kindOf(point)) });
      const begin = (one: Disturbed): void => {
        if (one.isLeft) {
          ledger.sendScan(scanning(one.tenant, kindOf(one.point))).catch(() => {});
          return;
        }
        const answered = ledger
          .scanWithRetries(scanning(one.tenant, kindOf(one.point)))
          .then((scan) => expectUndisturbed(one, scan));
        answered.catch(() => {});
        answers.push(answered);
      };
      let at = 0;
      for (const kill of kills) {
        const group = disturbed.slice(at, at + kill.points.length);
        at += kill.points.length;
        await killAt(kill.victims, group, begin);
        storedAtKill.push(...(await storedOf(group)));
      }
      await Promise.all(answers);
      await trial.expectPromisesKept();

      for (const one of disturbed.filter(({ isLeft }) => isLeft)) {
        const [completed, ...others] = (await ledger.scansOf(one.tenant)).filter(isOfFile);
        if (completed !== undefined) expectUndisturbed(one, completed);
        expect(others).toEqual([]);
      }
      expect(await storedOf(disturbed)).toEqual(expect.arrayContaining(storedAtKill));
      // Rows may be counted too often only if a history scan service dies after it has counted and before it has stored
      // them.
      const countedOnce = disturbed.filter(({ point }) => point.at === 'analysis');
      const organizationIds = countedOnce.map(({ tenant }) => tenant.organizationId);
      expect(await overcounted(trial.databases, organizationIds)).toEqual([]);
    },
    TRIAL_MS_MAX,
  );
});

/** A tenant whose scan is paused at a point during a kill. */
interface Disturbed {
  readonly point: KillPoint;
  readonly tenant: Tenant;
  /**
   * True if the client does not repeat the request of the history scan. The stored history scan must nevertheless be
   * finished.
   */
  readonly isLeft: boolean;
}

const kindOf = ({ of = 'later' }: Step): Kind => of;

/** The earlier file has fewer rows. */
function isOfFile({ invoicesAnalyzed }: Scan): boolean {
  return invoicesAnalyzed > earlierFile.length;
}

/**
 * Starts the work, kills the processes when each tenant's scan has reached its point, and restarts them. The history
 * scans begin one after the other, because concurrent scans share commands.
 */
async function killAt(
  victims: readonly Part[],
  disturbed: readonly Disturbed[],
  begin: (one: Disturbed) => void,
): Promise<void> {
  const { system } = trial;
  const holds: Hold[] = [];
  for (const one of disturbed) {
    const { at, command, occurrence = 1, carrying = one.tenant.organizationId, side } = one.point;
    const hold = system.proxyOf(at).hold({ command, side, mentioning: [carrying], occurrence });
    holds.push(hold);
    begin(one);
    await reached(hold, `not reached: ${JSON.stringify(one.point)}`);
  }
  const killed = victims.map((victim): Killable => system[victim]);
  await Promise.all(killed.map((victim) => victim.kill()));
  for (const { drop } of holds) drop();
  // Services that are killed together restart at once, and their leases expire in real time.
  const [alone] = victims.length === 1 ? victims : [];
  if (alone === 'scan' || alone === 'analysis') await system.restartLater(alone);
  else for (const victim of killed) await victim.restart();
  await expectScansToPass();
}

/** A history scan service that has not reconnected to the analysis service would delay the next scans for seconds. */
async function expectScansToPass(): Promise<void> {
  const { system, ledger } = trial;
  const passing = async (): Promise<unknown> =>
    ledger.sendScan({ tenant: await system.newTenant('Passing'), idempotencyKey: undefined, rows: earlierFile });
  await eventually(passing, { timeoutMs: PASSING_MS_MAX });
}

async function storedOf(disturbed: readonly Disturbed[]): Promise<string[]> {
  const organizationId = { $in: disturbed.map(({ tenant }) => tenant.organizationId) };
  const scans = await trial.databases.scan.collection<{ _id: string }>('scans').find({ organizationId }).toArray();
  return scans.map(({ _id }) => _id);
}
