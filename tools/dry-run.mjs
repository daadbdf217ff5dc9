// Lets a real API server check every overlay and every combination of components, without changing anything but the
// namespace, which it creates: `node tools/dry-run.mjs`. It uses the current context of kubectl. The cluster needs the
// definitions of cert-manager, the Gateway API, the Prometheus operator and External Secrets. It exits with code 1 if
// the server refuses an object or warns about one.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const BYTES_MAX = 64 * 1024 * 1024;
/** Names that an operator must replace. They have capital letters, so a server refuses them, and are checked in lower case. */
const PLACEHOLDERS = /YOUR-[A-Z-]{1,60}|[A-Z]{1,30}-OF-YOUR-CLUSTER/g;

function kubectl(args, input) {
  return spawnSync('kubectl', args, { input, encoding: 'utf8', maxBuffer: BYTES_MAX });
}

const namespace = kubectl(['apply', '-f', 'k8s/base/namespace.yaml']);
if (namespace.status !== 0) {
  console.error(`The namespace could not be created: ${namespace.error?.message ?? namespace.stderr}`);
  process.exit(2);
}
for (const name of ['overlays', 'tests'].flatMap((one) =>
  readdirSync(`k8s/${one}`).map((own) => `k8s/${one}/${own}`),
)) {
  const built = kubectl(['kustomize', name]);
  const yaml = built.stdout.replace(PLACEHOLDERS, (placeholder) => placeholder.toLowerCase());
  const checked = built.status === 0 ? kubectl(['apply', '--dry-run=server', '-f', '-'], yaml) : built;
  const faults = checked.stderr.split('\n').filter((line) => line.trim() !== '');
  const accepted = built.status === 0 ? checked.stdout.split('\n').length - 1 : 0;
  console.log(`${name}: ${accepted} objects accepted, ${faults.length} refused or with a warning`);
  for (const fault of faults) console.log(`  ${fault}`);
  if (checked.status !== 0 || faults.length > 0) process.exitCode = 1;
}
