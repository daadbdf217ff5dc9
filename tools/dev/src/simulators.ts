// The outside systems of a workstation: local counterparts that check what the real ones check.
import { startEcbFeedSimulator } from '@invoicecontrol/simulators/ecb-feed';
import { startSmtpSimulator } from '@invoicecontrol/simulators/smtp';

export interface Simulators {
  /** What tells the services where their outside systems are. */
  readonly env: Readonly<Record<string, string>>;
  /** By name, as `.data/demo.json` tells them. */
  readonly urls: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startSimulators(): Promise<Simulators> {
  const [ecbFeed, smtp] = await Promise.all([startEcbFeedSimulator(), startSmtpSimulator()]);
  return {
    env: { ECB_FEED_URL: ecbFeed.url, SMTP_URL: smtp.url, MAIL_FROM: 'Invoice Control <control@localhost>' },
    // Mails are looked at over HTTP: GET /messages.
    urls: { ecbFeed: ecbFeed.url, smtp: smtp.httpUrl },
    async stop() {
      await Promise.all([ecbFeed.stop(), smtp.stop()]);
    },
  };
}
