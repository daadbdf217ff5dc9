import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import { forkProgram } from './confinement.js';
import type { FromChild, ResultOf, Task, ToChild } from './messages.js';

/** Interval of the measurements of a working child's memory: some hundred MiB can be taken between two of them. */
const WATCH_EACH_MS = 50;
const PAGE_BYTES = 4_096;
/**
 * Increment of `nice`: a quarter of the processor while others want it. With less, a busy machine would let documents meet their limit of
 * time.
 */
const NICE_STEP = 5;
const MIB = 1024 * 1024;
/**
 * V8 ends a process whose heap is full. Its limit lies above ours, so that on a busy machine, where looks come late, the same document is
 * still measured first, and not once too large and once a crash.
 */
const HEAP_HEADROOM_BYTES = 256 * MIB;
/** Signals of a process that broke off its own work; every other signal came from outside. */
const CRASH_SIGNALS: readonly (NodeJS.Signals | null)[] = [
  // It exited.
  null,
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGSYS',
  'SIGTRAP',
];
/** Unit in which the system counts the time of a processor. */
const TICK_MS = 10;
/** A document that had a processor for less than this share of its time did not take too long: the machine was busy. */
const BUSY_SHARE_MIN = 0.5;

export interface ChildLimits {
  /** Time limit for a document, unless it must be recognised from pictures. */
  readonly timeMs: number;
  /** Time limit for a document that must be recognised from pictures. */
  readonly recognitionMs: number;
  readonly memoryBytes: number;
}

export interface ChildOptions extends ChildLimits {
  /** True when the child can read nothing on this machine but its code (ADR 0102). */
  readonly isConfined: boolean;
  /** True when other processes get the processor first: the document may be made to take it for long. */
  readonly yieldsProcessor: boolean;
}

/**
 * Reason why a child ended before its result. STARVED: its time was over, and it hardly had a processor. MEMORY: more than its limit was
 * measured. CRASH: it broke off by itself. KILLED: a signal from outside ended it, as the kernel sends one when the container is short of
 * memory, or an operator; that says nothing about the document.
 */
export type Death = 'TIME' | 'STARVED' | 'MEMORY' | 'CRASH' | 'KILLED';

/** Result of the work of a child. */
export type WorkEnd<R> = { readonly result: R } | { readonly death: Death };

export interface ExtractionChild {
  readonly pid: number;
  /** Tasks that it has ended. */
  readonly documents: number;
  /** Resolves when it has ended, however that came. */
  readonly ended: Promise<unknown>;
  /** Resident memory now. */
  memoryBytes(): Promise<number>;
  /**
   * One task at a time. Bytes are sent while they are read, so that the parent holds no file.
   * @throws Error for a defect of the code, and when the bytes cannot be read
   */
  run<T extends Task>(task: T, bytes: AsyncIterable<Uint8Array>): Promise<WorkEnd<ResultOf<T>>>;
  kill(): void;
}

/**
 * Starts a child and resolves when it is warm. Its environment has no secret.
 * @param program the file of the child
 * @param env what it may know
 */
export async function startChild(
  program: string,
  env: Readonly<Record<string, string>>,
  limits: ChildOptions,
): Promise<ExtractionChild> {
  const child = forkProgram(program, {
    env,
    execArgv: [`--max-old-space-size=${Math.floor((limits.memoryBytes + HEAP_HEADROOM_BYTES) / MIB)}`],
    isConfined: limits.isConfined,
  });
  // Before it has threads, which inherit it.
  if (limits.yieldsProcessor && child.pid !== undefined) setPriority(child.pid, lowerPriority());
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (_, signal) => resolve(signal));
    child.once('error', () => resolve(null));
  });
  const ready = new Promise<void>((resolve) => {
    child.once('message', () => resolve());
  });
  const isReady = await Promise.race([ready.then(() => true), ended.then(() => false)]);
  const { pid } = child;
  if (!isReady || pid === undefined)
    throw new Error(`An extraction child did not start (exit code ${child.exitCode}).`);
  let documents = 0;
  return {
    pid,
    ended,
    get documents() {
      return documents;
    },
    memoryBytes: () => residentBytes(pid),
    async run(task, bytes) {
      try {
        return await runTask(child, ended, { task, bytes, limits });
      } finally {
        documents++;
      }
    },
    kill: () => child.kill('SIGKILL'),
  };
}

