import { subscribe } from 'node:diagnostics_channel';

/** Whether the request went over a connection that had carried another one before. */
export interface SentOver {
  isReused: boolean;
}

const sentOver = new WeakMap<object, SentOver>();
const usedSockets = new WeakSet<object>();
let beginning: SentOver | undefined;

// undici tells of each request and of the socket that it is written to; nothing else of it does.
subscribe('undici:request:create', (message) => {
  if (beginning !== undefined) sentOver.set((message as { request: object }).request, beginning);
});
subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as { request: object; socket: object };
  const own = sentOver.get(request);
  if (own !== undefined) own.isReused = usedSockets.has(socket);
  usedSockets.add(socket);
});

/** Begins a request of undici and notes over which kind of connection it is sent. @param begin must begin it before it returns */
export function noteConnection<T>(begin: () => T): { readonly begun: T; readonly over: SentOver } {
  const over = { isReused: false };
  beginning = over;
  try {
    return { begun: begin(), over };
  } finally {
    beginning = undefined;
  }
}
