// Reads the options of the one-core measurements, and writes the file with their figures.
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

export interface Options {
  /** Duration of each measurement of the benchmark in seconds. */
  readonly seconds: number;
  /** File to which the figures of the benchmark are written as JSON. */
  readonly json: string | undefined;
}

/**
 * Reads the options of a benchmark from the command line.
 * @returns undefined when help was requested, which has been printed
 */
export function readOptions(usage: string, defaultSeconds: string): Options | undefined {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: defaultSeconds },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return undefined;
  }
  const seconds = Number(values.seconds);
  if (!(seconds > 0 && seconds <= 60))
    throw new Error(`--seconds is "${values.seconds}"; it must be between 0 and 60.`);
  return { seconds, json: values.json };
}

/** Returns a description of the machine, on which the figures of a benchmark depend. */
export function machine() {
  return { at: new Date().toISOString(), node: process.version, processor: cpus()[0]?.model.trim() ?? 'unknown' };
}

export async function writeReport({ json }: { readonly json?: string | undefined }, report: object): Promise<void> {
  if (json !== undefined) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
}
