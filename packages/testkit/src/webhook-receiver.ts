import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestAuthority } from './test-certificates.js';

/** A webhook request as the test receiver got it. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: Date;
}

/**
 * An HTTPS server on the local machine that records the requests that it receives. The simulator in `simulators/` is
 * another receiver, which is configured with named faults and verifies signatures. This receiver lets a test of the
 * sender hold back a response until a condition is met, and check headers that the simulator does not record.
 */
export interface WebhookReceiver {
  /** PEM file of the authority that issued the certificate of the webhook receiver. */
  readonly caFile: string;
  /** Origin of the test receiver, such as `https://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly port: number;
  readonly requests: ReceivedRequest[];
  /** Returns the recorded webhook requests to the given path. */
  to(path: string): readonly ReceivedRequest[];
  /**
   * Sets the response of the webhook receiver to requests to a path. The receiver records a request before it responds.
   * The default response is 200.
   */
  answer(path: string, answer: (request: ReceivedRequest, response: ServerResponse) => void): void;
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const authority = createTestAuthority();
  const tls = authority.issue();
  const directory = mkdtempSync(join(tmpdir(), 'receiver-'));
  const caFile = join(directory, 'ca.pem');
  writeFileSync(caFile, authority.certificate);
  const requests: ReceivedRequest[] = [];
  const answers = new Map<string, (request: ReceivedRequest, response: ServerResponse) => void>();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url: path = '', headers } = request;
    const received = { path, headers, body: Buffer.concat(chunks).toString('utf8'), at: new Date() };
    requests.push(received);
    const answer = answers.get(path);
    if (answer === undefined) response.end('ok');
    else answer(received, response);
  };
  const server = createServer({ cert: tls.certificate, key: tls.key }, (request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    caFile,
    origin: `https://127.0.0.1:${port}`,
    port,
    requests,
    to: (path) => requests.filter((request) => request.path === path),
    answer: (path, answer) => void answers.set(path, answer),
    close: () => {
      rmSync(directory, { recursive: true, force: true });
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
