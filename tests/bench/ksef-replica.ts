// Runs the ksef service in a separate process. With the option `--hour`, the benchmark shortens the time windows in
// which this process counts the calls that KSeF allows.
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
