// Writes the list of all packages in the image, as a CycloneDX file: `npm run sbom`. The option `--omit dev` of npm is
// not used, because it leaves out every package that is a development dependency of any workspace, even if a service
// needs it (express, mongodb). Instead, npm lists all packages, and this program keeps those that the services, the web
// application and the operator's command line need according to the lock file.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const needed = new Set();
for (const path of Object.keys(packages)) if (/^(?:services\/[^/]+|tools\/admin|console)$/.test(path)) follow(path);

const listed = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  }),
);
const kept = new Set([...needed].map((path) => `${nameOf(path)}@${packages[path].version}`));
const isKept = (reference) => kept.has(reference.split('|', 1)[0]);
listed.components = listed.components.filter((component) => isKept(component['bom-ref']));
listed.dependencies = listed.dependencies.filter(({ ref }) => isKept(ref));
for (const dependency of listed.dependencies) dependency.dependsOn = (dependency.dependsOn ?? []).filter(isKept);
const missing = [...kept].filter((name) => !listed.components.some((component) => component['bom-ref'] === name));
if (missing.length > 0) throw new Error(`npm did not list ${missing.join(', ')}.`);
mkdirSync('.cache', { recursive: true });
writeFileSync('.cache/sbom.cdx.json', `${JSON.stringify(listed, null, 2)}\n`);
console.log(`.cache/sbom.cdx.json: ${listed.components.length} packages`);

/** Adds an npm package, by its path in the lock file, and all packages that it needs at run time. */
function follow(path) {
  const target = packages[path].link ? packages[path].resolved : path;
  if (needed.has(target)) return;
  needed.add(target);
  const { dependencies, optionalDependencies, peerDependencies } = packages[target];
  for (const name of Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies })) {
    const found = resolve(name, target);
    if (found !== undefined) follow(found);
  }
}

/**
 * Finds an npm package as Node.js does: in the directory itself, then in each directory above it. Optional packages may
 * be missing.
 */
function resolve(name, from) {
  for (let directory = from; ; directory = directory.replace(/(?:^|\/)[^/]*$/, '')) {
    const candidate = `${directory === '' ? '' : `${directory}/`}node_modules/${name}`;
    if (candidate in packages) return candidate;
    if (directory === '') return undefined;
  }
}

function nameOf(path) {
  return packages[path].name ?? path.replace(/^.*node_modules\//, '');
}
