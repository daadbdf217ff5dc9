const POLL_EACH_MS = 250;

// Ends a test worker when the process that started it was killed. Otherwise the worker would continue its tests, and
// keep the servers that it started. Each of these servers has a watchdog (tools/dev/src/infrastructure/child.ts), which
// ends it with the worker. A listener for the disconnection is not used, because it would keep the worker running.
if (process.connected && !globalThis.endsWithParent) {
  globalThis.endsWithParent = true;
  setInterval(() => {
    if (!process.connected) process.kill(process.pid, 'SIGKILL');
  }, POLL_EACH_MS).unref();
}
