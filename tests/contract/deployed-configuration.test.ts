import { describe, expect, test } from 'vitest';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { events } from '@invoicecontrol/contracts/events';
import { addressVariable, describeConfig, readConfig, serviceSettings } from '@invoicecontrol/runtime/config';
import { databaseName, entries, services } from '@invoicecontrol/topology/services';
import type { Service, ServiceName } from '@invoicecontrol/topology/services';
import { newSecrets } from '@invoicecontrol/topology/start';
import { parse } from 'yaml';
import type { z } from 'zod';
import { ofKind, render, root, type KubernetesObject } from './kubernetes-objects.js';
import { workloads } from './kubernetes-pods.js';

const renderings = (await render()) ?? [];
/** The schema of each service's environment. */
const loaded = await Promise.all(
  entries.map(async ([name]) => {
    const { configSchema } = (await import(`@invoicecontrol/${name}/config`)) as { configSchema: z.ZodObject };
    return [name, configSchema] as const;
  }),
);
const schemas = Object.fromEntries(loaded) as Record<ServiceName, z.ZodObject>;

/** Contents of the Secrets, in the shape that k8s/README.md creates them. */
const secrets: Record<string, string> = {
  ...newSecrets(),
  MONGODB_URL: 'mongodb://user:password@database:27017/?replicaSet=rs0',
  SMTP_URL: 'smtps://user:password@mail.example.com',
};

interface Environment {
  readonly where: string;
  readonly service: ServiceName;
  readonly variables: Record<string, string>;
}

/** The environment of every service in every rendering of k8s/. */
function kubernetesEnvironments(): Environment[] {
  return renderings.flatMap(({ name, objects }) =>
    workloads(objects)
      .filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name in services)
      .flatMap(({ metadata, spec }) =>
        spec.template.spec.containers.map((container) => ({
          where: `${name} ${metadata.name}`,
          service: metadata.name as ServiceName,
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

/** The environments that compose.yaml sets by default. */
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
        Object.entries(environment).map(([key, value]) => [key, value.replaceAll(/\$\{\w+:?-([^}]*)\}/g, '$1')]),
      ),
    }));
}

/** Reads the variables that the image sets: see the Dockerfile. */
function imageEnvironment(): Record<string, string> {
  const assignments = /^ENV (.*)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1] ?? '';
  return Object.fromEntries(assignments.split(' ').map((assignment) => assignment.split('=')) as [string, string][]);
}

/** Returns the variables that the process in the container finds. */
function inContainer({ variables }: Environment): Record<string, string> {
  return { ...imageEnvironment(), ...variables };
}

function isProduction(environment: Environment): boolean {
  return inContainer(environment)['NODE_ENV'] === 'production';
}

const kubernetes = kubernetesEnvironments();
const environments = [...kubernetes, ...composeEnvironments()];
// Nothing is built only where a missing kubectl is allowed.
const describeManifests = kubernetes.length === 0 ? describe.skip : describe;

describe('the map of the services', () => {
  test('names every folder of services/, every publisher of an event, and nothing else', () => {
    const names = entries.map(([name]) => name);
    // A folder without a package is a leftover of a build on another branch.
    const folders = readdirSync(join(root, 'services')).filter((name) =>
      existsSync(join(root, 'services', name, 'package.json')),
    );
    expect(names.toSorted()).toEqual(folders.toSorted());
    expect(names).toEqual(expect.arrayContaining(Object.values(events).map(({ service }) => service)));
  });

  test('starts a service after those that it calls', () => {
    const started = new Set<string>();
    for (const [name, { calls }] of entries) {
      expect({ name, notStarted: calls.filter((called) => !started.has(called)) }).toEqual({ name, notStarted: [] });
      started.add(name);
    }
  });

  test('names exactly what each service reads besides the settings of its protocol, and which of it is secret', () => {
    expect(entries.map(([name, service]) => [name, mapped(service)])).toEqual(
      entries.map(([name, { protocol }]) => [name, read(schemas[name], protocol)]),
    );
  });

  test('gives each service that stores data a database with its name', () => {
    const stored = entries.filter(([, { protocol }]) => protocol === 'grpc').map(([name]) => name);
    expect(stored).not.toEqual([]);
    for (const name of stored) {
      const { variables } = environmentOf(name);
      expect(readConfig(schemas[name], variables)['DATABASE_NAME']).toBe(databaseName(name));
    }
  });
});

