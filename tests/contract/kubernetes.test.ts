import { describe, expect, test } from 'vitest';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressVariable } from '@invoicecontrol/runtime/config';
import { STREAM_BYTES_MAX } from '@invoicecontrol/runtime/nats/stream';
import { TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { entries, ports } from '@invoicecontrol/topology/services';
import { customKindFaults, isCustomKind } from './kubernetes-custom-kinds.js';
import { allowedConnections, deniesByDefault } from './kubernetes-network.js';
import { ofKind, parseObjects, render, root, type KubernetesObject, type Rendering } from './kubernetes-objects.js';
import { podFaults, selects, workloads, type Workload } from './kubernetes-pods.js';
import { schemaValidator, type ValidationResult } from './kubernetes-schemas.js';

// The oldest version with everything the manifests use, and the newest one whose schemas are known here.
const KUBERNETES_VERSIONS = ['1.32', '1.37'];
/** The deployment is planned for this number of services. Each service that publishes events has a stream. */
const SERVICES_PLANNED = 9;
const SECRETS = [
  'MONGODB_URL',
  ...entries.flatMap(([, { settings }]) =>
    Object.entries(settings).flatMap(([name, { secret }]) => (secret ? [name] : [])),
  ),
];

const built = await render();
const renderings = built ?? [];
const validate = built && schemaValidator();
const describeManifests = built === undefined ? describe.skip : describe;
const describeSchemas = validate === undefined ? describe.skip : describe;

/** Returns the faults that a check finds in the renderings of k8s/, each with the name of its rendering. */
function everywhere(check: (rendering: Rendering) => string[]): string[] {
  return renderings.flatMap((rendering) => check(rendering).map((fault) => `${rendering.name}: ${fault}`));
}

function rendering(name: string): Rendering {
  const found = renderings.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`k8s/${name} is not built.`);
  return found;
}

function validated(yaml: string, version: string): ValidationResult {
  if (validate === undefined) throw new Error('There is no validator.');
  return validate(yaml, version);
}

function serviceDeployments(objects: readonly KubernetesObject[]): Workload[] {
  const names: readonly string[] = entries.map(([name]) => name);
  return workloads(objects).filter(({ kind, metadata }) => kind === 'Deployment' && names.includes(metadata.name));
}

describeSchemas('schemas', () => {
  test.each(KUBERNETES_VERSIONS)(
    'every object of every overlay and combination is valid in Kubernetes %s',
    (version) => {
      // Most Kubernetes objects are the same in many renderings, so each object is checked only once.
      const documents = [...new Set(renderings.flatMap(({ yaml }) => yaml.split(/^---\n/m)))].filter(
        (document) => !isCustomKind({ kind: /^kind: (\w+)$/m.exec(document)?.[1] ?? '' }),
      );
      const result = validated(documents.join('---\n'), version);
      expect(result.faults).toEqual([]);
      expect(result.valid).toHaveLength(documents.length);
    },
  );

  test('every custom resource has a schema here and is valid', () => {
    expect(everywhere(({ objects }) => objects.filter(isCustomKind).flatMap(customKindFaults))).toEqual([]);
    const [misspelled] = parseObjects(
      'apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: { name: misspelled }\nspec: { selector: { matchLabels: {} }, endpoint: [] }',
    );
    expect(misspelled && customKindFaults(misspelled).join(' ')).toMatch(/endpoint/);
  });

  test('a misspelled field, a wrong type and an unknown kind are refused', () => {
    const result = validated(
      [
        'apiVersion: v1\nkind: Service\nmetadata: { name: misspelled }\nspec: { ports: [{ port: 1, targtPort: 1 }] }',
        'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: wrong-type }\nspec: { replicas: two, selector: {}, template: {} }',
        'apiVersion: v1\nkind: Sevrice\nmetadata: { name: unknown-kind }',
      ].join('\n---\n'),
      '1.37',
    );
    expect(result.valid).toEqual([]);
    expect(result.faults).toEqual([
      expect.stringContaining("'targtPort' was unexpected"),
      expect.stringContaining("'two' is not"),
      expect.stringContaining("Couldn't find schema for kind Sevrice"),
    ]);
  });
});

