import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Hold, HoldOptions } from '@invoicecontrol/testkit/mongo-proxy';
import type { KillableSystem } from './crash/killable-system.js';
import { reached } from './crash/reached.js';
import { startUploadTrial } from './crash/upload-trial.js';
import type { Sender, UploadTrial } from './crash/upload-trial.js';

/** The client's last request before the service sends the database command. */
type Stage = 'reserve' | 'put' | 'analyze';
type Victim = 'documents' | 'analysis' | 'gateway';

/** A command that an upload or its analysis sends to the database of a service. */
interface Step {
  readonly service: 'documents' | 'analysis';
  readonly command: string;
  readonly stage: Stage;
  /** Position among the same commands of this client. The first one by default. */
  readonly occurrence?: number;
  /** True for a document that cannot be read. */
  readonly isUnreadable?: boolean;
}

/** Database commands in the order in which the services send them. */
const steps: readonly Step[] = [
  { service: 'documents', command: 'insert uploads', stage: 'reserve' },
  // The next command claims the upload for the PUT request.
  { service: 'documents', command: 'findAndModify uploads', stage: 'put' },
  { service: 'documents', command: 'insert contents.chunks', stage: 'put' },
  { service: 'documents', command: 'insert contents.chunks', stage: 'put', occurrence: 2 },
  // The first command creates the counter of the month, and the second one counts.
  { service: 'documents', command: 'update usage', stage: 'put' },
  { service: 'documents', command: 'findAndModify usage', stage: 'put', occurrence: 2 },
  // The next command commits the bytes of the upload.
  { service: 'documents', command: 'update uploads', stage: 'put' },
  // The next two commands keep the upload: the first before an analysis is requested, the second when the analysis
  // begins.
  { service: 'documents', command: 'update uploads', stage: 'analyze' },
  { service: 'documents', command: 'update uploads', stage: 'analyze', occurrence: 2 },
  // The next command reads the bytes of the uploaded file.
  { service: 'documents', command: 'find contents.chunks', stage: 'analyze' },
  { service: 'documents', command: 'insert extractions', stage: 'analyze' },
  { service: 'documents', command: 'insert extractions', stage: 'analyze', isUnreadable: true },
  { service: 'analysis', command: 'update usage', stage: 'analyze' },
  { service: 'analysis', command: 'findAndModify usage', stage: 'analyze', occurrence: 2 },
  { service: 'analysis', command: 'insert upload_analyses', stage: 'analyze' },
  // The next commands belong to the claim of a worker, to reading the document, and to the end of the analysis.
  { service: 'analysis', command: 'findAndModify upload_analyses', stage: 'analyze' },
  { service: 'analysis', command: 'findAndModify upload_analyses', stage: 'analyze', occurrence: 2 },
  { service: 'analysis', command: 'findAndModify upload_analyses', stage: 'analyze', occurrence: 3 },
  { service: 'analysis', command: 'insert invoices', stage: 'analyze' },
  { service: 'analysis', command: 'update invoices', stage: 'analyze' },
  // For an upload that failed, the services reduce the usage counter of its month and publish an event.
  { service: 'analysis', command: 'update usage', stage: 'analyze', occurrence: 2, isUnreadable: true },
  {
    service: 'analysis',
    command: 'findAndModify upload_analyses',
    stage: 'analyze',
    occurrence: 2,
    isUnreadable: true,
  },
];
/**
 * Commands whose client is unknown, so that the first matching one is paused. Each of them has a separate round at the
 * end.
 */
const unnamed: readonly Step[] = [
  { service: 'documents', command: 'insert contents.files', stage: 'put' },
  { service: 'analysis', command: 'update relay', stage: 'analyze' },
  // The next command empties the outbox of an upload that failed.
  { service: 'analysis', command: 'update upload_analyses', stage: 'analyze', isUnreadable: true },
];
/** Collections whose kill points are in crash-points.e2e.test.ts. */
const ofEveryDecision = ['findings', 'policies']
  .map((name) => `analysis: insert ${name}`)
  .concat(['high_amounts', 'invoices', 'links', 'suppliers'].map((name) => `analysis: update ${name}`));
/** The check reads each invoice and its original. The audit entries for these reads are stored up to a second later. */
const ofTheCheck = ['analysis', 'documents'].flatMap((service) =>
  ['insert', 'update'].map((command) => `${service}: ${command} audit_lines`),
);

interface KillPoint extends Step {
  readonly side: HoldOptions['side'];
}

const bothSides = (step: Step): KillPoint[] =>
  // A read changes nothing, so only the point before a read is tested.
  (step.command.startsWith('find ') ? (['before'] as const) : (['before', 'after'] as const)).map((side) => ({
    ...step,
    side,
  }));

