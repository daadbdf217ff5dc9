import { TestEnvironment } from 'jest-environment-node';

// A worker whose jest was killed would go on with its tests, and keep what they started. With it they end as well: each
// has a watchdog (tools/dev/src/infrastructure-child.ts).
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));

export default TestEnvironment;
