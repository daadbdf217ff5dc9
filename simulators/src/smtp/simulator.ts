import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { faultKinds, faultSwitch } from './faults.js';
import type { FaultKind } from './faults.js';

/** E-mail that the simulated server accepted. */
export interface ReceivedMail {
  /** Sender that the envelope of the e-mail states. */
  readonly from: string;
  /** Recipients in the envelope of the e-mail, separated by `, `. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Message id of the e-mail with its angle brackets. */
  readonly messageId: string;
}

export interface SmtpSimulator {
  /** URL of the simulated mail server, such as `smtp://127.0.0.1:2525`. */
  readonly url: string;
  /** URL of the control interface of the mail simulator, such as `http://127.0.0.1:2580`. */
  readonly httpUrl: string;
  /** E-mails that the simulated server accepted, oldest first. */
  readonly mails: readonly ReceivedMail[];
  /** Sets the fault of the mail server for the next `times` e-mails, and replaces an earlier fault. */
  fail(kind: FaultKind, times: number): void;
  stop(): Promise<void>;
}

/** Maximum number of e-mails that the simulator keeps. Older e-mails are dropped. */
const MAILS_MAX = 1_000;
const MAIL_BYTES_MAX = 1024 ** 2;
const HOST = '127.0.0.1';

/**
 * Simulated SMTP server that delivers nothing and lists the accepted mails. Without ports the system chooses them.
 *
 * - `GET /messages` returns the accepted mails, `[{ from, to, subject, text }]`
 * - `POST /faults` with `{ "kind": "TEMPORARY", "times": 2 }` makes the next mails fail
 */
export async function startSmtpSimulator(
  options: { readonly port?: number; readonly httpPort?: number } = {},
): Promise<SmtpSimulator> {
  const mails: ReceivedMail[] = [];
  const faults = faultSwitch();
  const sockets = new Map<number, Socket>();
  const cut = ({ remotePort }: SMTPServerSession): void => {
    sockets.get(remotePort)?.destroy();
  };

  const smtp = new SMTPServer({
    name: 'smtp-simulator',
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    size: MAIL_BYTES_MAX,
    rejectOversized: true,
    onConnect: (_session, answer) => answer(faults.consume('REFUSE') ? refusal(421, 'Come back later') : undefined),
    onRcptTo: (_address, _session, answer) => {
      if (faults.consume('TEMPORARY')) answer(refusal(451, 'The mailbox is busy'));
      else if (faults.consume('PERMANENT')) answer(refusal(550, 'No such mailbox'));
      else answer();
    },
    onData: (stream, session, answer) => {
      readMail(stream, session).then(
        (mail) => {
          if (faults.consume('DROP')) return cut(session);
          if (!stream.sizeExceeded) mails.push(mail);
          if (mails.length > MAILS_MAX) mails.shift();
          if (faults.consume('LOSE_ANSWER')) return cut(session);
          if (!faults.consume('KEEP_WAITING')) answer();
        },
        (error: unknown) => answer(refusal(554, `The mail cannot be read: ${String(error)}`)),
      );
    },
  });
  // The faults of the simulated mail server make clients disconnect, and the server must keep running.
  smtp.on('error', () => {});
  smtp.server.on('connection', (socket: Socket) => {
    const { remotePort = 0 } = socket;
    sockets.set(remotePort, socket);
    socket.once('close', () => sockets.delete(remotePort));
  });
  const http = createServer((request, response) => void answerHttp(request, response, mails, faults.set));

  await listen(smtp.server, options.port);
  await listen(http, options.httpPort);
  return {
    url: `smtp://${addressOf(smtp.server)}`,
    httpUrl: `http://${addressOf(http)}`,
    mails,
    fail: faults.set,
    async stop() {
      const closed = Promise.all([once(smtp.server, 'close'), once(http, 'close')]);
      smtp.server.close();
      http.close();
      http.closeAllConnections();
      for (const socket of sockets.values()) socket.destroy();
      await closed;
    },
  };
}

async function readMail(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<ReceivedMail> {
  const { subject = '', text = '', messageId = '' } = await PostalMime.parse(await readText(stream));
  return {
    from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
    to: envelope.rcptTo.map(({ address }) => address).join(', '),
    subject,
    text,
    messageId,
  };
}

async function answerHttp(
  request: IncomingMessage,
  response: ServerResponse,
  mails: readonly ReceivedMail[],
  setFault: (kind: FaultKind, times: number) => void,
): Promise<void> {
  const reply = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
  };
  if (request.method === 'GET' && request.url === '/messages') {
    reply(
      200,
      mails.map(({ from, to, subject, text }) => ({ from, to, subject, text })),
    );
  } else if (request.method === 'POST' && request.url === '/faults') {
    const fault = readFault(await readText(request));
    if (fault === undefined) {
      reply(400, { error: `Send { "kind": one of ${faultKinds.join(', ')}, "times": a number from 0 to 1000 }.` });
      return;
    }
    setFault(fault.kind, fault.times);
    reply(200, fault);
  } else {
    reply(404, { error: 'There are GET /messages and POST /faults.' });
  }
}

function readFault(json: string): { kind: FaultKind; times: number } | undefined {
  try {
    const { kind: named, times } = JSON.parse(json) as { kind?: unknown; times?: unknown };
    const kind = faultKinds.find((known) => known === named);
    const isCount = typeof times === 'number' && Number.isInteger(times) && times >= 0 && times <= MAILS_MAX;
    return kind === undefined || !isCount ? undefined : { kind, times };
  } catch {
    return undefined;
  }
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

async function listen(server: Server, port = 0): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
}

function addressOf(server: Server): string {
  return `${HOST}:${(server.address() as AddressInfo).port}`;
}
