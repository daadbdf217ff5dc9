// Runs the ksef service in a separate process. For this process, an hour of KSeF may be shorter than an hour.
import { configSchema } from '@invoicecontrol/ksef/config';
import { startService } from '@invoicecontrol/ksef/service';
import { readConfig } from '@invoicecontrol/runtime/config';
import { runProcess } from '@invoicecontrol/runtime/process';

const factor = Number(process.env['BENCH_WINDOW_FACTOR'] ?? '1');

await runProcess(() =>
  startService(readConfig(configSchema, process.env), {
    limitWindowsMs: [1_000 * factor, 60_000 * factor, 3_600_000 * factor],
  }),
);
