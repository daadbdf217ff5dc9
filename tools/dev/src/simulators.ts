// Starts the simulators of the external systems for `npm start`. They check the same things as the real systems.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEcbFeedSimulator } from '@invoicecontrol/simulators/ecb-feed';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpSimulators, RegisteredApp } from '@invoicecontrol/simulators/erp';
import { startKsefSimulator } from '@invoicecontrol/simulators/ksef';
import type { KsefSimulator } from '@invoicecontrol/simulators/ksef';
import { startPaddleSimulator } from '@invoicecontrol/simulators/paddle';
import type { PaddleSimulator } from '@invoicecontrol/simulators/paddle';
import { startSmtpSimulator } from '@invoicecontrol/simulators/smtp';
import { startWebhookReceiver } from '@invoicecontrol/simulators/webhook-receiver';
import type { WebhookReceiver } from '@invoicecontrol/simulators/webhook-receiver';
import { createTestAuthority } from '@invoicecontrol/testkit/test-certificates';
import { developmentSettings } from '@invoicecontrol/topology/start';

export interface Simulators {
  /** Environment variables that give the services the addresses of the outside systems. */
  readonly env: Readonly<Record<string, string>>;
  /** URLs of the simulators by name, as in `.data/demo.json`. */
  readonly urls: Readonly<Record<string, string>>;
  /** Sets the address of the product in the simulators that call it. */
  connect(baseUrl: string): void;
  readonly erps: ErpSimulators;
  /** Webhook receiver of the demonstration. Absent if this start does not demonstrate webhooks. */
  readonly webhookReceiver: WebhookReceiver | undefined;
  stop(): Promise<void>;
}

interface SimulatorOptions {
  /** True if the simulator of a webhook receiver is started. */
  readonly webhooks: boolean;
  /** Directory for the certificate of the webhook receiver and for the state of KSeF. */
  readonly directory: string;
  /** Environment variables of the services in addition to the variables for the simulators. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Port of the simulated Odoo in the previous start. ERP connections that were created then have this port in their
   * URL.
   */
  readonly odooPort: number | undefined;
}

export async function startSimulators(options: SimulatorOptions): Promise<Simulators> {
  const [ecbFeed, smtp, paddle, erps, ksef, webhooks] = await Promise.all([
    startEcbFeedSimulator(),
    startSmtpSimulator(),
    startPaddle(options.env),
    startErps(options.env, options.odooPort),
    // The contexts, keys and documents of the simulated KSeF survive a restart, as in the real KSeF.
    startKsef(join(options.directory, 'simulators', 'ksef'), options.env),
    options.webhooks ? receiveWebhooks(options.directory) : undefined,
  ]);
  return {
    env: {
      ECB_FEED_URL: ecbFeed.url,
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Invoice Control <control@localhost>',
      ...paddle.env,
      ...erps.env,
      ...ksef.env,
      ...webhooks?.env,
    },
    // The request `GET /messages` to this URL shows the received mails.
    urls: {
      ecbFeed: ecbFeed.url,
      smtp: smtp.httpUrl,
      paddle: paddle.simulator.url,
      ...erps.simulators.urls,
      ksef: ksef.simulator.url,
      ...webhooks?.urls,
    },
    connect: (baseUrl) => paddle.simulator.setNotificationUrl(notificationUrl(baseUrl)),
    erps: erps.simulators,
    webhookReceiver: webhooks?.receiver,
    async stop() {
      const started = [ecbFeed, smtp, paddle.simulator, erps.simulators, ksef.simulator, webhooks];
      await Promise.all(started.map(async (one) => one?.stop()));
    },
  };
}

/** Returns the URL to which the payment provider sends its notifications. */
export function notificationUrl(baseUrl: string): string {
  return `${baseUrl}/billing/paddle/notifications`;
}

/**
 * Returns the environment variables of the services. If they do not set the public addresses of this installation,
 * these are added. The addresses are unknown if the operating system chooses the port.
 */
export function withOwnUrls(env: NodeJS.ProcessEnv, port: number): NodeJS.ProcessEnv {
  if (port === 0) return env;
  const origin = `http://127.0.0.1:${port}`;
  const own = {
    CHECKOUT_SUCCESS_URL: `${origin}/app/billing?checkout=done`,
    ERP_OAUTH_CALLBACK_URL: `${origin}/v1/erp-connections/oauth/callback`,
    ERP_OAUTH_RETURN_URL: `${origin}/docs`,
  };
  return { ...env, ...Object.fromEntries(Object.entries(own).filter(([name]) => !env[name])) };
}

/**
 * Starts the simulator of Paddle with the prices and secrets of the billing service.
 * @returns the simulator, with the settings that tell billing its address
 */
export async function startPaddle(
  env: NodeJS.ProcessEnv,
): Promise<{ simulator: PaddleSimulator; env: Readonly<Record<string, string>> }> {
  const settings: Record<string, string> = { ...developmentSettings('billing') };
  for (const name of Object.keys(settings)) settings[name] = env[name] || (settings[name] ?? '');
  const prices = Object.entries(settings).flatMap(([name, id]) =>
    name.startsWith(PRICE_PREFIX) ? [[name.slice(PRICE_PREFIX.length), id] as const] : [],
  );
  const apiKey = env['PADDLE_API_KEY'] || 'pdl_sdbx_apikey_development_only';
  const simulator = await startPaddleSimulator({
    notificationSecrets: (settings['PADDLE_NOTIFICATION_SECRETS'] ?? '').split(',').map((secret) => secret.trim()),
    prices: Object.fromEntries(prices),
    successUrl: settings['CHECKOUT_SUCCESS_URL'] ?? '',
    apiKey,
  });
  return { simulator, env: { PADDLE_API_URL: simulator.url, PADDLE_API_KEY: apiKey } };
}