describeManifests('broker', () => {
  const bytes = (text: string): number => {
    const [, amount, unit] = /^(\d+)([MG])i?B?$/.exec(text) ?? [];
    if (amount === undefined) throw new Error(`${text} is no size.`);
    return Number(amount) * 1024 ** (unit === 'G' ? 3 : 2);
  };

  test('the store has room for the streams of nine services and of every one on the map, and the volume for the store', () => {
    const brokers = renderings.flatMap(({ objects }) =>
      ofKind<VolumeClaims>(objects, 'StatefulSet')
        .filter(({ metadata }) => metadata.name === 'nats')
        .map(({ spec }) => ({
          volume: bytes(spec.volumeClaimTemplates[0]?.spec.resources.requests.storage ?? ''),
          store: Math.min(...objects.flatMap(storeSizes).map(bytes)),
        })),
    );
    expect(brokers.length).toBeGreaterThan(0);
    const publishers = entries.filter(([, { protocol }]) => protocol === 'grpc').length;
    for (const { volume, store } of brokers) {
      expect(store).toBeGreaterThanOrEqual(Math.max(SERVICES_PLANNED, publishers) * STREAM_BYTES_MAX);
      expect(volume).toBeGreaterThan(store);
    }
  });

  interface VolumeClaims {
    readonly volumeClaimTemplates: readonly { spec: { resources: { requests: { storage: string } } } }[];
  }

  function storeSizes(object: KubernetesObject): string[] {
    const { data = {} } = object as KubernetesObject & { data?: Readonly<Record<string, string>> };
    const size = object.kind === 'ConfigMap' ? /max_file_store: (\S+)/.exec(data['nats.conf'] ?? '')?.[1] : undefined;
    return size === undefined ? [] : [size];
  }
});

describeManifests('pods', () => {
  test('every pod runs as non-root on a read-only filesystem, with limits, probes and no API token', () => {
    expect(everywhere(({ objects }) => workloads(objects).flatMap(podFaults))).toEqual([]);
  });

  test('a pod without any promise is reported for each of them', () => {
    const [careless] = parseObjects(
      [
        'apiVersion: apps/v1',
        'kind: Deployment',
        'metadata: { name: careless }',
        'spec:',
        '  selector: { matchLabels: { app.kubernetes.io/name: careless, app.kubernetes.io/version: "1" } }',
        '  template:',
        '    metadata: { labels: { app: careless } }',
        '    spec:',
        '      containers:',
        '        - name: careless',
        '          image: careless:latest',
        '          securityContext: { capabilities: { add: [NET_ADMIN] } }',
      ].join('\n'),
    ) as Workload[];
    expect(careless && podFaults(careless)).toHaveLength(27);
  });

  test('every workload has a service account of its own that mounts no token', () => {
    const faults = everywhere(({ objects }) =>
      workloads(objects)
        .filter(
          ({ metadata }) =>
            !objects.some(
              (account) =>
                account.kind === 'ServiceAccount' &&
                account.metadata.name === metadata.name &&
                account.automountServiceAccountToken === false,
            ),
        )
        .map(({ metadata }) => metadata.name),
    );
    expect(faults).toEqual([]);
  });

  test('every service is evicted one pod at a time, spread over nodes and zones, and given time to stop', () => {
    const faults = everywhere(({ objects }) =>
      serviceDeployments(objects).flatMap(({ metadata, spec }) => {
        const budgets = ofKind<{ maxUnavailable?: number; selector: WorkloadSelector }>(objects, 'PodDisruptionBudget');
        const { labels } = spec.template.metadata;
        const pod = spec.template.spec;
        const topologies = pod.topologySpreadConstraints?.map(
          ({ topologyKey, whenUnsatisfiable }) => `${topologyKey} ${whenUnsatisfiable}`,
        );
        return [
          budgets.some(
            (budget) => budget.spec.maxUnavailable === 1 && selects(budget.spec.selector.matchLabels, labels),
          )
            ? []
            : [`${metadata.name} has no disruption budget`],
          ['topology.kubernetes.io/zone ScheduleAnyway', 'kubernetes.io/hostname DoNotSchedule'].every((key) =>
            topologies?.includes(key),
          )
            ? []
            : [`${metadata.name} may be put on one node`],
          // runProcess in packages/runtime kills a process that has not stopped after 35 seconds.
          pod.terminationGracePeriodSeconds === 40 ? [] : [`${metadata.name} is killed too early or too late`],
        ].flat();
      }),
    );
    expect(faults).toEqual([]);
  });

  test('gRPC services are probed by their health names, the gateway by its health paths', () => {
    for (const { objects } of renderings) {
      const probes = serviceDeployments(objects).map(({ metadata, spec }) => {
        const [container] = spec.template.spec.containers;
        return [metadata.name, [container?.livenessProbe, container?.readinessProbe]];
      });
      const grpc = (service: string) => expect.objectContaining({ grpc: { port: 50052, service } });
      const http = (path: string) => expect.objectContaining({ httpGet: { path, port: 'http' } });
      expect(Object.fromEntries(probes)).toEqual(
        Object.fromEntries(
          entries.map(([name, { protocol }]) => [
            name,
            protocol === 'grpc' ? [grpc(''), grpc('ready')] : [http('/livez'), http('/readyz')],
          ]),
        ),
      );
    }
  });
});

