import { spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from './kubernetes-objects.js';

interface Container {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly restart?: string;
  readonly volumes?: readonly unknown[];
}

const { services } = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'), { merge: true }) as {
  services: Record<string, Container>;
};

test('a second start of MongoDB replaces the key of the first one, which belongs to another user', () => {
  const [, , script = ''] = services['mongodb']?.command ?? [];
  const directory = mkdtempSync(join(tmpdir(), 'compose-test-'));
  try {
    const programs = join(directory, 'bin');
    mkdirSync(programs);
    for (const name of ['chown', 'docker-entrypoint.sh']) {
      writeFileSync(join(programs, name), '#!/bin/sh\n');
      chmodSync(join(programs, name), 0o755);
    }
    const key = join(directory, 'replica-set.key');
    const former = join(directory, 'former');
    writeFileSync(former, 'key of the first start');
    linkSync(former, key);
    // Compose writes `$$` for a dollar that the shell reads.
    const local = script.replaceAll('$$', '$').replaceAll('/tmp/', `${directory}/`);
    expect(local).toContain(key);
    const { status } = spawnSync('sh', ['-ec', local], {
      env: { PATH: `${programs}:${process.env['PATH']}`, MONGODB_KEY: 'secret' },
    });
    expect(status).toBe(0);
    expect(readFileSync(key, 'utf8')).toBe('secret');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    // Linux refuses to open the file of another user in /tmp for writing (fs.protected_regular), so it is not written to.
    expect(readFileSync(former, 'utf8')).toBe('key of the first start');
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('certificates are made again while the services run, by the program that made them first', () => {
  const { certificates: first, 'certificate-renewal': renewal } = services;
  expect(renewal).toMatchObject({ image: first?.image, volumes: first?.volumes, restart: 'unless-stopped' });
  const made = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .split('\n')
    .find((line) => line.startsWith('CMD ') && line.includes('write-identities'));
  const program = JSON.parse(made?.slice('CMD '.length) ?? '[]') as string[];
  expect(program.length).toBeGreaterThan(1);
  expect(renewal?.command?.at(-1)).toContain(program.join(' '));
});
