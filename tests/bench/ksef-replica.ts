// Runs the ksef service in a separate process. With the option `--hour`, this process counts the hourly limits of KSeF
// in a shorter time than an hour.
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
