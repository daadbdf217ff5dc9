import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Fa3Description } from '@invoicecontrol/compliance/fa3-document';
import type { ConfirmationCheck } from '@invoicecontrol/compliance/ksef-confirmation';
import { DomainError } from '@invoicecontrol/errors';
import type { Examination } from '@invoicecontrol/extraction/examine-document';
import type { ReadingFailure } from '@invoicecontrol/extraction/reading';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { ConfirmationChecker } from '../application/check-confirmation.js';
import type { Fa3Describer } from '../application/describe-fa3.js';
import type { DocumentReader } from '../application/extract-document.js';
import type { DocumentRenderer } from '../application/render-document.js';
import { childKilled } from '../telemetry.js';
import { startChild } from './child-process.js';
import type { ChildLimits, Death, ExtractionChild, WorkEnd } from './child-process.js';
import type { ResultOf, Task } from './messages.js';

/** The compiled child, also where tests run the sources. */
const PROGRAM = fileURLToPath(new URL('../../dist/extraction/child.js', import.meta.url));
/** XML up to this size is read within a fraction of a second, so one child reads nothing else (ADR 0073). */
export const QUICK_BYTES_MAX = 256 * 1024;
/** Quick documents that wait for a child, and as many others; beyond them callers are told to come back. */
export const WAITING_MAX = 100;
/** Part of each limit for one organization. */
export const WAITING_OF_ORGANIZATION_MAX = 50;
/** A child is replaced after so many documents: parsers written in C keep what they once took. */
export const DOCUMENTS_PER_CHILD_MAX = 200;
/** One that holds more than this share of its limit between two documents would be killed for the one before. */
const IDLE_MEMORY_SHARE_MAX = 0.75;
/**
 * A document whose child died is read once more, in a fresh child: the first may have suffered from those before it. One that used up its
 * time is not (ADR 0075).
 */
const ATTEMPTS_MAX = 2;
/**
 * Deaths by a signal from outside do not count as attempts. After this number the caller is told to retry: nothing is decided about the
 * document.
 */
const KILLS_MAX = 2;
/** After a child that did not start. */
const RESTART_PAUSE_MS = 1_000;

/** Deaths of a child that its document caused. */
type Verdict = Exclude<Death, 'KILLED'>;

/** Kind of work of a child. */
type Lane = 'QUICK' | 'ANY';

export interface PoolOptions {
  /** Number of children that do any work; one more reads quick documents. */
  readonly children: number;
  readonly limits: ChildLimits;
  /** Folder of official rules; none where it is undefined. */
  readonly rulesDir: string | undefined;
  /** See {@link confines}. */
  readonly isConfined: boolean;
  readonly logger: Logger;
  /** Program of the children; tests replace it. */
  readonly program?: string;
}

export interface ExtractionPool extends DocumentReader, DocumentRenderer, Fa3Describer, ConfirmationChecker {
  /** Process ids of the children. */
  pids(): readonly number[];
  /** Documents that wait for a child. */
  readonly waiting: number;
  /** Ends the children; their results are lost, and read again when a caller retries. */
  close(): void;
}

/** Work of a child, and its organization. */
interface Work<T extends Task, R> {
  readonly organizationId: string;
  readonly task: T;
  readonly isQuick: boolean;
  /** Returns the bytes from their beginning on each call. */
  bytes(): AsyncIterable<Uint8Array>;
  /** Runs while the child waits: so there are no more results in memory than children. */
  finish(result: ResultOf<T>): Promise<R>;
}

/** A caller that waits for a child. */
interface Waiter {
  readonly organizationId: string;
  readonly kind: Task['kind'];
  readonly isQuick: boolean;
  readonly take: (child: ExtractionChild) => void;
  readonly fail: (error: Error) => void;
}

