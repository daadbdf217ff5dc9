/**
 * The service map lists every service of the product once. `npm start`, the crash tests, the benchmarks, compose.yaml
 * and the Kubernetes manifests are derived from it, and `tests/contract` compares it with the settings that the
 * services read. No service imports it.
 */
export interface Service {
  /**
   * A `grpc` service runs behind the gateway and has a database with the name of the service. An `http` service accepts
   * requests from outside and stores nothing.
   */
  readonly protocol: 'grpc' | 'http';
  /**
   * The services whose RPCs this service calls. This service gets `<NAME>_ADDRESS` for each of them, and the network
   * policies allow these connections.
   */
  readonly calls: readonly string[];
  /**
   * Environment variables of this service. The variables that every service with the same protocol has, and the
   * addresses of the services in `calls`, are not listed here.
   */
  readonly settings: Readonly<Record<string, Setting>>;
  /**
   * TCP ports on the internet to which the service connects. Private addresses stay blocked. Without a port, the
   * service cannot connect to the internet.
   */
  readonly internetPorts?: readonly (number | { readonly from: number; readonly to: number })[];
  readonly requests: Resources;
  readonly limits: Resources;
  /** Disk space of a service for temporary files, if the service needs more than the 64Mi of every container. */
  readonly temporaryDisk?: string;
}

interface Setting {
  /** Value of the setting in Kubernetes. An overlay may set another value. */
  readonly value?: string;
  /**
   * Kubernetes reads the value from the Secret of the service. For a system on one machine, a `key-ring` is
   * generated. An `optional` secret is provided by the operator, and the service works without it.
   */
  readonly secret?: 'key-ring' | 'optional';
  /** Value of the setting in compose unless the developer sets another one. A secret with such a value is public. */
  readonly local?: string;
  /** True for a setting that may be set to the empty text on purpose. Compose then passes the empty text on instead of `local`. */
  readonly mayBeEmpty?: true;
  /** Value for a system on one machine (`npm start`, the tests, compose), unless the environment sets another one. */
  readonly development?: string;
}

interface Resources {
  readonly cpu: string;
  readonly memory: string;
}

const ecbFeed = 'https://www.ecb.europa.eu/stats/eurofxref';

