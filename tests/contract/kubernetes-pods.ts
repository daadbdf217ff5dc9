import { ofKind, type KubernetesObject } from './kubernetes-objects.js';

interface Probe {
  readonly grpc?: { readonly port: number; readonly service?: string };
  readonly httpGet?: { readonly path: string; readonly port: number | string };
}

interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly EnvironmentVariable[];
  readonly envFrom?: readonly { readonly configMapRef?: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly resources?: {
    readonly requests?: Record<string, string>;
    readonly limits?: Record<string, string>;
  };
  readonly securityContext?: {
    readonly allowPrivilegeEscalation?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
    readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface PodSpec {
  readonly serviceAccountName?: string;
  readonly priorityClassName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: {
    readonly runAsNonRoot?: boolean;
    readonly runAsUser?: number;
    readonly runAsGroup?: number;
    readonly seccompProfile?: { readonly type: string };
  };
  readonly topologySpreadConstraints?: readonly { readonly topologyKey: string; readonly whenUnsatisfiable: string }[];
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly emptyDir?: object;
    readonly secret?: { readonly secretName: string };
    readonly csi?: { readonly volumeAttributes: Readonly<Record<string, string>> };
  }[];
}

/**
 * The parts of the `spec` of a Deployment, a StatefulSet or a CronJob that the manifest tests read. The tests convert
 * each kind to this form.
 */
export interface WorkloadSpec {
  readonly replicas?: number;
  readonly selector: { readonly matchLabels: Record<string, string> };
  readonly template: { readonly metadata: { readonly labels: Record<string, string> }; readonly spec: PodSpec };
}

export type Workload = KubernetesObject & { readonly spec: WorkloadSpec };

/** Kubernetes objects that run pods. A job has no selector, so the labels of its pods are used as a selector. */
export function workloads(objects: readonly KubernetesObject[]): Workload[] {
  return [
    ...(objects.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet') as Workload[]),
    ...ofKind<{ jobTemplate: { spec: Pick<WorkloadSpec, 'template'> } }>(objects, 'CronJob').map((job): Workload => {
      const { template } = job.spec.jobTemplate.spec;
      const { 'app.kubernetes.io/version': _, ...labels } = template.metadata.labels;
      return { ...job, spec: { template, selector: { matchLabels: labels } } };
    }),
  ];
}

/** Checks whether a Kubernetes selector matches pods with these labels. */
export function selects(selector: Record<string, string>, labels: Record<string, string>): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

/**
 * Lists the rules that a pod of Kubernetes breaks. Each sentence names the pod and the rule. The rules apply to every
 * pod, including those of MongoDB and NATS. A job ends by itself and has no probes.
 */
export function podFaults({ kind, metadata, spec }: Workload): string[] {
  const pod = spec.template.spec;
  const where = `${kind} ${metadata.name}`;
  const labels = spec.template.metadata.labels;
  const promises: [boolean, string][] = [
    [pod.securityContext?.runAsNonRoot === true, 'runs as non-root'],
    [(pod.securityContext?.runAsUser ?? 0) > 10_000, 'runs as a user that no node has'],
    [(pod.securityContext?.runAsGroup ?? 0) > 10_000, 'runs in a group that no node has'],
    [pod.securityContext?.seccompProfile?.type === 'RuntimeDefault', 'keeps the seccomp profile of the runtime'],
    [pod.serviceAccountName === metadata.name, 'has a service account of its own'],
    [pod.automountServiceAccountToken === false, 'mounts no service account token'],
    [selects(spec.selector.matchLabels, labels), 'is selected by its own workload'],
    [
      spec.selector.matchLabels['app.kubernetes.io/version'] === undefined,
      'keeps its selector when the version changes',
    ],
    [labels['app.kubernetes.io/name'] === metadata.name, 'is labelled with its name'],
    [labels['app.kubernetes.io/part-of'] === 'invoice-control', 'is labelled as part of the product'],
    [labels['app.kubernetes.io/component'] !== undefined, 'is labelled with its component'],
    [labels['app.kubernetes.io/version'] !== undefined, 'is labelled with its version'],
  ];
  return [
    ...broken(where, promises),
    ...[...pod.containers, ...(pod.initContainers ?? [])].flatMap((container) =>
      containerFaults(where, container, pod, kind === 'CronJob'),
    ),
  ];
}

function containerFaults(where: string, container: Container, pod: PodSpec, endsByItself: boolean): string[] {
  const { image, resources, securityContext } = container;
  const tmp = container.volumeMounts?.find(({ mountPath }) => mountPath === '/tmp');
  return broken(`${where}, container ${container.name}`, [
    [securityContext?.readOnlyRootFilesystem === true, 'has a read-only root filesystem'],
    [securityContext?.allowPrivilegeEscalation === false, 'cannot gain privileges'],
    [securityContext?.capabilities?.drop?.includes('ALL') === true, 'drops every capability'],
    [securityContext?.capabilities?.add === undefined, 'adds no capability'],
    [resources?.requests?.['cpu'] !== undefined, 'requests CPU time'],
    [resources?.requests?.['memory'] !== undefined, 'requests memory'],
    [resources?.limits?.['cpu'] !== undefined, 'limits its CPU time'],
    [resources?.limits?.['memory'] !== undefined, 'limits its memory'],
    [resources?.requests?.['ephemeral-storage'] !== undefined, 'requests disk space'],
    [resources?.limits?.['ephemeral-storage'] !== undefined, 'limits its disk space'],
    [endsByItself || container.startupProbe !== undefined, 'has a start-up probe'],
    [endsByItself || container.livenessProbe !== undefined, 'has a liveness probe'],
    [endsByItself || container.readinessProbe !== undefined, 'has a readiness probe'],
    [/(:(?!latest$)[\w.-]+|@sha256:[0-9a-f]{64})$/.test(image), `runs one exact image (not "${image}")`],
    [pod.volumes?.some(({ name, emptyDir }) => name === tmp?.name && emptyDir) === true, 'may write to /tmp alone'],
  ]);
}

function broken(where: string, promises: readonly [boolean, string][]): string[] {
  return promises.filter(([kept]) => !kept).map(([, promise]) => `${where} breaks: ${promise}`);
}