interface WorkloadSelector {
  readonly matchLabels: Record<string, string>;
}

describeManifests('services', () => {
  test('every Service finds pods and a port they declare; those of gRPC are headless so that clients balance', () => {
    interface ServiceSpec {
      readonly clusterIP?: string;
      readonly selector: Record<string, string>;
      readonly ports: readonly { readonly name: string; readonly targetPort: string }[];
    }
    const faults = everywhere(({ objects }) =>
      ofKind<ServiceSpec>(objects, 'Service').flatMap(({ metadata, spec }) => {
        const found = workloads(objects).find((workload) =>
          selects(spec.selector, workload.spec.template.metadata.labels),
        );
        const declared = found?.spec.template.spec.containers.flatMap(({ ports }) => ports?.map(({ name }) => name));
        return [
          ...spec.ports
            .filter(({ targetPort }) => !declared?.includes(targetPort))
            .map(({ targetPort }) => `${metadata.name} leads to no port ${targetPort}`),
          ...(spec.ports.some(({ name }) => name === 'grpc') && spec.clusterIP !== 'None'
            ? [`${metadata.name} is not headless`]
            : []),
        ];
      }),
    );
    expect(faults).toEqual([]);
  });
});

describeManifests('network', () => {
  test('every combination with network policies closes every pod in both directions first', () => {
    const closed = renderings.filter(({ objects }) => objects.some(({ kind }) => kind === 'NetworkPolicy'));
    expect(closed.filter(({ objects }) => !deniesByDefault(objects)).map(({ name }) => name)).toEqual([]);
    // Policies made only by the components that open others would cut the services off from everything else.
    const names = closed.map(({ name }) => name);
    expect(names).toEqual([
      'overlays/local',
      'overlays/production',
      'overlays/staging',
      'tests/every-component',
      'tests/stores-elsewhere',
    ]);
  });

  test('locally each caller reaches what it calls and nothing else', () => {
    const local = rendering('overlays/local');
    const between = entries.flatMap(([name, { protocol, calls }]) => [
      ...calls.map((called) => `${name} -> ${called} TCP ${ports.grpc}`),
      ...(protocol === 'grpc' ? [`${name} -> mongodb TCP 27017`] : []),
      ...(protocol === 'grpc' ? [`operator -> ${name} TCP ${ports.grpc}`] : []),
      `${name} -> nats TCP 4222`,
    ]);
    expect(between).toContain('scan -> analysis TCP 50051');
    const internet = entries.flatMap(([name, { internetPorts = [] }]) =>
      internetPorts.map(
        (port) => `${name} -> 0.0.0.0/0 TCP ${typeof port === 'number' ? port : `${port.from}-${port.to}`}`,
      ),
    );
    expect(internet).toContain('organization -> 0.0.0.0/0 TCP 465');
    const backup = 'backup -> mongodb TCP 27017';
    const migrations = 'migrate -> mongodb TCP 27017';
    const brokers = ['nats -> nats TCP 6222', 'broker-setup -> nats TCP 4222'];
    const probe = `probe -> gateway TCP ${ports.http}`;
    const objectStore = 'backup -> 0.0.0.0/0 TCP 443';
    const dns = ['* -> kube-system/kube-dns TCP 53', '* -> kube-system/kube-dns UDP 53'];
    expect(allowedConnections(local.objects)).toEqual({
      out: [...dns, ...between, ...internet, backup, migrations, probe, ...brokers, objectStore].sort(),
      in: [
        ...between,
        backup,
        migrations,
        probe,
        ...brokers,
        'invoice-control-ingress=allowed/* -> gateway TCP 8080',
        'gateway.networking.k8s.io/gateway-name=invoice-control -> gateway TCP 8080',
      ].sort(),
    });
  });

  test('in production the database outside and the telemetry collector are reached as well', () => {
    const [local, production] = [rendering('overlays/local'), rendering('overlays/production')];
    const usual = allowedConnections(local.objects);
    const opened = allowedConnections(production.objects);
    const proxy = 'gateway.networking.k8s.io/gateway-name=invoice-control';
    const challenges = 'acme.cert-manager.io/http01-solver=true';
    expect(opened.in.filter((connection) => !usual.in.includes(connection))).toEqual(
      [
        `anyone -> ${proxy} any port`,
        `${proxy} -> ${challenges} TCP 8089`,
        `invoice-control-ingress=allowed/* -> ${challenges} TCP 8089`,
        'monitoring/* -> mongodb-exporter TCP 9216',
        'monitoring/* -> nats TCP 7777',
      ].toSorted(),
    );
    const privateRanges = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];
    expect(opened.out.filter((connection) => !usual.out.includes(connection))).toEqual(
      [
        ...['backup', 'migrate'].flatMap((job) => privateRanges.map((range) => `${job} -> ${range} TCP 27017`)),
        ...['mongodb', ...privateRanges].map((peer) => `mongodb-exporter -> ${peer} TCP 27017`),
        `${proxy} -> gateway TCP 8080`,
        `${proxy} -> ${challenges} TCP 8089`,
        `${proxy} -> invoice-control-ingress=allowed/* any port`,
        ...entries.flatMap(([name, { protocol }]) => [
          ...(protocol === 'grpc' ? privateRanges.map((range) => `${name} -> ${range} TCP 27017`) : []),
          `${name} -> observability/opentelemetry-collector TCP 4318`,
        ]),
        'probe -> observability/opentelemetry-collector TCP 4318',
      ].toSorted(),
    );
  });

  test('a policy that names no peer or no port is read as open to anyone', () => {
    const open = parseObjects(
      [
        'apiVersion: networking.k8s.io/v1',
        'kind: NetworkPolicy',
        'metadata: { name: open }',
        'spec: { podSelector: {}, policyTypes: [Ingress, Egress], ingress: [{}], egress: [{}] }',
      ].join('\n'),
    );
    expect(deniesByDefault(open)).toBe(false);
    expect(allowedConnections(open)).toEqual({ out: ['* -> anyone any port'], in: ['anyone -> * any port'] });
  });
});

