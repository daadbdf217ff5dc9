// Runs every benchmark with a time limit, and closes everything that the benchmark opened, however it ends.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { endChildren } from './children.js';
import { currentStep, say } from './progress.js';

/** Time in which a benchmark must close everything after an interruption. */
const CLOSE_MS_MAX = 30_000;
/**
 * Longest delay that a timer of Node.js accepts, more than three weeks. A timer with a longer delay would fire at once.
 */
const TIMER_MS_MAX = 2 ** 31 - 1;

const opened: (() => unknown)[] = [];
let isInterrupted = false;

/**
 * Runs a benchmark and ends the process. The exit code is 1 if the benchmark failed, was interrupted by SIGINT or
 * SIGTERM, or did not end in time ({@link endAfter}).
 */
export async function runProgram(main: () => Promise<void>): Promise<never> {
  // A signal can arrive twice, because npm forwards a signal that the terminal has already sent to this process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void interrupt(`ended by ${signal}`));
  try {
    await closingAfter(() => {
      onEnd(endChildren);
      return main();
    });
  } catch (error) {
    fail(error);
  }
  // After an interruption, the benchmark does nothing more, because the handler of the interruption ends the process.
  if (isInterrupted) await new Promise(() => {});
  return process.exit();
}

/**
 * Interrupts a benchmark that runs longer than the given time.
 * @param minutes number of minutes from now
 */
export function endAfter(minutes: number): void {
  const how = `did not end within ${Number(minutes.toFixed(2))} minutes`;
  setTimeout(() => void interrupt(how), Math.min(minutes * 60_000, TIMER_MS_MAX)).unref();
}

/**
 * Registers a function that closes something at the end of the benchmark or of its current part. The last registered
 * function is called first.
 */
export function onEnd(close: () => unknown): void {
  opened.push(close);
}

/** Runs a part of a benchmark, and then closes the connections and processes that the part opened. */
export async function closingAfter<T>(work: () => Promise<T>): Promise<T> {
  const openedBefore = opened.length;
  try {
    return await work();
  } finally {
    while (!isInterrupted && opened.length > openedBefore) await closeLast();
  }
}

/**
 * Creates a directory for the logs of all processes of the benchmark. At the end, the directory is removed or its path
 * is printed.
 */
export async function logDirectory(name: string, isKept = false): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `invoice-control-${name}-`));
  onEnd(() => (isKept ? say(`logs in ${directory}`) : rm(directory, { recursive: true, force: true, maxRetries: 3 })));
  return directory;
}

async function interrupt(how: string): Promise<void> {
  if (isInterrupted) return;
  isInterrupted = true;
  say(`${how}; its last step: ${currentStep()}`);
  setTimeout(() => process.exit(1), CLOSE_MS_MAX);
  await endChildren();
  while (opened.length > 0) await closeLast();
  process.exit(1);
}

async function closeLast(): Promise<void> {
  try {
    await opened.pop()?.();
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): void {
  process.exitCode = 1;
  // Failures after an interruption of a benchmark are not reported, because the interruption causes them.
  if (isInterrupted) return;
  // The message of an Error from a benchmark is a sentence; for other errors, the stack shows the cause.
  say(error instanceof Error && error.name === 'Error' ? error.message : inspect(error));
}
