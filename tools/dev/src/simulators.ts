// Simulators of the outside systems for `npm start`: they check what the real ones check.
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
    // GET /messages shows the mails.
    urls: { ecbFeed: ecbFeed.url, smtp: smtp.httpUrl },
    async stop() {
      await Promise.all([ecbFeed.stop(), smtp.stop()]);
    },
  };
}