describeManifests('operator', () => {
  const operators = renderings
    .filter(({ name }) => name !== 'tests/identity-csi')
    .flatMap(({ name, objects }) =>
      workloads(objects)
        .filter(({ metadata }) => metadata.name === 'operator')
        .map((workload) => ({ name, objects, workload })),
    );
  const operatedServices = entries.flatMap(([name, { protocol }]) => (protocol === 'grpc' ? [name] : []));
  const addressed = Object.fromEntries(
    operatedServices.map((service) => [addressVariable(service), `dns:///${service}:${ports.grpc}`]),
  );

  test('is part of every overlay, and has no pod until somebody starts one', () => {
    expect(operators.map(({ name, workload }) => [name, workload.spec.replicas])).toEqual([
      ['overlays/local', 0],
      ['overlays/production', 0],
      ['overlays/staging', 0],
      ['tests/every-component', 0],
    ]);
  });

  test('has the address of every service that the command line calls, and no secret but its certificate', () => {
    for (const { workload } of operators) {
      const env = workload.spec.template.spec.containers[0]?.env ?? [];
      const plain = env.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]);
      expect(Object.fromEntries(plain)).toEqual({ ...addressed, TLS_DIR: '/identity' });
      expect(env.filter(({ value }) => value === undefined)).toEqual([]);
    }
  });

  test('may connect to each of these services, to nothing else, and nothing may connect to it', () => {
    const calls = operatedServices.map((service) => `operator -> ${service} TCP ${ports.grpc}`).toSorted();
    for (const { objects } of operators) {
      const { in: incoming, out } = allowedConnections(objects);
      expect(out.filter((connection) => connection.startsWith('operator ->'))).toEqual(calls);
      expect(incoming.filter((connection) => connection.startsWith('operator ->'))).toEqual(calls);
      expect(incoming.filter((connection) => connection.includes('-> operator '))).toEqual([]);
    }
  });
});

