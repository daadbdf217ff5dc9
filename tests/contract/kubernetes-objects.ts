import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findKubectl } from '@invoicecontrol/dev/kubectl';
import { parseAllDocuments } from 'yaml';
import { skipWithout } from './skip-without.js';

/** The root directory of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

const KUSTOMIZE_TIMEOUT_MS = 30_000;

/** The fields of a Kubernetes object in a rendered overlay that the manifest tests read. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  readonly spec?: Record<string, unknown>;
  readonly data?: Record<string, string>;
  readonly automountServiceAccountToken?: boolean;
}

/** Result of rendering one `kustomization.yaml`. */
export interface Rendering {
  /** Directory of the `kustomization.yaml`, such as `overlays/local`. */
  readonly name: string;
  readonly yaml: string;
  readonly objects: readonly KubernetesObject[];
}

/** The `kustomization.yaml` directories that must build: every overlay and every combination of components under `k8s/tests`. */
function kustomizations(): string[] {
  return ['overlays', 'tests'].flatMap((directory) =>
    readdirSync(join(root, 'k8s', directory))
      .map((name) => `${directory}/${name}`)
      .filter((path) => existsSync(join(root, 'k8s', path, 'kustomization.yaml'))),
  );
}

/**
 * Builds the Kubernetes manifests of some directories, or of all directories that {@link kustomizations} lists.
 * Undefined if kubectl is missing or cannot be fetched, and the tests may be skipped.
 * @throws Error with a sentence that explains how to install kubectl
 */
export async function render(names = kustomizations()): Promise<Rendering[] | undefined> {
  let kubectl: string;
  try {
    kubectl = (await findKubectl(() => {})).binary;
  } catch (error) {
    return skipWithout('kubectl', (error as Error).message);
  }
  return names.map((name) => {
    const built = spawnSync(kubectl, ['kustomize', join(root, 'k8s', name)], {
      encoding: 'utf8',
      timeout: KUSTOMIZE_TIMEOUT_MS,
    });
    if (built.status !== 0) throw new Error(`k8s/${name} does not build: ${built.stderr}`);
    return { name, yaml: built.stdout, objects: parseObjects(built.stdout) };
  });
}

export function parseObjects(yaml: string): KubernetesObject[] {
  return parseAllDocuments(yaml).map((document) => document.toJS() as KubernetesObject);
}

/** Returns the Kubernetes objects of one kind, with their `spec` read as `Spec`. */
export function ofKind<Spec>(
  objects: readonly KubernetesObject[],
  kind: string,
): (KubernetesObject & { spec: Spec })[] {
  return objects.filter((object) => object.kind === kind) as (KubernetesObject & { spec: Spec })[];
}
