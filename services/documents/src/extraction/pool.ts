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
import type { ContactFinder } from '../application/find-contact.js';
import type { DocumentRenderer } from '../application/render-document.js';
import { childKilled, documentValidated } from '../telemetry.js';
import { startChild } from './child-process.js';
import type { ChildLimits, Death, ExtractionChild, WorkEnd } from './child-process.js';
import type { ResultOf, Task } from './messages.js';

/**
 * The compiled program that the child processes for documents run. Tests that run from TypeScript sources use the
 * compiled program too.
 */
const PROGRAM = fileURLToPath(new URL('../../dist/extraction/child.js', import.meta.url));
/**
 * Maximum size of XML that the child process for quick documents reads. Such XML is read within a fraction of a second,
 * so a separate child process reads nothing else (ADR 0073).
 */
export const QUICK_BYTES_MAX = 256 * 1024;
/**
 * Maximum number of documents that wait for a child process, separately for quick documents and for all other
 * documents. Further requests are refused, and their callers must retry.
 */
export const WAITING_MAX = 100;
/** Maximum number of waiting documents for one organization. */
export const WAITING_OF_ORGANIZATION_MAX = 50;
/**
 * Number of documents after which a child process is replaced, because parsers written in C do not return all their
 * memory.
 */
export const DOCUMENTS_PER_CHILD_MAX = 200;
/**
 * Share of its memory limit above which an idle child process is replaced. Otherwise the child process could be killed
 * because of memory that its previous document used.
 */
const IDLE_MEMORY_SHARE_MAX = 0.75;
/**
 * Number of attempts to read a document. If its child process died, the document is read once more in a new child,
 * because the first child may have suffered from earlier documents. A document that used up its time is not read again
 * (ADR 0075).
 */
const ATTEMPTS_MAX = 2;
/**
 * Maximum number of times that a signal from outside may kill the child process of a document. Such a death does not
 * count as an attempt. Once the maximum is reached, the caller must retry, because the document was not read.
 */
const KILLS_MAX = 2;
/** Pause in milliseconds after a child process for documents failed to start. */
const RESTART_PAUSE_MS = 1_000;

/** Reasons for the end of a child process that are caused by the document that it read. */
type Verdict = Exclude<Death, 'KILLED'>;

/** Kind of documents that a child process of the pool accepts. */
type Lane = 'QUICK' | 'ANY';

export interface PoolOptions {
  /**
   * Number of child processes for all kinds of documents. In addition, one child process reads only quick documents.
   */
  readonly children: number;
  readonly limits: ChildLimits;
  /** Directory with official validation rules for invoices. Undefined if there is none. */
  readonly rulesDir: string | undefined;
  /** True if the child processes that read documents are confined. See {@link confines}. */
  readonly isConfined: boolean;
  readonly logger: Logger;
  /** Path of the program that the child processes for documents run. Tests replace it. */
  readonly program?: string;
}

export interface ExtractionPool
  extends DocumentReader, DocumentRenderer, Fa3Describer, ConfirmationChecker, ContactFinder {
  /** Returns the process ids of the child processes that read documents. */
  pids(): readonly number[];
  /** Number of documents that are waiting for a child process. */
  readonly waiting: number;
  /**
   * Stops the extraction child processes. Their results are lost, and documents are read again when a caller retries.
   */
  close(): void;
}

/** Work on a document that a child process does on behalf of an organization. */
interface Work<T extends Task, R> {
  readonly organizationId: string;
  readonly task: T;
  readonly isQuick: boolean;
  /** Returns the bytes of the document for a child process, from the beginning on each call. */
  bytes(): AsyncIterable<Uint8Array>;
  /**
   * Finishes the work on a document while its child process waits, so that there are never more results in memory than
   * child processes.
   */
  finish(result: ResultOf<T>): Promise<R>;
}

/** A caller that is waiting for a child process to read a document. */
interface Waiter {
  readonly organizationId: string;
  readonly kind: Task['kind'];
  readonly isQuick: boolean;
  readonly take: (child: ExtractionChild) => void;
  readonly fail: (error: Error) => void;
}

