import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configSchema as analysis } from '@invoicecontrol/analysis/config';
import { configSchema as gateway } from '@invoicecontrol/gateway/config';
import { configSchema as organization } from '@invoicecontrol/organization/config';
import { readConfig } from '@invoicecontrol/runtime/config';
import { configSchema as scan } from '@invoicecontrol/scan/config';
import { parse } from 'yaml';
import { ofKind, renderAll, root, type KubernetesObject } from './kubernetes-objects.js';
import { workloads } from './kubernetes-pods.js';

const services = { analysis, gateway, organization, scan };
type ServiceName = keyof typeof services;

/** What the Secrets hold, in the shape that k8s/README.md creates them. */
const secrets: Record<string, string> = {
  MONGODB_URL: 'mongodb://user:password@database:27017/?replicaSet=rs0',
  API_KEY_PEPPERS: `p1:${Buffer.alloc(32, 1).toString('base64')}`,
  OPERATOR_TOKEN: 'f'.repeat(64),
  SMTP_URL: 'smtps://user:password@mail.example.com',
};

interface Environment {
  readonly where: string;
  readonly service: ServiceName;
  readonly variables: Record<string, string>;
  readonly replicas?: number | undefined;
}

/** The environment of every service in every rendering of k8s/. */
function kubernetesEnvironments(): Environment[] {
  return (renderAll() ?? []).flatMap(({ name, objects }) =>
    workloads(objects)
      .filter(({ kind }) => kind === 'Deployment')
      .flatMap(({ metadata, spec }) =>
        spec.template.spec.containers.map((container) => ({
          where: `${name} ${metadata.name}`,
          service: metadata.name as ServiceName,
          replicas: spec.replicas,
          variables: {
            ...Object.assign(
              {},
              ...(container.envFrom ?? []).map(({ configMapRef }) => settings(objects, configMapRef?.name)),
            ),
            ...Object.fromEntries(
              (container.env ?? []).map(({ name: key, value, valueFrom }) => [
                key,
                value ?? secrets[valueFrom?.secretKeyRef?.key ?? ''] ?? '',
              ]),
            ),
          } as Record<string, string>,
        })),
      ),
  );
}

function settings(objects: readonly KubernetesObject[], configMap: string | undefined): Record<string, string> {
  const found = ofKind(objects, 'ConfigMap').find(({ metadata }) => metadata.name === configMap);
  if (found?.data === undefined) throw new Error(`There is no ConfigMap ${configMap}.`);
  return found.data;
}

/** The environments of compose.yaml, as they are when nobody set anything. */
function composeEnvironments(): Environment[] {
  const { services: containers } = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, { environment?: Record<string, string> }>;
  };
  return Object.entries(containers)
    .filter(([name]) => name in services)
    .map(([name, { environment = {} }]) => ({
      where: `compose.yaml ${name}`,
      service: name as ServiceName,
      variables: Object.fromEntries(
        Object.entries(environment).map(([key, value]) => [key, value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')]),
      ),
    }));
}

/** What the image itself sets: see the Dockerfile. */
function imageEnvironment(): Record<string, string> {
  const assignments = /^ENV (.*)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1] ?? '';
  return Object.fromEntries(assignments.split(' ').map((assignment) => assignment.split('=')) as [string, string][]);
}

const kubernetes = kubernetesEnvironments();
const environments = [...kubernetes, ...composeEnvironments()];

describe('the environment a deployment gives to a service', () => {
  test('starts the service it is named after', () => {
    expect(environments.filter(({ service, variables }) => variables['SERVICE'] !== service)).toEqual([]);
    expect(new Set(environments.map(({ service }) => service))).toEqual(new Set(Object.keys(services)));
  });

  test('is accepted by the configuration schema of that service', () => {
    for (const { service, variables } of environments) {
      expect(() => readConfig(services[service], { ...imageEnvironment(), ...variables })).not.toThrow();
    }
  });

  test('sets nothing that the service would not read', () => {
    const unread = environments.flatMap(({ where, service, variables }) =>
      Object.keys(variables)
        .filter((name) => name !== 'SERVICE' && !(name in services[service].shape))
        .map((name) => `${where}: ${name}`),
    );
    expect(unread).toEqual([]);
  });

  test('without a variable that it needs is refused by name', () => {
    const environment = environments.find(({ service }) => service === 'analysis');
    const { MONGODB_URL: _, ...incomplete } = environment?.variables ?? {};
    expect(() => readConfig(analysis, incomplete)).toThrow(/MONGODB_URL/);
  });

  test('lets callers from outside the container in', () => {
    const image = imageEnvironment();
    expect(readConfig(gateway, { ...image, ...environmentOf('gateway') }).HOST).toBe('0.0.0.0');
    expect(readConfig(organization, { ...image, ...environmentOf('organization') }).GRPC_HOST).toBe('0.0.0.0');
    expect(readConfig(analysis, { ...image, ...environmentOf('analysis') }).GRPC_HOST).toBe('0.0.0.0');
    expect(readConfig(scan, { ...image, ...environmentOf('scan') }).GRPC_HOST).toBe('0.0.0.0');
  });

  test('in Kubernetes names the real number of gateways and leaves time to drain within the grace period', () => {
    for (const { where, service, variables, replicas } of kubernetes) {
      // 20 seconds to end running calls and the draining have to fit into the 35 seconds of runProcess in packages/runtime.
      expect({ where, seconds: Number(variables['DRAIN_DELAY_SECONDS']) }).toEqual({ where, seconds: 5 });
      if (service === 'gateway') expect(Number(variables['GATEWAY_REPLICAS'])).toBe(replicas);
    }
  });
});

function environmentOf(service: ServiceName): Record<string, string> {
  return environments.find((environment) => environment.service === service)?.variables ?? {};
}
