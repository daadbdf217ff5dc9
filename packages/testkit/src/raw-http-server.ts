import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

export interface RawHttpServer {
  /** URL of the raw HTTP server of a test, without a trailing slash. */
  readonly url: string;
  readonly requestsCount: number;
  stop(): Promise<void>;
}

/**
 * Starts a server that responds to each request with the given bytes, including bytes that `createServer` of node:http
 * would not send.
 * @param answer texts of the response, each sent in a separate packet
 * @param certificate makes the server use TLS
 */
export async function startRawHttpServer(
  answer: () => readonly string[],
  certificate?: { readonly certificate: string; readonly key: string },
): Promise<RawHttpServer> {
  let requestsCount = 0;
  const sockets = new Set<Socket>();
  const onSocket = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      // An HTTP request body that arrives in a separate packet gets no response.
      if (!/^[A-Z]+ \//.test(data.toString('latin1'))) return;
      requestsCount++;
      const rest = [...answer()];
      const next = (): void => {
        const text = rest.shift();
        if (text !== undefined) socket.write(Buffer.from(text, 'utf8'), () => setImmediate(next));
      };
      next();
    });
  };
  const server: Server =
    certificate === undefined
      ? createServer({ noDelay: true }, onSocket)
      : createTlsServer({ cert: certificate.certificate, key: certificate.key, noDelay: true }, onSocket);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const scheme = certificate === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requestsCount() {
      return requestsCount;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the text of an interim HTTP response (RFC 9110, section 15.2). */
export function interimAnswer(line: string, headers = ''): string {
  return `HTTP/1.1 ${line}\r\n${headers}\r\n`;
}

/** Returns the given number of interim HTTP responses as texts. */
export function interimAnswers(count: number): string[] {
  return Array.from({ length: count }, () => interimAnswer('102 Processing'));
}

/** Returns the text of a final HTTP response with the given body. */
export function finalAnswer(body: string, line = '200 OK', headers = 'content-type: application/json\r\n'): string {
  return `HTTP/1.1 ${line}\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Interim HTTP responses that servers and proxies send before the final response without being asked. */
export const unaskedAnswers: readonly (readonly [string, readonly string[]])[] = [
  ['100 Continue', [interimAnswer('100 Continue')]],
  ['102 Processing', [interimAnswer('102 Processing')]],
  ['103 Early Hints', [interimAnswer('103 Early Hints', 'link: </style.css>; rel=preload\r\n')]],
  ['three of them', [interimAnswer('100 Continue'), interimAnswer('102 Processing'), interimAnswer('103 Early Hints')]],
];
