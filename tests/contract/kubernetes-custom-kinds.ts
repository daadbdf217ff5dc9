import { z } from 'zod';
import type { KubernetesObject } from './kubernetes-objects.js';

// Schemas of the Kubernetes custom resources that the manifests use. They follow the published definitions, but contain
// only the fields in use. An unknown field is a fault, so a new field must first be looked up in the definition.
const metadata = z.strictObject({
  name: z.string(),
  namespace: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});
const name = z.string().min(1);
const kind = <Version extends string, Spec extends z.ZodType>(apiVersion: Version, spec: Spec) =>
  z.strictObject({ apiVersion: z.literal(apiVersion), kind: z.string(), metadata, spec });

/** A duration in hours, in the form that cert-manager accepts. */
const hours = z.string().regex(/^\d{1,5}h$/);

const listener = z.strictObject({
  name,
  protocol: z.enum(['HTTP', 'HTTPS', 'TLS', 'TCP', 'UDP']),
  port: z.int().min(1).max(65_535),
  hostname: name.optional(),
  tls: z
    .strictObject({
      mode: z.enum(['Terminate', 'Passthrough']),
      certificateRefs: z.array(z.strictObject({ name })),
    })
    .optional(),
  allowedRoutes: z.strictObject({ namespaces: z.strictObject({ from: z.enum(['All', 'Same', 'Selector']) }) }),
});
const routeFilter = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('ResponseHeaderModifier'),
    responseHeaderModifier: z.strictObject({ set: z.array(z.strictObject({ name, value: z.string() })) }),
  }),
  z.strictObject({
    type: z.literal('RequestRedirect'),
    requestRedirect: z.strictObject({
      scheme: z.enum(['http', 'https']),
      statusCode: z.union([z.literal(301), z.literal(302)]),
    }),
  }),
]);
const path = z.strictObject({ type: z.enum(['Exact', 'PathPrefix', 'RegularExpression']), value: z.string() });

const rule = z.union([
  z.strictObject({ record: name, expr: name, labels: z.record(z.string(), z.string()) }),
  z.strictObject({
    alert: name,
    expr: name,
    for: z.string(),
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()),
  }),
]);

const kinds: Readonly<Record<string, z.ZodType>> = {
  Gateway: kind(
    'gateway.networking.k8s.io/v1',
    z.strictObject({ gatewayClassName: name, listeners: z.array(listener).min(1) }),
  ),
  HTTPRoute: kind(
    'gateway.networking.k8s.io/v1',
    z.strictObject({
      parentRefs: z.array(z.strictObject({ name, sectionName: name.optional() })),
      rules: z.array(
        z.strictObject({
          matches: z.array(z.strictObject({ path })).optional(),
          filters: z.array(routeFilter).optional(),
          // Durations of the Gateway API, in which 0s switches the limit off.
          timeouts: z.strictObject({ request: z.string().regex(/^(?:\d{1,5}(?:h|m|s|ms)){1,4}$/) }).optional(),
          backendRefs: z.array(z.strictObject({ name, port: z.int() })).optional(),
        }),
      ),
    }),
  ),
  ExternalSecret: kind(
    'external-secrets.io/v1',
    z.strictObject({
      refreshInterval: z.string(),
      secretStoreRef: z.strictObject({ kind: z.enum(['SecretStore', 'ClusterSecretStore']), name }),
      target: z.strictObject({
        name,
        creationPolicy: z.enum(['Owner', 'Orphan', 'Merge', 'None']),
        deletionPolicy: z.enum(['Delete', 'Merge', 'Retain']),
      }),
      dataFrom: z.array(z.strictObject({ extract: z.strictObject({ key: name }) })),
    }),
  ),
  Issuer: kind(
    'cert-manager.io/v1',
    z.union([
      z.strictObject({ selfSigned: z.strictObject({}) }),
      z.strictObject({ ca: z.strictObject({ secretName: name }) }),
    ]),
  ),
  Certificate: kind(
    'cert-manager.io/v1',
    z.strictObject({
      isCA: z.boolean().optional(),
      secretName: name,
      duration: hours,
      renewBefore: hours,
      privateKey: z.strictObject({
        algorithm: z.enum(['RSA', 'ECDSA', 'Ed25519']),
        size: z.union([z.literal(256), z.literal(384), z.literal(521)]),
        rotationPolicy: z.enum(['Never', 'Always']),
      }),
      usages: z.array(z.enum(['digital signature', 'server auth', 'client auth', 'cert sign', 'crl sign'])),
      commonName: name.max(64),
      subject: z.strictObject({ organizations: z.array(name), organizationalUnits: z.array(name) }).optional(),
      uris: z.array(z.url()).optional(),
      dnsNames: z.array(name).optional(),
      issuerRef: z.strictObject({ name, kind: z.enum(['Issuer', 'ClusterIssuer']) }),
    }),
  ),
  ServiceMonitor: kind(
    'monitoring.coreos.com/v1',
    z.strictObject({
      selector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
      endpoints: z.array(z.strictObject({ port: name, interval: z.string() })),
    }),
  ),
  PrometheusRule: kind(
    'monitoring.coreos.com/v1',
    z.strictObject({ groups: z.array(z.strictObject({ name, interval: z.string(), rules: z.array(rule) })) }),
  ),
};

export function isCustomKind(object: Pick<KubernetesObject, 'kind'>): boolean {
  return object.kind in kinds;
}

/** Compares a Kubernetes custom resource with its schema. @returns one line for each fault */
export function customKindFaults(object: KubernetesObject): string[] {
  const result = kinds[object.kind]?.safeParse(object);
  if (result === undefined) return [`there is no schema for ${object.kind}`];
  return (result.error?.issues ?? []).map(
    (issue) => `${object.kind} ${object.metadata.name}: ${issue.path.join('.')}: ${issue.message}`,
  );
}
