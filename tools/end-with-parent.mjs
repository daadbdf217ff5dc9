const POLL_EACH_MS = 250;

// A worker whose run was killed would go on with its tests, and keep what they started. With it they end as well: each
// has a watchdog (tools/dev/src/infrastructure/child.ts). A listener for the disconnection would keep the worker itself.
if (process.connected && !globalThis.endsWithParent) {
  globalThis.endsWithParent = true;
  setInterval(() => {
    if (!process.connected) process.kill(process.pid, 'SIGKILL');
  }, POLL_EACH_MS).unref();
}
