// Finds promtool, which checks and tests the rules of Prometheus in the contract tests, or gets it from Debian.
import { join } from 'node:path';
import { fileNamed, findProgram, outputOfVersion, unpackDebian } from './program.js';
import type { FoundProgram, Log, Program } from './program.js';

const MB = 1_000_000;

const program: Program = {
  name: 'promtool',
  needed:
    'promtool was not found and could not be fetched. Install Prometheus (https://prometheus.io/download/), or provide a network that ' +
    'reaches a Debian mirror.',
  sources: [
    {
      // The apt source of promtool has no hash, because apt compares what it downloads with the signed list of
      // packages.
      name: 'the package of Debian or Ubuntu (prometheus)',
      bytesMax: 400 * MB,
      async obtain(directory, fetching) {
        await unpackDebian('prometheus', directory, fetching);
        return fileNamed('promtool', join(directory, 'unpacked'));
      },
    },
  ],
  async versionOf(binary) {
    const { stdout } = await outputOfVersion(binary);
    return /promtool, version (\S+)/.exec(stdout)?.[1];
  },
};

/**
 * Returns a promtool that runs on this machine: from PATH, from an earlier test run, or downloaded and stored in
 * `.cache/`.
 * @throws Error naming every source and why it failed
 */
export function findPromtool(log: Log): Promise<FoundProgram> {
  return findProgram(program, log);
}
