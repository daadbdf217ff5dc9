import { ofKind, type KubernetesObject } from './kubernetes-objects.js';

interface Peer {
  readonly podSelector?: { readonly matchLabels?: Record<string, string> };
  readonly namespaceSelector?: { readonly matchLabels?: Record<string, string> };
  readonly ipBlock?: { readonly cidr: string };
}

interface Port {
  readonly protocol: string;
  readonly port: number;
  readonly endPort?: number;
}

interface NetworkPolicySpec {
  readonly podSelector: { readonly matchLabels?: Record<string, string> };
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly { readonly from?: readonly Peer[]; readonly ports?: readonly Port[] }[];
  readonly egress?: readonly { readonly to?: readonly Peer[]; readonly ports?: readonly Port[] }[];
}

/**
 * The connections that network policies allow out of pods and into pods, as lines such as `gateway -> organization TCP
 * 50051`.
 */
export interface Connections {
  readonly out: string[];
  readonly in: string[];
}

/**
 * Reads the network policies as two lists: the connections that pods may open, and the connections that pods may
 * accept. A connection between two pods works if both lists contain it. A connection out of the namespace is only in
 * the first list. `*` stands for every pod.
 */
export function allowedConnections(objects: readonly KubernetesObject[]): Connections {
  const connections: Connections = { out: [], in: [] };
  for (const { spec } of ofKind<NetworkPolicySpec>(objects, 'NetworkPolicy')) {
    const self = podName(spec.podSelector);
    for (const { to, ports } of spec.egress ?? []) {
      for (const peer of peers(to)) for (const port of wires(ports)) connections.out.push(`${self} -> ${peer} ${port}`);
    }
    for (const { from, ports } of spec.ingress ?? []) {
      for (const peer of peers(from))
        for (const port of wires(ports)) connections.in.push(`${peer} -> ${self} ${port}`);
    }
  }
  return { out: connections.out.sort(), in: connections.in.sort() };
}

/** Returns true if one of the network policies closes every pod of the namespace in both directions. */
export function deniesByDefault(objects: readonly KubernetesObject[]): boolean {
  return ofKind<NetworkPolicySpec>(objects, 'NetworkPolicy').some(
    ({ spec }) =>
      Object.keys(spec.podSelector).length === 0 &&
      ['Ingress', 'Egress'].every((type) => spec.policyTypes.includes(type)) &&
      spec.ingress === undefined &&
      spec.egress === undefined,
  );
}

// A network policy rule that names no peer allows all peers, and a rule that names no port allows all ports.
function peers(named: readonly Peer[] | undefined): string[] {
  return named?.map(peerName) ?? ['anyone'];
}

function wires(named: readonly Port[] | undefined): string[] {
  return (
    named?.map(({ protocol, port, endPort }) => `${protocol} ${port}${endPort === undefined ? '' : `-${endPort}`}`) ?? [
      'any port',
    ]
  );
}

function peerName({ podSelector, namespaceSelector, ipBlock }: Peer): string {
  if (ipBlock !== undefined) return ipBlock.cidr;
  const labels = namespaceSelector?.matchLabels ?? {};
  const [other] = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const namespace = labels['kubernetes.io/metadata.name'] ?? other;
  const pod = podSelector === undefined ? '*' : podName(podSelector);
  if (namespaceSelector === undefined) return pod;
  return `${namespace ?? 'any namespace'}/${pod}`;
}

function podName({ matchLabels }: { readonly matchLabels?: Record<string, string> }): string {
  const [other] = Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return matchLabels?.['app.kubernetes.io/name'] ?? matchLabels?.['k8s-app'] ?? other ?? '*';
}