/** Sorts rows by their first column. */
const byName = ([some]: readonly unknown[], [other]: readonly unknown[]): number =>
  String(some).localeCompare(String(other));

describeManifests('identities', () => {
  test('are issued for each service and for the operator, and each is mounted by the pods of that name alone, that of the operator also by broker-setup', () => {
    const certified = renderings.filter(
      ({ name, objects }) => name !== 'tests/identity-csi' && ofKind(objects, 'Certificate').length > 0,
    );
    expect(certified.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['overlays/local', 'overlays/production']),
    );
    for (const { objects } of certified) {
      const issued = ofKind<{ secretName: string; uris?: string[]; isCA?: boolean }>(objects, 'Certificate')
        .filter(({ spec }) => spec.isCA !== true)
        .map(({ metadata, spec }) => [metadata.name, spec.secretName, spec.uris]);
      const hasBroker = ofKind(objects, 'StatefulSet').some(({ metadata }) => metadata.name === 'nats');
      const names = [...entries.map(([name]) => name), 'operator', ...(hasBroker ? ['nats'] : [])];
      expect(issued.toSorted(byName)).toEqual(
        names
          .map((name) => [name, `${name}-tls`, [`spiffe://${TRUST_DOMAIN_DEFAULT}/service/${name}`]])
          .toSorted(byName),
      );
      const mounted = workloads(objects).flatMap(({ metadata, spec }) =>
        (spec.template.spec.volumes ?? []).flatMap(({ secret }) =>
          secret?.secretName.endsWith('-tls') === true ? [[metadata.name, secret.secretName]] : [],
        ),
      );
      const own = workloads(objects).flatMap(({ metadata: { name } }) =>
        names.includes(name) ? [[name, `${name}-tls`]] : [],
      );
      expect(own.length).toBeGreaterThanOrEqual(entries.length);
      expect(mounted.toSorted(byName)).toEqual(
        [...own, ...(hasBroker ? [['broker-setup', 'operator-tls']] : [])].toSorted(byName),
      );
    }
  });
});

describeManifests('identities of pods', () => {
  test('are issued by the CSI driver for the name of the pod, and no Secret has the key of a service', () => {
    const { objects } = rendering('tests/identity-csi');
    const mounted = workloads(objects).flatMap(({ metadata, spec }) =>
      (spec.template.spec.volumes ?? [])
        .filter(({ name }) => name === 'identity')
        .map(({ secret, csi }) => [
          metadata.name,
          secret?.secretName ?? csi?.volumeAttributes['csi.cert-manager.io/uri-sans'],
        ]),
    );
    const uri = (name: string): string => `spiffe://${TRUST_DOMAIN_DEFAULT}/service/${name}`;
    expect(mounted.toSorted(byName)).toEqual(
      [
        ...entries.map(([name]) => [name, uri(name)]),
        ['broker-setup', uri('operator')],
        ['nats', 'nats-tls'],
        ['operator', uri('operator')],
      ].toSorted(byName),
    );
    const issued = ofKind(objects, 'Certificate').map(({ metadata }) => metadata.name);
    expect(issued.toSorted()).toEqual(['authority', 'nats']);
  });
});

