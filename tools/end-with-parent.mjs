const POLL_EACH_MS = 250;

// Ends a test worker when the process that started it was killed. Otherwise the worker would continue its tests, and
// keep the servers that it started. The watchdog of each server (tools/dev/src/infrastructure/child.ts) ends the server
// when the worker ends. The worker polls its connection to the starting process, because a listener for the event
// `disconnect` would keep the worker running.
if (process.connected && !globalThis.endsWithParent) {
  globalThis.endsWithParent = true;
  setInterval(() => {
    if (!process.connected) process.kill(process.pid, 'SIGKILL');
  }, POLL_EACH_MS).unref();
}