/** Starts the children; they are warm when the first document comes, or it waits for them. */
export function extractionPool(options: PoolOptions): ExtractionPool {
  const { children, limits, rulesDir, isConfined, logger, program = PROGRAM } = options;
  const env = rulesDir === undefined ? {} : { RULES_DIR: rulesDir };
  const lanes = new Map<ExtractionChild, Lane>();
  const idle: ExtractionChild[] = [];
  const waiters: Waiter[] = [];
  /** Children that read for an organization; no entry for none. */
  const reading = new Map<string, number>();
  let isClosed = false;

  /** A child that has read nothing yet. @throws DomainError unavailable when the pool is closed */
  const start = async (lane: Lane): Promise<ExtractionChild> => {
    while (!isClosed) {
      try {
        const child = await startChild(program, env, { ...limits, isConfined, yieldsProcessor: lane === 'ANY' });
        lanes.set(child, lane);
        void child.ended.then(() => replaceIdle(child));
        if (!isClosed) return child;
        child.kill();
      } catch (error) {
        logger.error({ error }, 'an extraction child did not start');
        await delay(RESTART_PAUSE_MS, undefined, { ref: false });
      }
    }
    throw stopping();
  };
  const add = (lane: Lane): void => {
    // It fails only when the pool is closed.
    start(lane).then(offer, () => {});
  };
  const canDo = (child: ExtractionChild, isQuick: boolean): boolean => isQuick || lanes.get(child) === 'ANY';
  const offer = (child: ExtractionChild): void => {
    const waiter = nextOf(
      waiters.filter(({ isQuick }) => canDo(child, isQuick)),
      reading,
    );
    if (waiter === undefined) {
      idle.push(child);
      return;
    }
    waiters.splice(waiters.indexOf(waiter), 1);
    waiter.take(child);
  };
  /** @returns the lane in which another takes its place */
  const remove = (child: ExtractionChild): Lane => {
    const lane = lanes.get(child) ?? 'ANY';
    lanes.delete(child);
    child.kill();
    return lane;
  };
  const replace = (child: ExtractionChild): void => add(remove(child));
  /** One that ended between two documents. Of one that ended during a document, its attempt takes care. */
  const replaceIdle = (child: ExtractionChild): void => {
    const at = idle.indexOf(child);
    if (at === -1) return;
    idle.splice(at, 1);
    if (!isClosed) logger.warn({ pid: child.pid }, 'an idle extraction child ended');
    replace(child);
  };
  const takeIdle = (isQuick: boolean): ExtractionChild | undefined => {
    const fitting = idle.filter((child) => canDo(child, isQuick));
    const child = fitting.find((one) => isQuick && lanes.get(one) === 'QUICK') ?? fitting[0];
    if (child !== undefined) idle.splice(idle.indexOf(child), 1);
    return child;
  };
  /** Gives the child to the next document, or replaces it. */
  const giveBack = async (child: ExtractionChild): Promise<void> => {
    const isWorn = child.documents >= DOCUMENTS_PER_CHILD_MAX;
    const isFat = (await child.memoryBytes().catch(() => Infinity)) > limits.memoryBytes * IDLE_MEMORY_SHARE_MAX;
    if (isWorn || isFat || isClosed) replace(child);
    else offer(child);
  };
  const take = async ({
    organizationId,
    task: { kind },
    isQuick,
  }: Pick<Work<Task, never>, 'organizationId' | 'task' | 'isQuick'>): Promise<ExtractionChild> => {
    if (isClosed) throw stopping();
    const child = takeIdle(isQuick);
    if (child !== undefined) return child;
    const alike = waiters.filter((waiter) => waiter.isQuick === isQuick);
    const ofOrganization = alike.filter((waiter) => waiter.organizationId === organizationId).length;
    if (alike.length >= WAITING_MAX || ofOrganization >= WAITING_OF_ORGANIZATION_MAX) {
      throw new DomainError(
        'unavailable',
        'Too many documents wait to be read right now. Retry the request in a moment.',
        { retryAfterSeconds: 5 },
      );
    }
    return new Promise((resolve, reject) =>
      waiters.push({ organizationId, kind, isQuick, take: resolve, fail: reject }),
    );
  };
  const count = (organizationId: string, change: number): void => {
    const children = (reading.get(organizationId) ?? 0) + change;
    if (children === 0) reading.delete(organizationId);
    else reading.set(organizationId, children);
  };
  /** Gives the child back; one that did not come to a result is left to the caller when it died, and else replaced. */
  const attempt = async <T extends Task, R>(work: Work<T, R>, child: ExtractionChild): Promise<WorkEnd<R>> => {
    let end: WorkEnd<ResultOf<T>> | undefined;
    count(work.organizationId, 1);
    try {
      end = await child.run(work.task, work.bytes());
      return 'result' in end ? { result: await work.finish(end.result) } : end;
    } finally {
      count(work.organizationId, -1);
      // One whose task failed in any other way may be in the middle of it.
      if (end === undefined) replace(child);
      else if ('result' in end) void giveBack(child);
    }
  };
  /** @throws DomainError unavailable when signals from outside end the children that work at it */
  const perform = async <T extends Task, R>(work: Work<T, R>): Promise<{ result: R } | { death: Verdict }> => {
    let child = await take(work);
    for (let attempts = 1, kills = 0; ;) {
      const end = await attempt(work, child);
      if (!('death' in end)) return end;
      const { death } = end;
      childKilled(death);
      logger.warn({ death, mediaType: work.task.mediaType, attempts }, 'an extraction child ended');
      const lane = remove(child);
      if (death === 'KILLED' ? ++kills < KILLS_MAX : death !== 'TIME' && attempts++ < ATTEMPTS_MAX) {
        child = await start(lane);
        continue;
      }
      add(lane);
      if (death === 'KILLED') throw interrupted();
      return { death };
    }
  };

  add('QUICK');
  for (let started = 0; started < children; started++) add('ANY');
  return {
    async read({ task, byteSize, ...request }) {
      const finish = (result: Examination) => Promise.resolve(result);
      const end = await perform({
        ...request,
        task: { kind: 'READ', ...task },
        isQuick: isQuick(task, byteSize),
        finish,
      });
      if ('result' in end) return end.result;
      return { outcome: { failure: failureOf(end.death, limits) }, validation: null };
    },
    async render({ task, byteSize, ...request }, store) {
      const end = await perform({
        ...request,
        task: { kind: 'RENDER', ...task },
        isQuick: isQuick(task, byteSize),
        finish: store,
      });
      return 'result' in end ? end.result : store({ failure: renderingFailureOf(end.death, limits) });
    },
    async describeFa3({ organizationId, byteSize, bytes }) {
      const task = { kind: 'FA3', mediaType: 'application/xml' } as const;
      const finish = (result: Fa3Description) => Promise.resolve(result);
      const end = await perform({ organizationId, task, isQuick: isQuick(task, byteSize), bytes, finish });
      if ('result' in end) return end.result;
      throw unreadable(end.death, limits);
    },
    async checkConfirmation({ organizationId, xml, confirmed, trust }) {
      const task = { kind: 'CONFIRMATION', mediaType: 'application/xml', confirmed, trust } as const;
      const finish = (result: ConfirmationCheck) => Promise.resolve(result);
      async function* bytes(): AsyncIterable<Uint8Array> {
        yield xml;
      }
      const end = await perform({ organizationId, task, isQuick: isQuick(task, xml.length), bytes, finish });
      if ('result' in end) return end.result;
      throw unreadable(end.death, limits);
    },
    pids: () => [...lanes.keys()].map(({ pid }) => pid),
    get waiting() {
      return waiters.length;
    },
    close() {
      isClosed = true;
      for (const child of lanes.keys()) child.kill();
      for (const waiter of waiters.splice(0)) waiter.fail(stopping());
    },
  };
}