describeManifests('the broker', () => {
  test('is reached by TLS alone: by services, by the Job that sets it up as the operator, and by the servers of its cluster', () => {
    const brokers = renderings.filter(({ objects }) =>
      ofKind(objects, 'StatefulSet').some(({ metadata }) => metadata.name === 'nats'),
    );
    expect(brokers.map(({ name }) => name)).toEqual(expect.arrayContaining(['overlays/local', 'overlays/production']));
    for (const { objects } of brokers) {
      const settings = objects.flatMap(({ kind, data }) => (kind === 'ConfigMap' ? (data?.['NATS_URL'] ?? []) : []));
      expect(settings).toEqual(entries.map(() => 'tls://nats:4222'));
      const broker = objects.find(({ kind, data }) => kind === 'ConfigMap' && data?.['nats.conf'] !== undefined);
      expect(broker?.data?.['rights.conf']).toBe(readFileSync(join(root, 'k8s/components/nats/rights.conf'), 'utf8'));
      const configured = broker?.data?.['nats.conf'] ?? '';
      const listeners = configured.includes('cluster {') ? 2 : 1;
      expect(configured.match(/verify_and_map: true/g)).toHaveLength(listeners);
      const job = workloads(objects).find(({ metadata }) => metadata.name === 'broker-setup');
      expect(job?.spec.template.spec.containers[0]).toMatchObject({
        command: ['node', 'tools/admin/dist/admin.js', 'broker-setup'],
        env: [
          { name: 'NATS_URL', value: 'tls://nats:4222' },
          { name: 'TLS_DIR', value: '/identity' },
          ...(listeners === 2 ? [{ name: 'NATS_STREAM_REPLICAS', value: '3' }] : []),
        ],
      });
    }
  });
});

describeManifests('migrations', () => {
  const jobs = renderings.flatMap(({ name, objects }) =>
    workloads(objects)
      .filter(({ metadata }) => metadata.name === 'migrate')
      .map((workload) => ({ name, objects, container: workload.spec.template.spec.containers[0] })),
  );

  test('are part of every overlay, with the connection string of every database', () => {
    expect(jobs.map(({ name }) => name)).toEqual([
      'overlays/local',
      'overlays/production',
      'overlays/staging',
      'tests/every-component',
    ]);
    const databases = entries.flatMap(([name, { protocol }]) => (protocol === 'grpc' ? [name] : []));
    for (const { container } of jobs) {
      expect(container?.command).toEqual(['node', 'tools/admin/dist/admin.js', 'migrate']);
      expect(container?.env).toEqual(
        databases.map((name) => ({
          name: addressVariable(name).replace('ADDRESS', 'MONGODB_URL'),
          valueFrom: { secretKeyRef: { name, key: 'MONGODB_URL' } },
        })),
      );
    }
  });

  test('start only when somebody creates a Job, and reach the database alone', () => {
    for (const { objects } of jobs) {
      const [job] = objects.filter(({ kind, metadata }) => kind === 'CronJob' && metadata.name === 'migrate');
      expect(job?.spec).toMatchObject({ suspend: true });
      const { in: incoming, out } = allowedConnections(objects);
      expect(out.filter((connection) => /^migrate -> (?!mongodb|10\.|172\.16|192\.168)/.test(connection))).toEqual([]);
      expect(incoming.filter((connection) => connection.includes('-> migrate '))).toEqual([]);
    }
  });
});

describeManifests('probe', () => {
  test('calls the gateway as a customer, with a key that may be missing, and accepts no connection', () => {
    const { objects } = rendering('overlays/production');
    const found = workloads(objects).find(({ metadata }) => metadata.name === 'probe');
    const container = found?.spec.template.spec.containers[0];
    expect(container?.command).toEqual(['node', 'tools/admin/dist/admin.js', 'probe']);
    expect(container?.env).toEqual([
      {
        name: 'PROBE_API_KEY',
        valueFrom: { secretKeyRef: { name: 'probe', key: 'PROBE_API_KEY', optional: true } },
      },
    ]);
    const settings = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('probe'));
    expect(settings?.data).toEqual({
      PROBE_URL: `http://gateway:${ports.http}/v1`,
      OTEL_EXPORTER_OTLP_ENDPOINT: expect.stringMatching(/^http:/),
      OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=probe',
    });
    const { in: incoming } = allowedConnections(objects);
    expect(incoming.filter((connection) => connection.includes('-> probe '))).toEqual([]);
  });
});

describeManifests('backup', () => {
  test('dumps all databases at one moment, verifies the archive, and stores it last', () => {
    const { spec } =
      workloads(rendering('overlays/production').objects).find(({ metadata }) => metadata.name === 'backup') ?? {};
    const pod = spec?.template.spec;
    expect(pod?.initContainers?.map(({ name }) => name)).toEqual(['dump', 'verify']);
    const dump = pod?.initContainers?.[0]?.command ?? [];
    // The operation log exists only for the whole server, so --oplog excludes a choice of databases.
    expect(dump).toContain('--oplog');
    expect(dump.filter((option) => /^--(?:db|collection|ns)/.test(option))).toEqual([]);
    // The connection string is a secret, which an argument would show in the list of processes.
    expect(dump.filter((option) => option.startsWith('--uri'))).toEqual([]);
    expect(pod?.containers.map(({ name }) => name)).toEqual(['store']);
  });
});

