import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { declarationOf, metrics } from '@invoicecontrol/runtime/telemetry/schema';
import type { MetricName } from '@invoicecontrol/runtime/telemetry/schema';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SCHEMA = join(root, 'packages/runtime/src/telemetry/schema.ts');

/** Returns the sources below a folder that run in production. */
function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.includes('src/') || folder.includes('src'))
    .filter(
      (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/(?:node_modules|dist|gen|testing)\//.test(path),
    )
    .map((path) => join(root, folder, path))
    .filter((path) => path !== SCHEMA);
}

/** Returns the names of metrics that the sources contain as literals. */
function namedIn(paths: readonly string[]): ReadonlySet<string> {
  return new Set(
    paths.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/'([a-z][\w.]+\.[\w.]+)'/g)].map(([, name = '']) => name),
    ),
  );
}

const ofPackages = namedIn(sourcesIn('packages'));
const folderOf = (owner: string): string => (owner === 'probe' ? 'tools/admin/src' : `services/${owner}/src`);
const ofOwners = new Map<string, ReadonlySet<string>>();
function recordedBy(owner: string): ReadonlySet<string> {
  const known = ofOwners.get(owner) ?? namedIn(sourcesIn(folderOf(owner)));
  ofOwners.set(owner, known);
  return known;
}

function unrecorded(names: readonly string[], ownersOf: (name: string) => readonly string[]): string[] {
  // The schema exports the name of this metric as a constant.
  const constants = new Set(['process.memory.usage']);
  return names.filter(
    (name) =>
      !constants.has(name) && !ofPackages.has(name) && !ownersOf(name).some((owner) => recordedBy(owner).has(name)),
  );
}

test('every declared metric is recorded by the code of one of its owners, or of a package that they share', () => {
  const names = Object.keys(metrics) as MetricName[];
  expect(unrecorded(names, (name) => declarationOf(name as MetricName).owners)).toEqual([]);
  expect(unrecorded(['invoicecontrol.invented'], () => ['scan'])).toEqual(['invoicecontrol.invented']);
  // A metric of another service does not count.
  expect(unrecorded(['invoicecontrol.scans'], () => ['billing'])).toEqual(['invoicecontrol.scans']);
});