describe('the environment a deployment gives to a service', () => {
  test('starts the service it is named after', () => {
    expect(environments.filter(({ service, variables }) => variables['SERVICE'] !== service)).toEqual([]);
    expect(new Set(environments.map(({ service }) => service))).toEqual(new Set(Object.keys(services)));
  });

  test('is accepted by the configuration schema of that service', () => {
    for (const environment of environments) {
      expect(() => readConfig(schemas[environment.service], inContainer(environment))).not.toThrow();
    }
  });

  test('is that of production, which refuses settings for tests, except for billing in compose', () => {
    const others = environments.filter((environment) => !isProduction(environment)).map(({ where }) => where);
    expect(others).toEqual(['compose.yaml billing']);
  });

  test('sets only variables that the service reads', () => {
    const unread = environments.flatMap(({ where, service, variables }) =>
      Object.keys(variables)
        .filter((name) => name !== 'SERVICE' && !readBySdk.has(name) && !(name in schemas[service].shape))
        .map((name) => `${where}: ${name}`),
    );
    expect(unread).toEqual([]);
  });

  test('without a variable that it needs is refused by name', () => {
    const { MONGODB_URL: _, ...incomplete } = environmentOf('analysis').variables;
    expect(() => readConfig(schemas.analysis, incomplete)).toThrow(/MONGODB_URL/);
  });

  test('lets callers from outside the container in', () => {
    for (const [name, { protocol }] of entries) {
      const config = readConfig(schemas[name], inContainer(environmentOf(name)));
      expect({ name, host: config[protocol === 'grpc' ? 'GRPC_HOST' : 'HOST'] }).toEqual({ name, host: '0.0.0.0' });
    }
  });
});

describeManifests('the environment in Kubernetes', () => {
  test('sells no plan by the prices of the simulator', () => {
    const billing = kubernetes.filter(({ service }) => service === 'billing');
    expect(billing.length).toBeGreaterThan(0);
    for (const { where, variables } of billing) {
      const prices = Object.keys(variables).filter((name) => name.startsWith('PADDLE_PRICE_'));
      expect({ where, prices }).toEqual({ where, prices: [] });
    }
  });

  test('counts the gateways by a headless Service and leaves time to drain within the grace period', () => {
    for (const { objects } of renderings) {
      const services = ofKind<{ clusterIP?: string; selector: Record<string, string> }>(objects, 'Service');
      const peers = services.find(({ metadata }) => metadata.name === 'gateway-peers');
      expect(peers?.spec).toMatchObject({ clusterIP: 'None', selector: { 'app.kubernetes.io/name': 'gateway' } });
    }
    for (const { where, service, variables } of kubernetes) {
      // 20 seconds to end running calls and the draining have to fit into the 35 seconds of runProcess in packages/runtime.
      expect({ where, seconds: Number(variables['DRAIN_DELAY_SECONDS']) }).toEqual({ where, seconds: 5 });
      if (service === 'gateway') expect(variables['GATEWAY_PEERS']).toBe('gateway-peers');
    }
  });
});

function environmentOf(service: ServiceName): Environment {
  const found = environments.find((environment) => environment.service === service);
  if (found === undefined) throw new Error(`${service} is deployed nowhere.`);
  return found;
}

/** Returns the settings of a service from the service map, such as `API_KEY_PEPPERS (secret)`. */
function mapped({ calls, settings: own }: Service): string[] {
  const described = Object.entries(own).map(([name, { secret }]) => (secret ? `${name} (secret)` : name));
  return [...calls.map(addressVariable), ...described].toSorted();
}

/** Reads the settings of a service from its configuration schema, in the form of the service map. */
function read(schema: z.ZodObject, protocol: Service['protocol']): string[] {
  const ofProtocol = protocol === 'grpc' ? Object.keys(serviceSettings('any')) : httpSettings;
  // The description gives only the state of a secret and the value of anything else; nothing is set here.
  return Object.entries(describeConfig(schema, {}))
    .filter(([name]) => !ofProtocol.includes(name))
    .map(([name, value]) => (value === undefined ? name : `${name} (secret)`))
    .toSorted();
}

/** Settings that the SDK of OpenTelemetry reads itself. */
const readBySdk: ReadonlySet<string> = new Set([
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_RESOURCE_ATTRIBUTES',
]);

const httpSettings = [
  'HOST',
  'PORT',
  'TLS_DIR',
  'TRUST_DOMAIN',
  'NATS_URL',
  'DRAIN_DELAY_SECONDS',
  'LOG_LEVEL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
];