let trial: UploadTrial;
const senders: Sender[] = [];
beforeAll(async () => {
  trial = await startUploadTrial();
}, 120_000);
afterAll(() => trial.stop());

/** Lets a new client reach the tested point, where its database command is paused. */
async function reach({ service, command, stage, occurrence, side, isUnreadable }: KillPoint): Promise<Hold> {
  const sender = await trial.newSender(`${side} ${command} ${occurrence ?? ''}`, isUnreadable !== true);
  senders.push(sender);
  if (stage !== 'reserve') await trial.reserve(sender);
  if (stage === 'analyze') await trial.put(sender);
  const isUnnamed = unnamed.some((step) => step.command === command);
  const mentioning = isUnnamed ? undefined : [await textIn(command, sender)];
  const hold = trial.system.proxyOf(service).hold({
    command,
    side,
    ...(occurrence === undefined ? {} : { occurrence }),
    ...(mentioning === undefined ? {} : { mentioning }),
  });
  trial[stage](sender).catch(() => {});
  await reached(hold, `${side} "${command}" (${occurrence ?? 1}) of ${stage} was not reached`);
  return hold;
}

/** Returns the text by which a database command of the client is recognized. */
async function textIn(command: string, sender: Sender): Promise<string> {
  if (command === 'insert contents.chunks') return sender.marker;
  if (command === 'find contents.chunks') return trial.fileIdOf(sender);
  const isByUpload = command === 'findAndModify uploads' || command === 'update uploads';
  return isByUpload ? (sender.uploadId ?? '') : sender.tenant.organizationId;
}

/**
 * Kills the services while every point is reached, and restarts them. The clients then repeat their requests until they
 * get a response.
 */
async function killAt(points: readonly KillPoint[], ...victims: readonly Victim[]): Promise<void> {
  const before = senders.length;
  const holds: Hold[] = [];
  for (const point of points) holds.push(await reach(point));
  await Promise.all(victims.map((victim) => trial.system[victim].kill()));
  for (const hold of holds) hold.drop();
  // If one service is killed, the test ends its leases. If all are killed, the leases expire in real time.
  for (const victim of victims)
    await (victims.length === 1 ? trial.system.restartLater(victim) : trial.system[victim].restart());
  await Promise.all(senders.slice(before).map((sender) => trial.finish(sender)));
}

const stepsOf = (service: Step['service']) => steps.filter((step) => step.service === service);

describe('an upload whose service is killed', () => {
  test('sends no write that has no kill point here, besides those of every decision', async () => {
    const services = ['documents', 'analysis'] as const;
    const seen = (system: KillableSystem) =>
      services.flatMap((service) =>
        system
          .proxyOf(service)
          .commandNames()
          .map((name) => `${service}: ${name}`),
      );
    const before = new Set(seen(trial.system));
    for (const isReadable of [true, false]) {
      const sender = await trial.newSender('Uninterrupted', isReadable);
      senders.push(sender);
      await trial.finish(sender);
    }
    expect(await trial.breaches(senders)).toEqual([]);
    const writes = seen(trial.system).filter(
      (name) => /: (insert|update|delete|findAndModify) /.test(name) && !before.has(name),
    );
    const known = new Set([
      ...[...steps, ...unnamed].map(({ service, command }) => `${service}: ${command}`),
      ...ofEveryDecision,
      ...ofTheCheck,
    ]);
    expect(writes.filter((name) => !known.has(name))).toEqual([]);
  }, 600_000);

  test.each([
    ['documents', [...stepsOf('documents').flatMap(bothSides), { ...unnamed[0], side: 'before' }], ['documents']],
    ['analysis', [...stepsOf('analysis').flatMap(bothSides), { ...unnamed[1], side: 'before' }], ['analysis']],
    [
      'gateway',
      [
        { ...steps[3], side: 'before' },
        { ...steps[9], side: 'before' },
        { ...steps[19], side: 'after' },
      ],
      ['gateway'],
    ],
    [
      'all at once',
      [
        ...steps.map((step, index) => ({ ...step, side: index % 2 === 0 ? 'after' : 'before' })),
        { ...unnamed[2], side: 'after' },
      ],
      ['documents', 'analysis', 'gateway'],
    ],
  ] as [string, KillPoint[], Victim[]][])(
    'is completed, or can be sent again: %s',
    async (_, points, victims) => {
      await expect(killAt(points, ...victims)).resolves.toBeUndefined();
    },
    600_000,
  );

  test('leaves one invoice, one analysis, one event and exact usage, and no bytes without an upload', async () => {
    expect(await trial.breaches(senders)).toEqual([]);
  }, 900_000);
});
