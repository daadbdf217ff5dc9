import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import { forkProgram } from './confinement.js';
import { XML_ONLY } from './messages.js';
import type { FromChild, ResultOf, Task, ToChild } from './messages.js';

/**
 * Interval at which the memory of a working child process is measured. Between two measurements the child process can
 * allocate some hundred MiB.
 */
const WATCH_EACH_MS = 50;
const PAGE_BYTES = 4_096;
/**
 * Increment of `nice` for child processes. It leaves them a quarter of the processor while other processes need the
 * processor. With a smaller share, documents would reach their time limit on a busy machine.
 */
const NICE_STEP = 5;
const MIB = 1024 * 1024;
/**
 * Number of bytes by which the V8 heap limit of a child process is higher than the memory limit of the documents
 * service. V8 crashes a process that exceeds its heap limit. The number is large, so that the documents service ends
 * the process first, even on a busy machine on which it measures the memory late, and the same document always fails
 * for the same reason.
 */
const HEAP_HEADROOM_BYTES = 256 * MIB;
/** Signals that indicate a crash of a child process. Every other signal was sent to the child process from outside. */
const CRASH_SIGNALS: readonly (NodeJS.Signals | null)[] = [
  // The signal null means that the child process that reads documents exited without a signal, which is a crash as
  // well.
  null,
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGSYS',
  'SIGTRAP',
];
/** Unit in milliseconds in which Linux counts processor time. */
const TICK_MS = 10;
/**
 * Minimum share of the elapsed time for which a child process must have had a processor core. If the share is smaller,
 * the machine was busy, and the document is not the reason for the timeout.
 */
const BUSY_SHARE_MIN = 0.5;

export interface ChildLimits {
  /** Time limit for reading a document without text recognition. */
  readonly timeMs: number;
  /** Time limit for reading a document whose text must be recognised from images. */
  readonly recognitionMs: number;
  readonly memoryBytes: number;
}

export interface ChildOptions extends ChildLimits {
  /** True if the child process can read nothing on this machine except its own code (ADR 0102). */
  readonly isConfined: boolean;
  /**
   * True if the child process reads only XML, which takes a fraction of a second. A child process that reads all kinds
   * of documents has a lower processor priority, because a hostile document can keep it busy for a long time.
   */
  readonly isXmlOnly: boolean;
}

/**
 * Reason why a child process exited before it had a result. STARVED: the time limit was exceeded, but the process had
 * hardly any processor time. MEMORY: the process exceeded its memory limit. CRASH: the process crashed. KILLED: a
 * signal from outside terminated it, for example from the kernel when the container is short of memory, or from an
 * operator. KILLED says nothing about the document.
 */
export type Death = 'TIME' | 'STARVED' | 'MEMORY' | 'CRASH' | 'KILLED';

/** Outcome of a task in a child process that reads documents. */
export type WorkEnd<R> = { readonly result: R } | { readonly death: Death };

export interface ExtractionChild {
  readonly pid: number;
  /** Number of tasks that a child process for documents has completed. */
  readonly documents: number;
  /** Resolves when the child process has exited for any reason. */
  readonly ended: Promise<unknown>;
  /** Returns the current resident memory of the child process. */
  memoryBytes(): Promise<number>;
  /**
   * Runs one task of a child process at a time. The bytes of the document are sent while they are read, so that the
   * parent never keeps a whole file in memory.
   * @throws Error for a defect of the code, and if the bytes cannot be read
   */
  run<T extends Task>(task: T, bytes: AsyncIterable<Uint8Array>): Promise<WorkEnd<ResultOf<T>>>;
  kill(): void;
}

/**
 * Starts a child process and resolves when it is warm. Its environment contains no secret.
 * @param program program file of the child
 * @param env environment variables of the child
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
    args: limits.isXmlOnly ? [XML_ONLY] : [],
  });
  // The priority is set before the child process that reads documents has threads, because threads inherit it.
  if (!limits.isXmlOnly && child.pid !== undefined) setPriority(child.pid, lowerPriority());
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
    throw new Error(`An extraction process did not start (exit code ${child.exitCode}).`);
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
      // Reading the memory of the child process fails only if the process has just exited, so the error is ignored.
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
    // A failure to read the document is thrown. A failure to send it becomes visible when the child process exits.
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

/** Sends a message to a child process. If sending fails, the child process has exited. */
function send(child: ChildProcess, message: ToChild): Promise<void> {
  return new Promise((resolve) => {
    if (child.connected) child.send(message, () => resolve());
    else resolve();
  });
}

/**
 * Returns the resident memory of a process. Only Linux reports the memory of a process, so on other systems only the
 * time is limited.
 */
async function residentBytes(pid: number): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const [, resident = '0'] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ');
  return Number(resident) * PAGE_BYTES;
}

/**
 * Returns the reason why a child process died if the documents service did not cause its death.
 * @param signal null if the child exited
 */
function deathBy(signal: NodeJS.Signals | null): Death {
  return CRASH_SIGNALS.includes(signal) ? 'CRASH' : 'KILLED';
}

/**
 * Determines whether a document took too long to read, or whether the machine was too busy.
 * @param processorMs time for which the child had a processor core
 */
export function deathByTime(processorMs: number, elapsedMs: number): Death {
  return processorMs < elapsedMs * BUSY_SHARE_MIN ? 'STARVED' : 'TIME';
}

/**
 * Returns for how long a processor has executed the threads of a process. Only Linux reports this time. Returns
 * Infinity on other systems, and after the process has exited.
 */
async function processorMsOf(pid: number): Promise<number> {
  if (process.platform !== 'linux') return Infinity;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return Infinity;
  // In the process status of Linux, the program name is in brackets and may contain blanks, so only the fields after it
  // are split.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = '0', system = '0'] = fields.slice(11, 13);
  return (Number(user) + Number(system)) * TICK_MS;
}