describeManifests('configuration', () => {
  test('secrets are only ever referred to, each in the Secret of its service', () => {
    const faults = everywhere(({ objects, yaml }) => [
      ...(yaml.includes('kind: Secret\n') ? ['a Secret is part of the manifests'] : []),
      ...ofKind(objects, 'ConfigMap').flatMap(({ metadata, data }) =>
        SECRETS.filter((name) => data?.[name] !== undefined).map((name) => `${name} is in ConfigMap ${metadata.name}`),
      ),
      ...serviceDeployments(objects).flatMap(({ metadata, spec }) =>
        (spec.template.spec.containers[0]?.env ?? [])
          .filter(({ name }) => SECRETS.includes(name))
          .filter(({ name, valueFrom }) => {
            const secret = valueFrom?.secretKeyRef;
            return secret?.name !== metadata.name || secret.key !== name;
          })
          .map(({ name }) => `${metadata.name} takes ${name} from elsewhere`),
      ),
    ]);
    expect(faults).toEqual([]);
  });
});

describeManifests('extraction', () => {
  test('no cluster lets documents be read by processes that are not confined', () => {
    const faults = everywhere(({ objects }) => [
      ...ofKind(objects, 'ConfigMap').flatMap(({ metadata, data }) =>
        data?.['EXTRACTION_CONFINEMENT'] === undefined ? [] : [`${metadata.name} sets it`],
      ),
      ...serviceDeployments(objects).flatMap(({ metadata, spec }) =>
        (spec.template.spec.containers[0]?.env ?? [])
          .filter(({ name }) => name === 'EXTRACTION_CONFINEMENT')
          .map(() => `${metadata.name} sets it`),
      ),
    ]);
    expect(faults).toEqual([]);
  });
});

