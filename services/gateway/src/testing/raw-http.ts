import { connect } from 'node:net';

/**
 * Sends the given texts unchanged to an HTTP server on a new connection, and collects the response until the server
 * closes the connection or the response contains `until`.
 * @param pieces texts that are sent one after the other
 */
export function sendRaw(port: number, pieces: readonly string[], until = '\u0000never'): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      received += text;
      if (received.includes(until)) socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(received));
    socket.once('connect', () => {
      for (const piece of pieces) socket.write(piece);
    });
  });
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Status, headers (names in lower case) and body of an HTTP response as it came over the wire. */
export function parseAnswer(text: string): RawAnswer {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const;
  });
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body };
}
