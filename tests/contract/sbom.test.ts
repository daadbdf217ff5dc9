import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './kubernetes-objects.js';

test('npm run sbom lists every package in the image with its version, and no package that only tests need', () => {
  const { status, stderr } = spawnSync('npm', ['run', '--silent', 'sbom'], { cwd: root, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const bom = JSON.parse(readFileSync(join(root, '.cache/sbom.cdx.json'), 'utf8')) as {
    bomFormat: string;
    components: { name: string; version: string; purl: string }[];
  };
  expect(bom.bomFormat).toBe('CycloneDX');
  const packages = bom.components.map(({ purl }) => decodeURIComponent(purl).replace(/^pkg:npm\/(.+)@.*$/, '$1'));
  expect(packages).toEqual(expect.arrayContaining(['mongodb', 'express', '@grpc/grpc-js', '@invoicecontrol/gateway']));
  for (const development of ['vitest', '@invoicecontrol/testkit']) expect(packages).not.toContain(development);
  expect(bom.components.filter(({ version, purl }) => !version || !purl.startsWith('pkg:npm/'))).toEqual([]);
});