function lowerPriority(): number {
  return Math.min(getPriority() + NICE_STEP, constants.priority.PRIORITY_LOW);
}

async function runTask<T extends Task>(
  child: ChildProcess,
  ended: Promise<NodeJS.Signals | null>,
  { task, bytes, limits }: { task: T; bytes: AsyncIterable<Uint8Array>; limits: ChildLimits },
): Promise<WorkEnd<ResultOf<T>>> {
  let killedFor: Death | undefined;
  const kill = (why: Death): void => {
    killedFor ??= why;
    child.kill('SIGKILL');
  };
  const { pid = 0 } = child;
  const startedAt = performance.now();
  const processorMsAtStart = await processorMsOf(pid);
  let isOver = false;
  const timeIsUp = async (): Promise<void> => {
    const takenMs = (await processorMsOf(pid)) - processorMsAtStart;
    if (isOver) return;
    kill(deathByTime(takenMs, performance.now() - startedAt));
  };
  let timer = setTimeout(() => void timeIsUp(), limits.timeMs);
  let isRecognising = false;
  const watch = setInterval(() => {
    residentBytes(pid).then(
      (resident) => {
        if (resident > limits.memoryBytes) kill('MEMORY');
      },
      // It has just ended.
      () => {},
    );
  }, WATCH_EACH_MS);
  let listen: ((message: FromChild) => void) | undefined;
  const answered = new Promise<WorkEnd<ResultOf<T>>>((resolve, reject) => {
    listen = (message) => {
      if (message.kind === 'recognises') {
        if (isRecognising) return;
        isRecognising = true;
        clearTimeout(timer);
        timer = setTimeout(() => void timeIsUp(), limits.recognitionMs);
      } else if (message.kind === 'result') {
        resolve({ result: message.result as ResultOf<T> });
      } else if (message.kind === 'defect') {
        reject(new Error(`an extraction child failed: ${message.message}`));
      }
    };
    child.on('message', listen);
  });
  const died = ended.then((signal): WorkEnd<ResultOf<T>> => ({ death: killedFor ?? deathBy(signal) }));
  try {
    const sent = sendAll(child, task, bytes);
    // A failure to read the bytes is thrown; a failure to send them appears as the end of the child.
    await Promise.race([sent, died, answered]);
    return await Promise.race([answered, died]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    clearInterval(watch);
    if (listen !== undefined) child.off('message', listen);
  }
}

async function sendAll(child: ChildProcess, task: Task, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await send(child, { kind: 'task', task });
  for await (const piece of bytes) {
    if (!child.connected) return;
    await send(child, { kind: 'bytes', bytes: piece });
  }
  await send(child, { kind: 'end' });
}

/** Resolves when the message has left; one that cannot leave belongs to a child that has ended. */
function send(child: ChildProcess, message: ToChild): Promise<void> {
  return new Promise((resolve) => {
    if (child.connected) child.send(message, () => resolve());
    else resolve();
  });
}

/** Linux alone tells it; elsewhere only time is limited. */
async function residentBytes(pid: number): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const [, resident = '0'] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ');
  return Number(resident) * PAGE_BYTES;
}

/** Returns the reason of a death that this service did not cause. @param signal null when the child exited */
function deathBy(signal: NodeJS.Signals | null): Death {
  return CRASH_SIGNALS.includes(signal) ? 'CRASH' : 'KILLED';
}

/** Decides whether the document or the machine was too slow. @param processorMs part of the time for which the child had a processor */
export function deathByTime(processorMs: number, elapsedMs: number): Death {
  return processorMs < elapsedMs * BUSY_SHARE_MIN ? 'STARVED' : 'TIME';
}

/**
 * Reads for how long the threads of a process had a processor. Only Linux reports it; the result is Infinity elsewhere, and once the
 * process has ended.
 */
async function processorMsOf(pid: number): Promise<number> {
  if (process.platform !== 'linux') return Infinity;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return Infinity;
  // The name of the program, in brackets, may contain blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = '0', system = '0'] = fields.slice(11, 13);
  return (Number(user) + Number(system)) * TICK_MS;
}
