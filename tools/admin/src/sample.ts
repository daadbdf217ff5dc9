import { UsageError } from './command.js';
import type { CommandOption } from './command.js';

/** Number of stored analyses that one call reads, small enough for the timeout of a command. */
const PAGE_ANALYSES = 200;
const SAMPLE_MAX = 1_000_000;

/** Option for the number of analyses that a command reads of an organization. */
export const sampleOptions = {
  sample: { value: 'N', description: 'the newest N analyses' },
  all: { description: 'every analysis' },
} satisfies Record<string, CommandOption>;

/**
 * Reads from the options of an operator's command how many stored analyses the command uses: `--sample N` or `--all`.
 * @returns the number of analyses, or Infinity for all
 * @throws UsageError unless exactly one of the two options is given, with a valid number
 */
export function readSample(given: Readonly<Record<string, string | undefined>>): number {
  const { sample, all } = given;
  if ((sample === undefined) === (all === undefined)) throw new UsageError('Pass either --sample N or --all.');
  if (sample === undefined) return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d{0,6}$/.test(sample) || Number(sample) > SAMPLE_MAX) {
    throw new UsageError(`--sample must be a number from 1 to ${SAMPLE_MAX}.`);
  }
  return Number(sample);
}

/** Reads pages of stored analyses until the requested number of analyses, or all analyses, are read. */
export async function walkPages(
  wanted: number,
  ask: (page: { limit: number; pageToken: string }) => Promise<{ nextPageToken: string }>,
): Promise<void> {
  let pageToken = '';
  for (let left = wanted; left > 0; left -= PAGE_ANALYSES) {
    ({ nextPageToken: pageToken } = await ask({ limit: Math.min(PAGE_ANALYSES, left), pageToken }));
    if (pageToken === '') return;
  }
}
