import { expect, test } from 'vitest';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { uploadAnalyzer } from './analyze-upload.js';
import { UPLOADS_AT_ONCE_MAX, uploadWorker } from './upload-worker.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const organizationId = 'org';

/** Starts a worker whose claims of uploads wait until `open` is called. */
function blockedWorker(more: object = {}) {
  const claimed: string[] = [];
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const uploads = {
    // The simulated worker only waits for a timer.
    async claim({ invoiceId }: { readonly invoiceId: string }): Promise<undefined> {
      claimed.push(invoiceId);
      await opened;
    },
    ...more,
  };
  const sweptSoon: Date[] = [];
  const onDue = (at: Date): void => void sweptSoon.push(at);
  const deps = { uploads, onDue, clock: systemClock, logger } as unknown as Parameters<typeof uploadWorker>[0];
  return { worker: uploadWorker(deps), claimed, sweptSoon, open: () => open() };
}

test('8 queued uploads are worked on at once, 200 wait, and what is more is left to the sweep', async () => {
  const due = async () => [{ organizationId, invoiceId: 'left to the sweep' }];
  const { worker, claimed, sweptSoon, open } = blockedWorker({ due });
  const queue = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index++) worker.queue({ organizationId, invoiceId: `${index}` });
    await eventually(() => expect(claimed).toHaveLength(8));
  };
  await queue(0, 8);
  await queue(8, 8 + 200);
  await queue(8 + 200, 8 + 200 + 1);
  open();
  await eventually(() => expect(claimed).toHaveLength(8 + 200));
  expect(claimed).not.toContain('208');
  // Once the queue is empty, the sweep is asked for what was left to it.
  await eventually(() => expect(sweptSoon.length).toBeGreaterThan(0));
  await worker.sweep();
  await eventually(() => expect(claimed).toContain('left to the sweep'));
  await worker.stop();
});

test('92 uploads are worked on for callers who wait; the next is refused and left to the sweep, but not one that is being worked on', async () => {
  const atOnceMax = UPLOADS_AT_ONCE_MAX - 8;
  expect(atOnceMax).toBe(92);
  const { worker, claimed, sweptSoon, open } = blockedWorker();
  const work = (index: number): Promise<void> =>
    worker.work({ organizationId, invoiceId: `${index}` } as Parameters<typeof worker.work>[0]);
  const running = Array.from({ length: atOnceMax }, (_, index) => work(index));
  await expect(work(atOnceMax)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(sweptSoon).toHaveLength(1);
  const repeated = work(0);
  // A queued upload is still worked on, because queued uploads have a limit of their own.
  worker.queue({ organizationId, invoiceId: 'queued' } as Parameters<typeof worker.queue>[0]);
  await eventually(() => expect(claimed).toHaveLength(atOnceMax + 1));
  expect(claimed).toContain('queued');
  open();
  await Promise.all([...running, repeated]);
  await work(atOnceMax);
  expect(claimed).toHaveLength(atOnceMax + 2);
  await worker.stop();
});

test('a caller who waits is answered at the end of the budget, one who prefers not to wait at once', async () => {
  const queued: unknown[] = [];
  const record = { organizationId, invoiceId: 'invoice', uploadId: 'upload', state: 'QUEUED', request: {} };
  const analyzer = uploadAnalyzer({
    uploads: { find: async () => record },
    documents: { keepUploaded: async () => ({}) },
    worker: { work: () => new Promise(() => {}), queue: (reference: unknown) => queued.push(reference) },
    synchronousMsMax: 50,
  } as unknown as Parameters<typeof uploadAnalyzer>[0]);
  const analyze = (respondAsync: boolean, waitMs = 0) =>
    analyzer.analyze(
      {
        organizationId,
        uploadId: 'upload',
        request: {},
        origin: undefined,
        monthlyLimit: undefined,
        respondAsync,
        waitMs,
      },
      systemContext('test'),
    );
  await expect(analyze(false)).rejects.toMatchObject({
    kind: 'deadline',
    publicMessage: expect.stringContaining('The document is still being analyzed. GET /v1/uploads/upload/status'),
  });
  expect(queued).toEqual([]);
  expect(await analyze(true)).toMatchObject({ isDecided: false, isReplayed: true });
  expect(queued).toEqual([record]);
  let hasWaited = false;
  setTimeout(() => (hasWaited = true), 19);
  expect(await analyze(true, 20)).toMatchObject({ isDecided: false });
  expect(hasWaited).toBe(true);
  // The response is not delayed for longer than without `respondAsync`.
  expect(await analyze(true, 3_600_000)).toMatchObject({ isDecided: false });
  expect(queued).toEqual([record, record, record]);
});
