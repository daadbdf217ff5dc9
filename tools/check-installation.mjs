// Lists the placeholders that an operator must still replace in a copy of k8s/overlays/production: `kubectl kustomize
// <directory> | node tools/check-installation.mjs`. It exits with code 1 while a placeholder is left. Images of other
// projects without a digest are only listed: `docker buildx imagetools inspect <image>` prints the digest.
import { readFileSync } from 'node:fs';

const left = [
  { pattern: /YOUR-[A-Z-]+|[A-Z]+-OF-YOUR-CLUSTER/, text: 'is a name that your cluster does not have' },
  { pattern: /\bexample\.(?:com|org)\b/, text: 'is at example.com' },
  {
    pattern: /@sha256:0{64}/,
    text: 'has no digest: put the one that docker push printed into the images of the overlay',
  },
  { pattern: /\bpri_development\w+/, text: 'is a price of the simulator of the payment provider' },
  { pattern: /^\s*(?:- )?image: invoice-control[:@]/, text: 'has no registry' },
];

const lines = readFileSync(0, 'utf8').split('\n');
if (!lines.some((line) => line.startsWith('kind: '))) {
  console.error('There is no object to check: kubectl kustomize <directory> | node tools/check-installation.mjs');
  process.exit(2);
}
const named = lines.flatMap((line) =>
  left.filter(({ pattern }) => pattern.test(line)).map(({ text }) => `${line.trim().replace(/^- /, '')}\n  ${text}`),
);
for (const place of new Set(named)) console.log(place);
const images = lines.flatMap((line) => /^\s*(?:- )?image: (\S+)$/.exec(line)?.[1] ?? []);
for (const image of new Set(images.filter((image) => !image.includes('@')))) {
  console.log(`${image}\n  runs by its tag, which can be moved (allowed)`);
}
process.exitCode = named.length > 0 ? 1 : 0;