describeManifests('an installation', () => {
  const installations = renderings.filter(({ objects }) =>
    objects.some(({ kind }) => kind === 'HorizontalPodAutoscaler'),
  );

  test('leaves the number of replicas to the autoscaler, where there is one', () => {
    interface AutoscalerSpec {
      readonly scaleTargetRef: { readonly name: string };
      readonly minReplicas: number;
      readonly metrics: readonly { readonly resource?: { readonly target: { readonly type: string } } }[];
    }
    expect(installations.map(({ name }) => name)).toEqual([
      'overlays/production',
      'overlays/staging',
      'tests/every-component',
    ]);
    const faults = installations.flatMap(({ name, objects }) =>
      ofKind<AutoscalerSpec>(objects, 'HorizontalPodAutoscaler').flatMap(({ spec }) => {
        const { name: target } = spec.scaleTargetRef;
        const deployment = serviceDeployments(objects).find(({ metadata }) => metadata.name === target);
        return [
          ...(deployment === undefined ? [`${name}: ${target} does not exist`] : []),
          ...(deployment?.spec.replicas === undefined ? [] : [`${name}: ${target} has replicas`]),
          ...(spec.minReplicas < 2 ? [`${name}: ${target} may run once`] : []),
          // A share of the request would scale out at a fraction of what one process can do.
          ...spec.metrics
            .filter(({ resource }) => resource !== undefined && resource.target.type !== 'AverageValue')
            .map(() => `${name}: ${target} is scaled by a share`),
        ];
      }),
    );
    expect(faults).toEqual([]);
  });

  test('schedules the stores first, then what every decision needs, then the rest', () => {
    const edge = ['gateway', 'organization', 'analysis'];
    for (const { name, objects } of installations) {
      const classes = workloads(objects).map(({ kind, metadata, spec }) => {
        const expected = kind === 'StatefulSet' ? 'stores' : edge.includes(metadata.name) ? 'edge' : 'background';
        return { expected, given: spec.template.spec.priorityClassName, workload: metadata.name };
      });
      expect({ name, wrong: classes.filter(({ expected, given }) => given !== `invoice-control-${expected}`) }).toEqual(
        { name, wrong: [] },
      );
      const values = objects
        .filter(({ kind }) => kind === 'PriorityClass')
        .map((one) => [one.metadata.name, (one as KubernetesObject & { value: number }).value]);
      expect(Object.fromEntries(values)).toEqual({
        'invoice-control-stores': 1_000_000,
        'invoice-control-edge': 100_000,
        'invoice-control-background': 10_000,
      });
    }
  });

  test('fills every Secret that a pod reads from the secret store', () => {
    for (const { objects } of installations) {
      // The component mongodb is for trying the product, and its Secret is created by hand.
      const installed = workloads(objects).filter(({ metadata }) => metadata.name !== 'mongodb');
      const read = installed.flatMap(({ spec }) => {
        const { containers, volumes = [] } = spec.template.spec;
        return [
          ...containers.flatMap(({ env = [] }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? [])),
          ...volumes.flatMap(({ secret }) => secret?.secretName ?? []),
        ];
      });
      // cert-manager fills the Secrets with certificates.
      const issued = ofKind<{ secretName: string }>(objects, 'Certificate').map(({ spec }) => spec.secretName);
      const filled = objects.filter(({ kind }) => kind === 'ExternalSecret').map(({ metadata }) => metadata.name);
      expect([...new Set(read)].filter((name) => !issued.includes(name)).toSorted()).toEqual(filled.toSorted());
    }
  });

  test('names each value that is left to replace, and nothing once all are replaced', () => {
    const check = (yaml: string): { status: number | null; names: string[] } => {
      const { status, stdout } = spawnSync('node', [join(root, 'tools/check-installation.mjs')], {
        input: yaml,
        encoding: 'utf8',
      });
      const lines = stdout.split('\n');
      const named = lines.filter((line, at) => /^\S/.test(line) && !lines[at + 1]?.endsWith('(allowed)'));
      return { status, names: [...new Set(named.map((line) => line.split(': ')[0] ?? ''))].toSorted() };
    };
    const { yaml } = rendering('overlays/production');
    expect(check(yaml)).toEqual({
      status: 1,
      names: [
        'BACKUP_TARGET',
        'CHECKOUT_SUCCESS_URL',
        'ERP_OAUTH_CALLBACK_URL',
        'ERP_OAUTH_RETURN_URL',
        'MAIL_FROM',
        'cert-manager.io/cluster-issuer',
        'gatewayClassName',
        'hostname',
        'image',
        'name',
      ],
    });
    const replaced = yaml
      .replaceAll('example.com', 'acme.test')
      .replaceAll(/YOUR-[A-Z-]+/g, 'own')
      .replaceAll(`sha256:${'0'.repeat(64)}`, `sha256:${'1'.repeat(64)}`);
    expect(check(replaced)).toEqual({ status: 0, names: [] });
    expect(check('').status).toBe(2);
  });

  test('runs the image of the product from a registry, by its digest', () => {
    const production = rendering('overlays/production');
    const images = [...serviceDeployments(production.objects)].map(
      ({ spec }) => spec.template.spec.containers[0]?.image,
    );
    expect(new Set(images).size).toBe(1);
    expect(images[0]).toMatch(/^[\w.-]+\/invoice-control@sha256:[0-9a-f]{64}$/);
  });
});

describeManifests('components', () => {
  test('every component has a README with its purpose, and is built in some combination', () => {
    const components = readdirSync(join(root, 'k8s/components'));
    expect(components.filter((name) => !existsSync(join(root, 'k8s/components', name, 'README.md')))).toEqual([]);
    const all = rendering('tests/every-component');
    expect(workloads(all.objects).map(({ metadata }) => metadata.name)).toEqual([
      ...[...entries.map(([name]) => name), 'mongodb-exporter', 'operator'].toSorted(),
      'mongodb',
      'nats',
      'backup',
      'broker-setup',
      'migrate',
      'probe',
    ]);
  });

  test('the broker has each event on the disk before it acknowledges it', () => {
    const local = rendering('overlays/local');
    const broker = local.objects.find(({ kind, data }) => kind === 'ConfigMap' && data?.['nats.conf'] !== undefined);
    expect(broker?.data?.['nats.conf']).toMatch(/^ *sync_interval: always$/m);
  });
});