export const services = {
  billing: {
    protocol: 'grpc',
    // The billing service calls no other service, because it learns from events which organizations exist. The
    // organization service calls billing before it deletes an organization.
    calls: [],
    settings: {
      // NODE_ENV of the billing service. The image sets it to production, in which billing refuses the prices and the
      // secret of the simulator.
      NODE_ENV: { local: 'development', development: 'development' },
      // Each installation has its own price ids of the payment provider. The local price ids exist only in the
      // simulator. Without price ids, no plan can be bought.
      PADDLE_PRICE_CORE_MONTH: {
        development: 'pri_developmentcoremonth000000',
      },
      PADDLE_PRICE_CORE_YEAR: {
        development: 'pri_developmentcoreyear0000000',
      },
      PADDLE_PRICE_CONTROL_MONTH: {
        development: 'pri_developmentcontrolmonth000',
      },
      PADDLE_PRICE_CONTROL_YEAR: {
        development: 'pri_developmentcontrolyear0000',
      },
      PADDLE_PRICE_SCALE_MONTH: {
        development: 'pri_developmentscalemonth00000',
      },
      PADDLE_PRICE_SCALE_YEAR: {
        development: 'pri_developmentscaleyear000000',
      },
      PADDLE_PRICE_ENTITY_MONTH: {
        development: 'pri_developmententitymonth0000',
      },
      PADDLE_PRICE_ENTITY_YEAR: {
        development: 'pri_developmententityyear00000',
      },
      PADDLE_NOTIFICATION_SECRETS: { secret: 'optional', development: 'pdl_ntfset_development_only' },
      PADDLE_API_URL: { value: 'https://api.paddle.com' },
      // Without this API key of the payment provider, subscriptions are not reconciled, and the API returns no link to
      // the provider's page.
      PADDLE_API_KEY: { secret: 'optional' },
      CHECKOUT_SUCCESS_URL: {
        value: 'https://example.com/billing/success',
        development: 'http://127.0.0.1:8080/app/billing?checkout=done',
      },
      SUBSCRIPTION_PAST_DUE_DAYS: {},
    },
    internetPorts: [443],
    // An idle process of the billing service uses 147 MB.
    requests: { cpu: '100m', memory: '192Mi' },
    limits: { cpu: '500m', memory: '384Mi' },
  },
  organization: {
    protocol: 'grpc',
    calls: ['billing'],
    settings: {
      API_KEY_PEPPERS: { secret: 'key-ring', local: 'local:ZGV2ZWxvcG1lbnQtb25seS1ub3QtZm9yLWFueW9uZSE=' },
      // Time in which a deleted organization can be restored, and time for which the audit trail of a purged
      // organization is kept.
      ORGANIZATION_RETENTION_MS: {},
      AUDIT_RETENTION_MS: {},
      // Without a mail server, invitations and notifications wait until one is configured.
      SMTP_URL: { secret: 'optional' },
      MAIL_FROM: { value: 'Invoice Control <no-reply@example.com>' },
    },
    // Ports for mail submission. For a mail server with a private address, the overlay contains a patch.
    internetPorts: [465, 587],
    requests: { cpu: '100m', memory: '192Mi' },
    limits: { cpu: '1', memory: '384Mi' },
  },
  analysis: {
    protocol: 'grpc',
    calls: ['organization', 'documents'],
    settings: {
      // Feed of the Euro reference rates, which are read every half hour. Without this setting, foreign amounts are not
      // converted.
      ECB_FEED_URL: { value: ecbFeed, local: ecbFeed },
      // Days of announced KSeF outages. Invoices that were issued on these days need not be sent through KSeF.
      KSEF_FAILURE_PERIODS: {},
      // Day from which transfers between Polish VAT payers must state KSeF numbers, 2027-01-01 by default.
      KSEF_NUMBERS_IN_TRANSFERS_FROM: {},
      SECRETBOX_KEYS: { secret: 'key-ring', local: 'local:ZGV2ZWxvcG1lbnQtb25seS1ub3QtZm9yLWFueW9uZSE=' },
    },
    internetPorts: [443],
    requests: { cpu: '300m', memory: '384Mi' },
    limits: { cpu: '2', memory: '1Gi' },
  },
  documents: {
    protocol: 'grpc',
    // The documents service parses files from unknown senders, so it calls no service and cannot reach the internet.
    calls: [],
    settings: {
      // Settings of the documents service that an installation may change. Its README explains them.
      UPLOAD_TTL_SECONDS: {},
      UPLOAD_SWEEP_SECONDS: {},
      UPLOAD_UNUSED_SECONDS: {},
      EXTRACTION_CHILDREN: {},
      EXTRACTION_SECONDS: {},
      EXTRACTION_OCR_SECONDS: {},
      EXTRACTION_MEMORY_MB: {},
      // The local value allows the documents service to read documents without confinement. In Kubernetes, the service
      // refuses to start without confinement.
      EXTRACTION_CONFINEMENT: { development: 'WHERE_POSSIBLE' },
      RULES_DIR: {},
    },
    // A process of the documents service that has rendered pages uses about 200 MiB.
    requests: { cpu: '500m', memory: '1Gi' },
    // Memory of the documents service for four reading processes, each with its own limit, one small process, and the
    // serving process, which holds one image of each reading process at a time.
    limits: { cpu: '4', memory: '3Gi' },
  },
  scan: {
    protocol: 'grpc',
    calls: ['organization', 'analysis'],
    settings: {},
    requests: { cpu: '100m', memory: '256Mi' },
    // The memory limit of the scan service is enough for the maximum number of history scan rows that one process holds
    // at the same time.
    limits: { cpu: '1', memory: '1Gi' },
  },
  webhooks: {
    protocol: 'grpc',
    calls: ['organization'],
    settings: {
      SECRETBOX_KEYS: { secret: 'key-ring', local: 'local:ZGV2ZWxvcG1lbnQtb25seS1ub3QtZm9yLWFueW9uZSE=' },
      // This default for one machine sets NODE_ENV to production, as the container image of the webhooks service does.
      // With this value, the service refuses the test settings below.
      NODE_ENV: { local: 'production' },
      // Settings that production refuses, or that an installation need not change. The README of the webhooks service
      // explains them.
      EGRESS_ALLOW_CIDRS: {},
      EGRESS_ALLOW_HTTP: {},
      EGRESS_DNS_SERVERS: {},
      WEBHOOK_TEST_CA_FILE: {},
      WEBHOOK_RETRY_WAITS_MS: {},
      WEBHOOK_RETRY_FLOOR_MS: {},
      WEBHOOK_SECRET_OVERLAP_MS: {},
      WEBHOOK_NOTICE_AFTER_MS: {},
      WEBHOOK_DISABLE_AFTER_MS: {},
    },
    // Customers choose the port of their webhook receivers. The webhooks service refuses the ports of databases and
    // brokers.
    internetPorts: [443, { from: 1_024, to: 65_535 }],
    requests: { cpu: '200m', memory: '256Mi' },
    limits: { cpu: '1', memory: '512Mi' },
  },
  'erp-sync': {
    protocol: 'grpc',
    calls: ['organization', 'analysis'],
    settings: {
      SECRETBOX_KEYS: { secret: 'key-ring', local: 'local:ZGV2ZWxvcG1lbnQtb25seS1ub3QtZm9yLWFueW9uZSE=' },
      // This default for one machine sets NODE_ENV to production, as the container image of the erp-sync service does.
      // With this value, the service refuses the test settings below.
      NODE_ENV: { local: 'production' },
      EGRESS_ALLOW_CIDRS: {},
      EGRESS_ALLOW_HTTP: {},
      EGRESS_DNS_SERVERS: {},
      ERP_EGRESS_ALLOW_ORIGINS: {},
      ERP_PROVIDER_NAMES: {},
      BUSINESS_CENTRAL_LOGIN_URL: {},
      BUSINESS_CENTRAL_API_URL: {},
      BUSINESS_CENTRAL_BANK_ORIGINS: {},
      // The OAuth application of the installation at each provider. Without it, customers cannot connect that ERP.
      QUICKBOOKS_CLIENT_ID: {},
      QUICKBOOKS_CLIENT_SECRET: { secret: 'optional' },
      QUICKBOOKS_AUTHORIZE_URL: {},
      QUICKBOOKS_TOKEN_URL: {},
      QUICKBOOKS_REVOKE_URL: {},
      QUICKBOOKS_API_URL: {},
      XERO_CLIENT_ID: {},
      XERO_CLIENT_SECRET: { secret: 'optional' },
      XERO_AUTHORIZE_URL: {},
      XERO_TOKEN_URL: {},
      XERO_REVOKE_URL: {},
      XERO_API_URL: {},
      // Settings of the erp-sync service that an installation may change. Its README explains them.
      ERP_SYNC_INTERVAL_SECONDS: {},
      ERP_POLL_SECONDS: {},
      ERP_LEASE_SECONDS: {},
      ERP_RECONCILE_SECONDS: {},
      ERP_INITIAL_MONTHS: {},
      ERP_REFRESH_SECONDS: {},
      ERP_PAGE_SIZE: {},
      ERP_CALL_SECONDS: {},
      ERP_RESPONSE_MAX_BYTES: {},
      ERP_BACKOFF_MS: {},
      ERP_BACKOFF_MAX_SECONDS: {},
      ERP_RUN_SECONDS: {},
      ERP_RUN_CALLS: {},
      ERP_OAUTH_FLOW_SECONDS: {},
      ERP_OAUTH_CONFIRM: {},
      ERP_OAUTH_CALLBACK_URL: {
        value: 'https://example.com/v1/erp-connections/oauth/callback',
        development: 'http://127.0.0.1:8080/v1/erp-connections/oauth/callback',
      },
      ERP_OAUTH_RETURN_URL: {
        value: 'https://example.com/erp-connections',
        development: 'http://127.0.0.1:8080/app/erp',
      },
    },
    // Customers choose the port of their Odoo. The erp-sync service refuses the ports of databases and brokers.
    internetPorts: [443, { from: 1_024, to: 65_535 }],
    requests: { cpu: '200m', memory: '256Mi' },
    limits: { cpu: '1', memory: '512Mi' },
  },
  ksef: {
    protocol: 'grpc',
    calls: ['organization', 'analysis', 'documents'],
    settings: {
      SECRETBOX_KEYS: { secret: 'key-ring', local: 'local:ZGV2ZWxvcG1lbnQtb25seS1ub3QtZm9yLWFueW9uZSE=' },
      // Addresses of the KSeF environments. `npm start` sets them to the simulator.
      KSEF_TEST_URL: {},
      KSEF_DEMO_URL: {},
      KSEF_PRODUCTION_URL: {},
      // Further hosts from which KSeF packages may be downloaded.
      KSEF_TEST_STORAGE_HOSTS: {},
      KSEF_DEMO_STORAGE_HOSTS: {},
      KSEF_PRODUCTION_STORAGE_HOSTS: {},
      // The certificates whose seals on KSeF confirmations are accepted. `npm start` names the certificates of the
      // simulator.
      KSEF_TEST_SEALS_FILE: {},
      KSEF_DEMO_SEALS_FILE: {},
      KSEF_PRODUCTION_SEALS_FILE: {},
      KSEF_TEST_SEALS_CRL_FILE: {},
      KSEF_DEMO_SEALS_CRL_FILE: {},
      KSEF_PRODUCTION_SEALS_CRL_FILE: {},
      // Settings of the ksef service that an installation may change. Its README explains them.
      KSEF_TOKENS_END: { local: '2026-12-31', mayBeEmpty: true },
      KSEF_WAIT_FACTOR: {},
      KSEF_REQUEST_SECONDS: {},
      KSEF_LEASE_SECONDS: {},
      KSEF_LIMIT_FACTOR: {},
    },
    internetPorts: [443],
    // A process of the KSeF service uses 175 MB while it receives 10,000 invoices.
    requests: { cpu: '100m', memory: '256Mi' },
    limits: { cpu: '1', memory: '512Mi' },
    // Disk space of the ksef service for two packages of invoices at once, of 1.2 GB each at most.
    temporaryDisk: '2560Mi',
  },
  gateway: {
    protocol: 'http',
    calls: ['organization', 'analysis', 'documents', 'scan', 'webhooks', 'billing', 'erp-sync', 'ksef'],
    settings: {
      // Number of proxies in front of the gateway that append to X-Forwarded-For. It is 1, because only the ingress
      // controller does.
      TRUSTED_PROXY_HOPS: { value: '1' },
      // The gateway does not limit the connections of each address, because all connections come from the ingress
      // controller, which limits them for each client.
      CONNECTIONS_PER_ADDRESS_MAX: { value: '0' },
      UNAUTHENTICATED_PER_ADDRESS_MAX: { value: '50' },
      // The headless Service with the address of every gateway. An installation without this Service sets the number of
      // gateways.
      GATEWAY_PEERS: { value: 'gateway-peers' },
      GATEWAY_REPLICAS: {},
      RATE_LIMIT_DEFAULT_PER_MINUTE: { value: '3000' },
      RATE_LIMIT_ORGANIZATION_PER_MINUTE: { value: '10000' },
      RATE_LIMIT_WRITES_PER_MINUTE: { value: '1200' },
      RATE_LIMIT_SCANS_PER_MINUTE: { value: '20' },
      RATE_LIMIT_DOCUMENTS_PER_MINUTE: { value: '600' },
      RATE_LIMIT_WAIT_MS: {},
      // With the value `off`, the gateway serves no web application under /app.
      CONSOLE: {},
    },
    requests: { cpu: '200m', memory: '256Mi' },
    limits: { cpu: '1', memory: '512Mi' },
  },
} as const satisfies Readonly<Record<string, Service>>;

export type ServiceName = keyof typeof services;

/** The ports on which a service listens in a container. */
export const ports = { grpc: 50051, health: 50052, http: 8080 } as const;

/** The services in start order: each service comes after the services that it calls. */
export const startOrder: readonly ServiceName[] = order();

/** The entries of the service map as {@link Service}, in start order. */
export const entries: readonly (readonly [ServiceName, Service])[] = startOrder.map((name) => [name, services[name]]);

/** Returns the name of a service's database, for example `erp_sync` for `erp-sync`. */
export function databaseName(service: string): string {
  return service.replaceAll('-', '_');
}

function order(): ServiceName[] {
  const ordered: ServiceName[] = [];
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name))
      throw new Error(`${[...path, name].join(' calls ')}: the services of a cycle cannot be started in order.`);
    if (!(name in services)) throw new Error(`${path.at(-1)} calls ${name}, which is not a service.`);
    const service = name as ServiceName;
    if (ordered.includes(service)) return;
    for (const called of services[service].calls) visit(called, [...path, name]);
    ordered.push(service);
  };
  for (const name of Object.keys(services)) visit(name, []);
  return ordered;
}