/**
 * Starts the simulator of KSeF, and makes the services trust the certificate with which it seals confirmations.
 * @param directory directory in which the simulator stores its state
 * @param env environment variables of the services. If they set the address of a KSeF environment (such as TEST), that
 * environment is not simulated and the certificate of the simulator is not trusted for it.
 * @returns the simulator, with the settings that tell the ksef service its address
 */
export async function startKsef(
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<{ simulator: KsefSimulator; env: Readonly<Record<string, string>> }> {
  const simulator = await startKsefSimulator({ directory });
  const settings = await Promise.all(
    KSEF_ENVIRONMENTS.map(async (name) => {
      const variable = `KSEF_${name.toUpperCase()}`;
      const url = [`${variable}_URL`, `${simulator.url}/${name}/v2`];
      if (env[`${variable}_URL`]) return [url];
      const file = join(directory, `${name}-seal.pem`);
      await writeFile(file, await simulator.sealCertificate(name));
      return [url, [`${variable}_SEALS_FILE`, file]];
    }),
  );
  return { simulator, env: Object.fromEntries(settings.flat()) as Record<string, string> };
}

const KSEF_ENVIRONMENTS = ['test', 'demo', 'production'] as const;

const PRICE_PREFIX = 'PADDLE_PRICE_';

/**
 * Starts the simulators of the ERPs, with the OAuth applications and the callback address of erp-sync.
 * @param odooPort port of the simulated Odoo, used if it is free
 * @returns the simulators, with the settings that tell erp-sync their addresses
 */
export async function startErps(
  env: NodeJS.ProcessEnv,
  odooPort?: number,
): Promise<{ simulators: ErpSimulators; env: Readonly<Record<string, string>> }> {
  const callbackUrl =
    env['ERP_OAUTH_CALLBACK_URL'] || (developmentSettings('erp-sync')['ERP_OAUTH_CALLBACK_URL'] ?? '');
  const appOf = (vendor: string, provider: string): RegisteredApp => ({
    clientId: env[`${vendor}_CLIENT_ID`] || `${vendor.toLowerCase()}-development-only`,
    clientSecret: env[`${vendor}_CLIENT_SECRET`] || `${vendor.toLowerCase()}-secret-development-only`,
    redirectUris: [`${callbackUrl.replace(/(?<!\/)\/+$/, '')}/${provider}`],
  });
  const apps = { quickBooksApp: appOf('QUICKBOOKS', 'PROVIDER_C'), xeroApp: appOf('XERO', 'PROVIDER_D') };
  const start = async (port: number): Promise<ErpSimulators> => startErpSimulators({ ...apps, ports: { odoo: port } });
  const simulators = await start(odooPort ?? 0).catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return start(0);
    throw error;
  });
  const { businessCentral, odoo, quickBooks, xero } = simulators.urls;
  return {
    simulators,
    env: {
      BUSINESS_CENTRAL_LOGIN_URL: businessCentral,
      BUSINESS_CENTRAL_API_URL: businessCentral,
      // Returns the only address of this machine that the `baseUrl` of a customer may name.
      ERP_EGRESS_ALLOW_ORIGINS: odoo,
      QUICKBOOKS_CLIENT_ID: apps.quickBooksApp.clientId,
      QUICKBOOKS_CLIENT_SECRET: apps.quickBooksApp.clientSecret,
      QUICKBOOKS_AUTHORIZE_URL: `${quickBooks}/connect/oauth2`,
      QUICKBOOKS_TOKEN_URL: `${quickBooks}/oauth2/v1/tokens/bearer`,
      QUICKBOOKS_REVOKE_URL: `${quickBooks}/v2/oauth2/tokens/revoke`,
      QUICKBOOKS_API_URL: quickBooks,
      XERO_CLIENT_ID: apps.xeroApp.clientId,
      XERO_CLIENT_SECRET: apps.xeroApp.clientSecret,
      XERO_AUTHORIZE_URL: `${xero}/identity/connect/authorize`,
      XERO_TOKEN_URL: `${xero}/connect/token`,
      XERO_REVOKE_URL: `${xero}/connect/revocation`,
      XERO_API_URL: xero,
    },
  };
}

/** A loopback address other than 127.0.0.1. The URLs of customers then cannot reach other listeners on this machine. */
export const RECEIVER_HOST = '127.94.0.1';
/** Certificate of the certificate authority of the webhook receiver, in the data directory. */
export const RECEIVER_CA = 'webhook-receiver-ca.pem';

async function receiveWebhooks(directory: string) {
  const authority = createTestAuthority('npm start');
  const { certificate: cert, key } = authority.issue({ ipAddresses: [RECEIVER_HOST] });
  const receiver = await startWebhookReceiver({ host: RECEIVER_HOST, tls: { cert, key } }).catch((error: unknown) => {
    // The loopback address may not exist, because Linux uses all of 127.0.0.0/8 for loopback and other systems only
    // 127.0.0.1.
    if ((error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL') return undefined;
    throw error;
  });
  if (receiver === undefined) return undefined;
  const caFile = join(directory, RECEIVER_CA);
  await writeFile(caFile, authority.certificate);
  return {
    receiver,
    env: { EGRESS_ALLOW_CIDRS: `${RECEIVER_HOST}/32`, WEBHOOK_TEST_CA_FILE: caFile },
    urls: { webhookReceiver: `${receiver.controlUrl}/deliveries` },
    async stop() {
      await receiver.stop();
      await rm(caFile, { force: true });
    },
  };
}
