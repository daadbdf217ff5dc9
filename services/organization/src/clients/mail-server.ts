import { setTimeout as delay } from 'node:timers/promises';
import { errorType, measure } from '@invoicecontrol/runtime/telemetry';
import { activeTrace } from '@invoicecontrol/runtime/trace-context';
import { createTransport } from 'nodemailer';
import type { Delivery, Mail, Mailer } from '../application/send-notifications.js';

const CONNECT_MS_MAX = 10_000;
/** Maximum time in milliseconds during which the mail server may send nothing before the attempt fails. */
const SILENCE_MS_MAX = 20_000;
/**
 * Maximum duration of one attempt to send a mail in milliseconds, even if the mail server keeps sending slow responses.
 * This duration is a third of the lease of a claimed mail.
 */
const SEND_MS_MAX = 40_000;

/**
 * Sends mails over SMTP with one connection for each mail.
 * @param url `smtp://` (with TLS if the server offers it) or `smtps://`, with user and password if the server needs
 * them
 * @param from sender: `Invoice Control <control@example.com>` or the bare address
 */
export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
    socketTimeout: SILENCE_MS_MAX,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^\s@<>]+)>?$/.exec(from)?.[1] ?? 'localhost';
  const deliver = async ({ id, to, subject, text, createdAt }: Mail): Promise<Delivery> => {
    const measured = measure('client', 'send mail', {
      parent: activeTrace(),
      duration: 'http.client.request.duration',
    });
    const attributes = { 'http.request.method': 'POST', 'invoicecontrol.peer': 'smtp' } as const;
    try {
      await transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        date: createdAt,
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      measured.end({ failed: false, attributes });
      return { outcome: 'ACCEPTED' };
    } catch (error) {
      measured.end({ failed: true, attributes: { ...attributes, 'error.type': errorType(error) } });
      return toFailedDelivery(error);
    }
  };
  return {
    async send(mail, signal) {
      // The timeout aborts the attempt to send a mail. If the mail server accepts the mail after that, the mail is sent
      // again under the same message id.
      const ended = new AbortController();
      const timeout = delay(SEND_MS_MAX, undefined, { signal: AbortSignal.any([signal, ended.signal]) }).then(
        (): Delivery => ({ outcome: 'DEFERRED', reason: 'TOO_SLOW' }),
        (): Delivery => ({ outcome: 'DEFERRED', reason: 'STOPPED' }),
      );
      const delivery = await Promise.race([deliver(mail), timeout]);
      ended.abort();
      return delivery;
    },
  };
}

/**
 * Converts an error of the mail server to a failed delivery. The delivery fails for good only if the mail server
 * permanently rejects the recipient or the mail. A rejected sender or password is a wrong setting, which the operator
 * can correct.
 */
function toFailedDelivery(error: unknown): Delivery {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  const isPermanent =
    (command === 'RCPT TO' || command === 'DATA') && responseCode !== undefined && responseCode >= 500;
  const reason = [code ?? 'UNKNOWN', responseCode].filter((part) => part !== undefined).join(' ');
  return { outcome: isPermanent ? 'REJECTED' : 'DEFERRED', reason };
}
