// Simulators of the outside systems for `npm start`: they check what the real ones check.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEcbFeedSimulator } from '@invoicecontrol/simulators/ecb-feed';
import { startSmtpSimulator } from '@invoicecontrol/simulators/smtp';
import { startWebhookReceiver } from '@invoicecontrol/simulators/webhook-receiver';
import type { WebhookReceiver } from '@invoicecontrol/simulators/webhook-receiver';
import { createTestAuthority } from '@invoicecontrol/testkit/test-certificates';

export interface Simulators {
  /** What tells the services where their outside systems are. */
  readonly env: Readonly<Record<string, string>>;
  /** By name, as `.data/demo.json` tells them. */
  readonly urls: Readonly<Record<string, string>>;
  /** Absent where a start shows no webhook. */
  readonly webhookReceiver: WebhookReceiver | undefined;
  stop(): Promise<void>;
}

/** @param options.webhooks whether to receive webhooks; `directory` is for the certificate of who receives them */
export async function startSimulators(options: { webhooks: boolean; directory: string }): Promise<Simulators> {
  const [ecbFeed, smtp, webhooks] = await Promise.all([
    startEcbFeedSimulator(),
    startSmtpSimulator(),
    options.webhooks ? receiveWebhooks(options.directory) : undefined,
  ]);
  return {
    env: {
      ECB_FEED_URL: ecbFeed.url,
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Invoice Control <control@localhost>',
      ...webhooks?.env,
    },
    // GET /messages shows the mails.
    urls: { ecbFeed: ecbFeed.url, smtp: smtp.httpUrl, ...webhooks?.urls },
    webhookReceiver: webhooks?.receiver,
    async stop() {
      await Promise.all([ecbFeed.stop(), smtp.stop(), webhooks?.stop()]);
    },
  };
}

/** On loopback, but not 127.0.0.1: customers' URLs still cannot reach what else listens on this machine. */
export const RECEIVER_HOST = '127.94.0.1';
/** The authority of the receiver's certificate, in the directory of the data. */
export const RECEIVER_CA = 'webhook-receiver-ca.pem';

async function receiveWebhooks(directory: string) {
  const authority = createTestAuthority('npm start');
  const { certificate: cert, key } = authority.issue({ ipAddresses: [RECEIVER_HOST] });
  const receiver = await startWebhookReceiver({ host: RECEIVER_HOST, tls: { cert, key } }).catch((error: unknown) => {
    // Linux has all of 127.0.0.0/8, other systems 127.0.0.1 alone.
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