/** Starts the extraction child processes. The first document waits until a child process is ready. */
export function extractionPool(options: PoolOptions): ExtractionPool {
  const { children, limits, rulesDir, isConfined, logger, program = PROGRAM } = options;
  const env = rulesDir === undefined ? {} : { RULES_DIR: rulesDir };
  const lanes = new Map<ExtractionChild, Lane>();
  const idle: ExtractionChild[] = [];
  const waiters: Waiter[] = [];
  /**
   * Number of child processes that read documents for each organization. Organizations without a child process have no
   * entry.
   */
  const reading = new Map<string, number>();
  let isClosed = false;

  /**
   * Starts a child process that has read no documents yet.
   * @throws DomainError unavailable if the pool is closed
   */
  const start = async (lane: Lane): Promise<ExtractionChild> => {
    while (!isClosed) {
      try {
        const child = await startChild(program, env, { ...limits, isConfined, isXmlOnly: lane === 'QUICK' });
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
    // The error is ignored, because starting a child process that reads documents fails only if the pool is closed.
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
  /**
   * Removes a child process from the pool of document readers.
   * @returns the kind of documents for which another child process must replace it
   */
  const remove = (child: ExtractionChild): Lane => {
    const lane = lanes.get(child) ?? 'ANY';
    lanes.delete(child);
    child.kill();
    return lane;
  };
  const replace = (child: ExtractionChild): void => add(remove(child));
  /**
   * Replaces a document reading process that exited between two documents. If a child process exits while it reads a
   * document, the attempt to read that document handles the exit.
   */
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
  /** Gives the next waiting document to a free child process, or replaces the child process. */
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
        'Too many documents are waiting to be read. Retry the request in a moment.',
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
  /**
   * Makes one attempt to read a document and returns the child process to the pool. If the child process died, the
   * caller replaces it. If the attempt has no result for another reason, this function replaces the child process.
   */
  const attempt = async <T extends Task, R>(work: Work<T, R>, child: ExtractionChild): Promise<WorkEnd<R>> => {
    let end: WorkEnd<ResultOf<T>> | undefined;
    count(work.organizationId, 1);
    try {
      end = await child.run(work.task, work.bytes());
      return 'result' in end ? { result: await work.finish(end.result) } : end;
    } finally {
      count(work.organizationId, -1);
      // If the attempt failed with an error, the child process may still be reading the document, so it is replaced.
      if (end === undefined) replace(child);
      else if ('result' in end) void giveBack(child);
    }
  };
  /**
   * Performs an extraction task in a child process, and repeats the task if the child process was interrupted.
   * @throws DomainError unavailable if signals from outside terminate the child processes again and again
   */
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
      const finish = async ({ validationMs, ...extraction }: Examination) => {
        if (validationMs !== undefined) documentValidated(extraction.validation?.profile ?? null, validationMs);
        return extraction;
      };
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
    async findContact({ organizationId, byteSize, mediaType, contact, bytes }) {
      const task = { kind: 'CONTACT', mediaType, contact } as const;
      const finish = (result: boolean) => Promise.resolve(result);
      const end = await perform({ organizationId, task, isQuick: isQuick(task, byteSize), bytes, finish });
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
 * Returns the task that gets the next free child process: the first waiting task of the organization that uses the
 * fewest child processes, so that one organization's slow documents delay no other. Within one organization, rendering
 * a document for a person takes precedence over reading a document.
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
  return new DomainError('unavailable', 'The documents service is stopping. Retry the request in a moment.');
}

/** Returns the refusal for a document whose child processes were terminated from outside. */
function interrupted(): DomainError {
  return new DomainError('unavailable', 'Reading the document was interrupted. Retry the request in a moment.', {
    retryAfterSeconds: 5,
  });
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
        'The program that reads documents crashed on this document. Export the document again, if possible with another program, and send the new file.',
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

/**
 * Returns the refusal for an XML invoice or confirmation that could not be read. A retry may succeed if the machine was
 * so busy that the child process hardly had a processor core.
 */
function unreadable(death: Verdict, { timeMs, memoryBytes }: ChildLimits): DomainError {
  if (death === 'STARVED') {
    return new DomainError('unavailable', 'The document could not be read in time. Retry the request in a moment.', {
      retryAfterSeconds: 5,
    });
  }
  if (death === 'CRASH') {
    return new DomainError(
      'unprocessable',
      'The program that reads documents crashed on this document. Export the document again, if possible with another program, and send the new file.',
    );
  }
  const limit = death === 'TIME' ? `more than ${timeMs / 1_000} s` : `more than ${toMib(memoryBytes)} of memory`;
  return new DomainError(
    'unprocessable',
    `The document needs ${limit} to be read. Send a document with simpler content.`,
  );
}

function toMib(bytes: number): string {
  return `${Math.floor(bytes / (1024 * 1024))} MiB`;
}
