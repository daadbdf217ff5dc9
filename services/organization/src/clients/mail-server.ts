import { setTimeout as delay } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import type { Delivery, Mail, Mailer } from '../application/send-notifications.js';

const CONNECT_MS_MAX = 10_000;
/** Silence of the server in the middle of a conversation. */
const SILENCE_MS_MAX = 20_000;
/** A server that drips lasts no longer than this; a third of a claim's lease. */
const SEND_MS_MAX = 40_000;

/**
 * Sends mails over SMTP, one connection each.
 * @param url `smtp://` (with TLS where the server offers it) or `smtps://`, with user and password where it wants them
 * @param from in whose name: `Invoice Control <control@example.com>` or the bare address
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
      return { outcome: 'TAKEN' };
    } catch (error) {
      return failureOf(error);
    }
  };
  return {
    async send(mail, signal) {
      // A mail that is taken after we stopped waiting is sent again: the same message id tells.
      const ended = new AbortController();
      const tooLong = delay(SEND_MS_MAX, undefined, { signal: AbortSignal.any([signal, ended.signal]) }).then(
        (): Delivery => ({ outcome: 'NOT_TAKEN', reason: 'TOO_SLOW' }),
        (): Delivery => ({ outcome: 'NOT_TAKEN', reason: 'STOPPED' }),
      );
      const delivery = await Promise.race([deliver(mail), tooLong]);
      ended.abort();
      return delivery;
    },
  };
}

/**
 * What an error of the conversation means. Only what the server says of this recipient or this mail for good is not tried
 * again; a refused sender or password is a fault of the settings, which somebody will correct.
 */
function failureOf(error: unknown): Delivery {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  const isForGood = (command === 'RCPT TO' || command === 'DATA') && responseCode !== undefined && responseCode >= 500;
  const reason = [code ?? 'UNKNOWN', responseCode].filter((part) => part !== undefined).join(' ');
  return { outcome: isForGood ? 'REFUSED' : 'NOT_TAKEN', reason };
}