/**
 * The first of those whose organization has the fewest children: documents of one that take long hold up no other's. Of one organization,
 * what a person wants to see comes before what is to be read.
 */
function nextOf(waiters: readonly Waiter[], reading: ReadonlyMap<string, number>): Waiter | undefined {
  const readingFor = ({ organizationId }: Waiter): number => reading.get(organizationId) ?? 0;
  const [first] = waiters.toSorted((left, right) => readingFor(left) - readingFor(right));
  const rendering = waiters.find(
    ({ organizationId, kind }) => kind === 'RENDER' && organizationId === first?.organizationId,
  );
  return rendering ?? first;
}

function isQuick({ mediaType }: Pick<Task, 'mediaType'>, byteSize: number): boolean {
  return mediaType === 'application/xml' && byteSize <= QUICK_BYTES_MAX;
}

function stopping(): DomainError {
  return new DomainError('unavailable', 'The service is stopping. Retry the request in a moment.');
}

/** Refusal of work whose children were ended from outside. */
function interrupted(): DomainError {
  return new DomainError(
    'unavailable',
    'The processes that read documents were interrupted. Retry the request in a moment.',
    { retryAfterSeconds: 5 },
  );
}

function failureOf(death: Verdict, { timeMs, recognitionMs, memoryBytes }: ChildLimits): ReadingFailure {
  const common = { missingFields: [], reading: null };
  if (death === 'TIME' || death === 'STARVED') {
    const seconds = `${timeMs / 1_000} s (${recognitionMs / 1_000} s for scans)`;
    return {
      ...common,
      reason: 'TIMED_OUT',
      message: `The document could not be read within ${seconds}. Send it with fewer pages or simpler content.`,
    };
  }
  if (death === 'CRASH') {
    return {
      ...common,
      reason: 'CRASHED',
      message:
        'The document crashes the program that reads it. Export it again, or with another program, and send the new file.',
    };
  }
  return {
    ...common,
    reason: 'TOO_LARGE',
    message: `Reading the document needs more than ${toMib(memoryBytes)} of memory. Send it with fewer pages or smaller pictures.`,
  };
}

function renderingFailureOf(
  death: Verdict,
  { timeMs, memoryBytes }: ChildLimits,
): Pick<ReadingFailure, 'reason' | 'message'> {
  const instead = 'Read the original file.';
  if (death === 'TIME' || death === 'STARVED') {
    return { reason: 'TIMED_OUT', message: `The document could not be drawn within ${timeMs / 1_000} s. ${instead}` };
  }
  if (death === 'CRASH')
    return { reason: 'CRASHED', message: `Drawing the document crashes the program that draws it. ${instead}` };
  return {
    reason: 'TOO_LARGE',
    message: `Drawing the document needs more than ${toMib(memoryBytes)} of memory. ${instead}`,
  };
}

/** Refusal of an invoice or a confirmation in XML. A retry may succeed if the child hardly had a processor. */
function unreadable(death: Verdict, { timeMs, memoryBytes }: ChildLimits): DomainError {
  if (death === 'STARVED') {
    return new DomainError('unavailable', 'The document could not be read in time. Retry the request in a moment.', {
      retryAfterSeconds: 5,
    });
  }
  if (death === 'CRASH') {
    return new DomainError(
      'unprocessable',
      'The document crashes the program that reads it. Export it again, or with another program, and send the new file.',
    );
  }
  const limit = death === 'TIME' ? `more than ${timeMs / 1_000} s` : `more than ${toMib(memoryBytes)} of memory`;
  return new DomainError('unprocessable', `Reading the document takes ${limit}. Send a document with simpler content.`);
}

function toMib(bytes: number): string {
  return `${Math.floor(bytes / (1024 * 1024))} MiB`;
}
