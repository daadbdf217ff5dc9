import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { findKubeScore } from '@invoicecontrol/dev/kube-score';
import { render } from './kubernetes-objects.js';
import { skipWithout } from './skip-without.js';

/** Advice of kube-score that the manifests do not follow, and why. */
const EXCEPTIONS: readonly { readonly advice: RegExp; readonly because: string }[] = [
  {
    advice: /ImagePullPolicy is not set to Always$/,
    because:
      'An image with a digest or an exact version does not change, and a node must start pods without the registry.',
  },
  {
    advice: /does not have a host podAntiAffinity set$/,
    because: 'Topology spread constraints over hosts and zones say the same and also apply to more pods than nodes.',
  },
  {
    advice: /^(?:operator|mongodb)\/.*: Container has the same readiness and liveness probe$/,
    because: 'No traffic is routed to the operator, and the database of a trial cluster has one pod.',
  },
  {
    advice: /^mongodb-exporter\/.*: Deployment few replicas$/,
    because: 'A second exporter would export the same figures again.',
  },
  {
    advice:
      /^(?:mongodb|ingress-proxy|certificate-challenges)\/.*: The NetworkPolicys selector doesn't match any pods$/,
    because: 'The database may be outside, and other controllers create the pods of the Gateway and of the challenges.',
  },
];

const kubeScore = await findKubeScore(() => {}).catch((error: Error) => skipWithout('kube-score', error.message));
const renderings = (await render(['overlays/production', 'overlays/staging', 'tests/every-component'])) ?? [];

/** Returns the advice about the objects, such as `gateway/invoice-control apps/v1/Deployment: ...`, one line each. */
function advise(yaml: string): string[] {
  const { stdout, stderr } = spawnSync(
    kubeScore?.binary ?? '',
    ['score', '--kubernetes-version', 'v1.32', '--output-format', 'ci', '-'],
    { input: yaml, encoding: 'utf8' },
  );
  if (stdout === '') throw new Error(`kube-score printed nothing: ${stderr}`);
  return stdout.split('\n').flatMap((line) => /^\[(?:CRITICAL|WARNING)\] (.*)$/.exec(line)?.[1] ?? []);
}

describe.skipIf(kubeScore === undefined || renderings.length === 0)('kube-score', () => {
  const advice = renderings.flatMap(({ yaml }) => advise(yaml));

  test('has no advice about an installation besides the written exceptions', () => {
    expect(advice.filter((line) => !EXCEPTIONS.some((exception) => exception.advice.test(line)))).toEqual([]);
  });

  test.each(EXCEPTIONS)('still gives the advice of the exception $advice', ({ advice: expected, because }) => {
    expect(because).toMatch(/\.$/);
    expect(advice.some((line) => expected.test(line))).toBe(true);
  });

  test('reports a careless pod', () => {
    const careless =
      'apiVersion: v1\nkind: Pod\nmetadata: { name: careless }\nspec: { containers: [{ name: careless, image: careless }] }';
    expect(advise(careless)).toContainEqual(expect.stringContaining('Image with latest tag'));
  });
});
